/** Owns: the panes of the lab by name, in the order of their tabs. Leaves: what each one is to lab/panes.ts. */
export const paneIds = ['timeline', 'table', 'diff', 'console', 'log', 'code', 'json'] as const;
export type PaneId = (typeof paneIds)[number];
