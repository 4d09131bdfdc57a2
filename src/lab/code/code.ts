/** Owns: the engine's sources, parsed once, with the lines that announce boundaries. */
import { engineSources, type SourceFile } from '../../bridge/engine-sources.ts';
import { announcementsIn } from './boundaries-in-source.ts';
import { parse, type Tree } from './source-tree.ts';

export type ParsedFile = SourceFile & { readonly tree: Tree };

export const files: readonly ParsedFile[] = engineSources.map((file) => ({
  ...file,
  tree: parse(file.text),
}));

export const announcements = announcementsIn(files);
