/** The service desk's worker: the outside world, apart from the agent and its crashes. Chooses the concrete parts. */
import runbooksCsv from '../static/runbooks.csv?raw';
import type { DeskInit } from './bridge/desk-init.ts';
import { deskMessages } from './bridge/desk-init.ts';
import { triageTools } from './triage/tools.ts';

const receive = deskMessages({
  handlers: triageTools(runbooksCsv),
  clock: { now: () => new Date().toISOString() },
});

self.onmessage = (event: MessageEvent<DeskInit>) => {
  receive(event.data);
};
