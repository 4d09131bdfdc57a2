/** Owns: a part of the page that arrives later, as a rune; null until then. */
export class Later<T> {
  now = $state.raw<T | null>(null);
}
