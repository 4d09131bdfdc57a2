/**
 * Owns: the case of a seed: which good file it begins with and what is done to it.
 */
import type { Bytes, ForeignFiles } from '../support/foreign-files.ts';
import { seededRandom } from '../support/random.ts';
import { baseFiles } from './base-files.ts';
import { withLie } from './lies.ts';
import { mutations } from './mutations.ts';
import { withOddRows } from './odd-rows.ts';

export interface FuzzCase {
  readonly bytes: Bytes;
  /** For a person who looks into a finding. */
  readonly story: string;
}

/** The same seed gives the same file. */
export function spoiler(files: ForeignFiles): (seed: number) => FuzzCase {
  const bases = [...baseFiles(files)];
  const kinds = Object.entries(mutations);
  return (seed) => {
    const random = seededRandom(seed);
    const [name, base] = bases[random.below(bases.length)]!;
    const story = [name];
    let bytes = base;
    const first = random.below(8);
    if (first < 2) bytes = withOddRows(files, bytes, seed);
    else if (first === 2) bytes = withLie(files, bytes, random);
    if (first <= 2) story.push(first === 2 ? 'a lie' : 'odd rows');
    const times = story.length > 1 ? random.below(2) : 1 + random.below(4);
    for (let at = 0; at < times; at += 1) {
      const [kind, mutate] = kinds[random.below(kinds.length)]!;
      bytes = mutate(bytes, random);
      story.push(kind);
    }
    return { bytes, story: story.join(', ') };
  };
}
