/**
 * Owns: what the tabs have told, as it comes in: claims by storage, counts, faults; and waiting for an answer.
 * Leaves: the host that takes it in to storm.ts.
 */
import type { Claims } from './judge.ts';
import type { Life, Told } from './messages.ts';

/** Milliseconds for an answer of a tab that is alive. Longer than any wait of the storage itself. */
const patience = 90_000;

/** Failures that may come when others die, freeze or write all the time. The transaction is not acknowledged. */
const tolerated = [
  'NotSaved',
  'OutcomeUnknown',
  'ImageConflict',
  'StorageStuck',
  'StorageFailed',
  'StorageFull',
];

interface OpenClaims extends Claims {
  readonly acknowledged: Set<string>;
  readonly refused: Set<string>;
}

export class Reports {
  readonly #claims = new Map<string, OpenClaims>();
  readonly #answers = new Map<string, (answer: Buffer | null) => void>();
  /** How often each failure was told. */
  readonly failures = new Map<string, number>();
  /** What must not happen, in words. */
  readonly faults: string[] = [];
  /** Images that were found damaged while the storm went on. */
  readonly torn: string[] = [];
  acknowledged = 0;
  folded = 0;

  /** The claims about the storage of this name: a life's tab is named `<storage>-<number>`. */
  claims(storage: string): OpenClaims {
    const known = this.#claims.get(storage) ?? { acknowledged: new Set(), refused: new Set() };
    this.#claims.set(storage, known);
    return known;
  }

  /** The body of a POST to the host. */
  take(path: string, body: Buffer): void {
    const [, kind, life = ''] = path.split('/');
    if (kind === 'image') this.#answers.get(`image ${life}`)?.(body);
    else for (const told of JSON.parse(body.toString()) as Told[]) this.#hear(told);
  }

  /** The image that this life sends; null: it is out of patience. Ask for it before it can come. */
  image(life: Life): Promise<Buffer | null> {
    return this.#answer(`image ${life}`);
  }

  /** True: the life has stopped and can show its image; false: it never opened; null: out of patience. */
  async stopped(life: Life): Promise<boolean | null> {
    const answer = await this.#answer(`stopped ${life}`);
    return answer === null ? null : answer.length > 0;
  }

  #hear(told: Told): void {
    const claims = this.claims(storageOf(told.life));
    switch (told.type) {
      case 'opened':
        break;
      case 'acknowledged':
        claims.acknowledged.add(told.id);
        this.acknowledged += 1;
        break;
      case 'refused':
        if (told.surely) claims.refused.add(told.id);
        this.#count(told.failure, `${told.id}: ${told.failure}`);
        break;
      case 'failed':
        this.#count(told.failure, `${told.life}: ${told.reason}`);
        break;
      case 'folded':
        this.folded += 1;
        break;
      case 'stopped':
        this.#answers.get(`stopped ${told.life}`)?.(Buffer.alloc(told.opened ? 1 : 0));
        break;
      case 'threw':
        this.faults.push(`${told.life} threw: ${told.text}`);
    }
  }

  #count(failure: string, words: string): void {
    this.failures.set(failure, (this.failures.get(failure) ?? 0) + 1);
    if (failure === 'ImageDamaged') this.torn.push(words);
    else if (!tolerated.includes(failure)) this.faults.push(words);
  }

  #answer(name: string): Promise<Buffer | null> {
    return new Promise((resolve) => {
      const answer = (body: Buffer | null): void => {
        clearTimeout(waiting);
        this.#answers.delete(name);
        resolve(body);
      };
      const waiting = setTimeout(answer, patience, null);
      this.#answers.set(name, answer);
    });
  }
}

export function storageOf(life: Life): string {
  return life.slice(0, life.indexOf('-'));
}
