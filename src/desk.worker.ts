/** The service desk's worker: the outside world, apart from the agent and its crashes. Chooses the concrete parts. */
import runbooksCsv from '../static/runbooks.csv?raw';
import type { DeskInit, FromDesk } from './bridge/desk-init.ts';
import { deskMessages } from './bridge/desk-init.ts';
import { dispatchTools } from './triage/dispatch-tools.ts';
import { triageTools } from './triage/tools.ts';

const receive = deskMessages(
  {
    handlers: triageTools(runbooksCsv),
    remote: dispatchTools(runbooksCsv),
    clock: { now: () => new Date().toISOString() },
    timer: {
      after: (milliseconds, then) => {
        const timer = setTimeout(then, milliseconds);
        return () => {
          clearTimeout(timer);
        };
      },
    },
  },
  (message: FromDesk) => {
    self.postMessage(message);
  },
);

self.onmessage = (event: MessageEvent<DeskInit>) => {
  receive(event.data);
};
