import type { Result } from '../../src/engine/failure.ts';

/** The value of a result that must be one. */
export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
