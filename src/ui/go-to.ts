/** Owns: taking a reader to a part of the page: into view, and the focus with it. */
export function goTo(selector: string): void {
  const target = document.querySelector<HTMLElement>(selector);
  if (target === null) return;
  if (!target.matches('button, input, a, summary')) target.tabIndex = -1;
  target.scrollIntoView({ block: 'center' });
  target.focus({ preventScroll: true });
}
