/**
 * Owns: what a secret looks like, and taking it out of what is about to be written.
 * Leaves: being called to the one place that binds values to statements (storage/database.ts) and to the log of the
 * world outside (world/).
 * Invariant: no text that goes into a table passes by here (R12). What was taken out is gone: it is kept nowhere else.
 */
import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './json.ts';
import type { SqlValue, Transaction } from './ports.ts';

/** A secret planted by a test or marked by a user begins with this; I8 looks for it everywhere. */
export const secretMarker = 'crashpoint-secret:';

/** Stands in the place of what was taken out. */
export const redacted = '[redacted]';

/**
 * The prefix, at the start of a word. What JSON writes for a line break (`\n`) ends the word before. It is looked behind
 * only where the prefix is found: texts may be long.
 */
function word(prefix: string): string {
  return String.raw`(?:${prefix})(?<=(?:^|[^A-Za-z0-9]|\\[bfnrt]|\\u[0-9a-f]{4})(?:${prefix}))`;
}

/**
 * What keys and tokens look like. None of them ends with half of a JSON escape or takes a quote along, so JSON stays
 * JSON. The prefixes are those that their makers publish so that scanners find them.
 */
const patterns: readonly RegExp[] = [
  String.raw`${secretMarker}(?:[^\s"'\\]|\\["\\])*`,
  // Providers of models (sk-…, sk-ant-…, sk-proj-…), Stripe (sk_live_…), Hugging Face, Groq.
  String.raw`${word('[srp]k[-_]')}[A-Za-z0-9_-]{16,}`,
  String.raw`${word('hf_|gsk_')}[A-Za-z0-9]{20,}`,
  String.raw`${word('gh[opusr]_|github_pat_|glpat-|npm_')}[A-Za-z0-9_-]{20,}`,
  String.raw`${word('AKIA')}[0-9A-Z]{16}\b`,
  String.raw`${word('AIza')}[0-9A-Za-z_-]{35}`,
  String.raw`${word('xox[abeoprs]-')}[A-Za-z0-9-]{10,}`,
  // JSON Web Tokens: three parts, the first two of them JSON in base64.
  String.raw`${word('eyJ')}[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+`,
  String.raw`${word('Bearer|Basic')} +[A-Za-z0-9+/._~-]{16,}=*`,
  // Also one that was cut off.
  String.raw`-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^"\\]|\\[\s\S])*?(?:-----END [A-Z ]*PRIVATE KEY-----|(?=")|\\?$)`,
].map((source) => new RegExp(source, 'g'));

/** The text without what looks like a key or a token. */
export function redactText(text: string): string {
  return patterns.reduce((left, pattern) => left.replace(pattern, redacted), text);
}

/** The object without the values of these members, whatever they are and however deep. It must be JSON. */
export function redactMembers(value: JsonObject, secrets: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([member, held]) => [
      member,
      secrets.includes(member) ? redacted : redactInside(held, secrets),
    ]),
  );
}

function redactInside(value: JsonValue, secrets: readonly string[]): JsonValue {
  if (isJsonObject(value)) return redactMembers(value, secrets);
  return Array.isArray(value) ? value.map((item: JsonValue) => redactInside(item, secrets)) : value;
}

/** The transaction, with every text that is bound to a statement redacted. */
export function redacting(transaction: Transaction): Transaction {
  const clean = (value: SqlValue) => (typeof value === 'string' ? redactText(value) : value);
  return {
    all: (sql, values) => transaction.all(sql, values),
    get: (sql, values) => transaction.get(sql, values),
    run: (sql, values) => transaction.run(sql, values?.map(clean)),
  };
}
