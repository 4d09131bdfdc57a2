/**
 * Owns: what a secret looks like, and taking it out of what is about to be written.
 * Leaves: being called to the one place that binds values to statements (storage/database.ts) and to the log of the
 * world outside (world/).
 * Invariant: no text that goes into a table passes by here (R12). What was taken out is gone: it is kept nowhere else.
 */
import type { JsonObject } from './json.ts';
import type { SqlValue, Transaction } from './ports.ts';

/** A secret planted by a test or marked by a user begins with this; I8 looks for it everywhere. */
export const secretMarker = 'crashpoint-secret:';

/** Stands in the place of what was taken out. */
export const redacted = '[redacted]';

/**
 * What keys and tokens look like. None of them matches a quote or a backslash-escape at its end, so JSON stays JSON.
 * The prefixes are those that their makers publish so that scanners find them.
 */
const patterns: readonly RegExp[] = [
  new RegExp(`${secretMarker}[^\\s"'\\\\]*`, 'g'),
  // Providers of models (sk-…, sk-ant-…, sk-proj-…), Stripe (sk_live_…), Hugging Face, Groq.
  /\b(?:sk|rk|pk)[-_][A-Za-z0-9_-]{16,}/g,
  /\b(?:hf|gsk)_[A-Za-z0-9]{20,}/g,
  /\b(?:gh[opusr]_|github_pat_|glpat-|npm_)[A-Za-z0-9_-]{20,}/g,
  /\bAKIA[0-9A-Z]{16}\b/g,
  /\bAIza[0-9A-Za-z_-]{35}/g,
  /\bxox[abeoprs]-[A-Za-z0-9-]{10,}/g,
  // JSON Web Tokens: three parts, the first two of them JSON in base64.
  /\beyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+/g,
  /\b(?<scheme>Bearer|Basic) +[A-Za-z0-9+/._~-]{16,}=*/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[^"]*?-----END [A-Z ]*PRIVATE KEY-----/g,
];

/** The text without what looks like a key or a token. */
export function redactText(text: string): string {
  return patterns.reduce((left, pattern) => left.replace(pattern, redacted), text);
}

/** The object with these members' values taken out, whatever they are. */
export function redactMembers(value: JsonObject, secrets: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(value).map(([member, held]) => [member, secrets.includes(member) ? redacted : held]),
  );
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
