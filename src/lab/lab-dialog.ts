/** Owns: which dialog of the lab is open; a file on its way in has its own (lab-files.svelte.ts). */
export type LabDialog = 'none' | 'crash' | 'reset' | 'reload' | 'delete' | 'fork' | 'compare';
