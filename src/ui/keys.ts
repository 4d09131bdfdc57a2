/**
 * Owns: which key is which command. Single letters can be turned off (WCAG 2.1.4).
 * Leaves: the commands to the screens, the list for a reader to KeysDialog.svelte.
 */
export type KeyCommand =
  | 'step'
  | 'run'
  | 'crash-at'
  | 'crash-now'
  | 'resume'
  | 'back'
  | 'forward'
  | 'live'
  | 'fork'
  | 'help'
  | PaneCommand;
/** Opens the first, second … pane below the tables. */
export type PaneCommand = (typeof paneCommands)[number];

const paneCommands = ['pane-1', 'pane-2', 'pane-3', 'pane-4', 'pane-5', 'pane-6', 'pane-7'] as const;

export const keyList: readonly { readonly keys: string; readonly does: string }[] = [
  { keys: 'Space or K', does: 'Step' },
  { keys: 'R', does: 'Run to the end, or pause' },
  { keys: 'X', does: 'Crash at…' },
  { keys: 'Shift + X', does: 'Crash now' },
  { keys: 'O', does: 'Resume' },
  { keys: '← or J', does: 'Back: the event before, as it was stored then' },
  { keys: '→', does: 'Forward: the event after' },
  { keys: 'L', does: 'Back to live' },
  { keys: 'F', does: 'Fork here' },
  { keys: '1 to 7', does: 'Open a pane: Timeline, Table, Diff, SQL console, SQL log, Code, Raw JSON' },
  { keys: '?', does: 'This list' },
  { keys: 'Esc', does: 'Close a dialog' },
];

/** Null: the key is the browser's, or belongs to the control that has the focus. */
export function commandFor(event: KeyboardEvent): KeyCommand | null {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || event.defaultPrevented) return null;
  const target = event.target instanceof Element ? event.target : null;
  if (
    target?.closest(
      'input:not([type=radio], [type=checkbox], [type=range]), textarea, select, [contenteditable], dialog',
    )
  ) {
    return null;
  }
  if (event.key === ' ') {
    return target?.closest('button, a, summary, input, [tabindex="0"]') ? null : 'step';
  }
  if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
    // They are the control's own in what is chosen from or scrolled with them.
    if (target?.closest('input, [role=tab], [role=toolbar], [tabindex="0"]')) return null;
    return event.key === 'ArrowLeft' ? 'back' : 'forward';
  }
  switch (event.key) {
    case 'j':
      return 'back';
    case 'l':
      return 'live';
    case 'f':
      return 'fork';
    case 'k':
      return 'step';
    case 'r':
      return 'run';
    case 'x':
      return 'crash-at';
    case 'X':
      return 'crash-now';
    case 'o':
      return 'resume';
    case '?':
      return 'help';
    default:
      return paneCommands.find((command) => command === `pane-${event.key}`) ?? null;
  }
}
