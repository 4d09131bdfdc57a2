/** Owns: how many tabs have this page open, as a rune; 0: the browser can't tell. Counting is bridge/presence.ts. */
export class TabCount {
  open = $state(0);
}
