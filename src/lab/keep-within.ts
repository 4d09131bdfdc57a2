/** Owns: whether finished runs are to be deleted by themselves. Leaves: which, to retention.ts, loaded by those who want it. */
import type { Lab } from './lab.svelte.ts';

export async function keepWithin(lab: Lab): Promise<void> {
  const { keepDays, keepMegabytes } = lab.ports.settings.current;
  if (keepDays === null && keepMegabytes === null) return;
  const { deleteBeyond } = await import('./retention.ts');
  await deleteBeyond(lab);
}
