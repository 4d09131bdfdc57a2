/** Owns: the source texts of the mistakes, as the very files that run; each arrives when it is first shown. */
const files = {
  sound: () => import('../mistakes/sound.ts?raw'),
  'messages-only': () => import('../mistakes/messages-only.ts?raw'),
  'checkpoint-first': () => import('../mistakes/checkpoint-first.ts?raw'),
  'fresh-keys': () => import('../mistakes/fresh-keys.ts?raw'),
  'two-commits': () => import('../mistakes/two-commits.ts?raw'),
  'no-version': () => import('../mistakes/no-version.ts?raw'),
  'rule-as-agent': () => import('../mistakes/rule-as-agent.ts?raw'),
  'slow-call': () => import('../mistakes/slow-call.ts?raw'),
  'many-writers': () => import('../mistakes/many-writers.ts?raw'),
} as const;

export type SourceName = keyof typeof files;

/** Left out: what is said on the page in other words, and what only names and connects. */
const leftOut = [
  /^\/\*\*[\s\S]*?\*\/\s*/,
  /^import [\s\S]*?;\n/gm,
  /^export const \w+: Variant = \{[\s\S]*?\};\n/gm,
];

/** The source without its head, its imports and its name. */
export async function sourceOf(name: SourceName): Promise<string> {
  const { default: text } = await files[name]();
  return leftOut.reduce((left, pattern) => left.replace(pattern, ''), text).trim();
}
