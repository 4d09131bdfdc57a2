/**
 * Owns: what each single key does in the lab.
 * Leaves: which key is which command to ui/keys.ts.
 */
import type { KeyCommand } from '../ui/keys.ts';
import type { Lab } from './lab.svelte.ts';
import type { LabDialog } from './lab-dialog.ts';
import { waits } from './restart.ts';

export interface Keyed {
  readonly lab: Lab;
  open(dialog: LabDialog): void;
  /** The first pane is 1. */
  openPane(number: number): void;
}

export function obey(command: Exclude<KeyCommand, 'help'>, { lab, open, openPane }: Keyed): void {
  switch (command) {
    case 'step':
      void lab.stepping.step();
      return;
    case 'run':
      if (lab.stepping.activity.type === 'running') lab.pause();
      else void lab.stepping.runToEnd();
      return;
    case 'crash-at':
      if (lab.live) open('crash');
      return;
    case 'crash-now':
      void lab.crashNow();
      return;
    case 'resume':
      if (lab.worker.state.type === 'dead') void lab.reopen(true);
      else if (waits(lab.card)) void lab.stepping.resume();
      return;
    case 'back':
      lab.past.move(-1);
      return;
    case 'forward':
      lab.past.move(1);
      return;
    case 'live':
      lab.past.toLive();
      return;
    case 'fork':
      if (lab.branching.whyNoFork === null) open('fork');
      return;
    default:
      openPane(Number(command.slice('pane-'.length)));
  }
}
