/** Owns: telling a reload from a later visit: a mark that lives as long as the tab. */
const key = 'crashpoint-visit';

/** True when this tab has been here before; marks it. Without sessionStorage every load is a first visit. */
export function markVisit(): boolean {
  try {
    const known = sessionStorage.getItem(key) !== null;
    sessionStorage.setItem(key, 'here');
    return known;
  } catch {
    return false;
  }
}
