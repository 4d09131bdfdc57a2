/**
 * Owns: the page's sleep and waking as the browser tells them: looked away from, frozen, cached, thawed, come back to.
 * Leaves: what is done about it to main.ts.
 */
export interface PageLife {
  /** From now on the page may stand still without end, or be gone. */
  sleeps(): void;
  /** It was frozen or cached, and goes on. */
  wakes(): void;
  /** It is looked at again. */
  seen(): void;
}

export function watchPageLife({ sleeps, wakes, seen }: PageLife): void {
  addEventListener('pagehide', sleeps);
  document.addEventListener('freeze', sleeps);
  document.addEventListener('resume', wakes);
  addEventListener('pageshow', (event: PageTransitionEvent) => {
    if (event.persisted) wakes();
  });
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible') seen();
  });
}
