/**
 * Owns: which screen the address names (the part after `#`), so that any static host works.
 * Leaves: the screens to main.ts.
 */
export class Route {
  path = $state(pathOf(location.hash));

  constructor() {
    addEventListener('hashchange', () => {
      this.path = pathOf(location.hash);
    });
  }
}

/** `#/lab?t=T104` is `/lab`; an empty hash is the start page. */
export function pathOf(hash: string): string {
  const path = hash.replace(/^#/, '').split('?')[0] ?? '';
  return path === '' ? '/' : path;
}

/** What follows `/break` in `/break/e3`: `e3`; empty where nothing does. Null: the path is not under it. */
export function under(path: string, parent: string): string | null {
  if (path === parent) return '';
  return path.startsWith(`${parent}/`) ? path.slice(parent.length + 1) : null;
}
