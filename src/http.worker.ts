/** The one worker that sends to addresses on the network. Chooses the concrete parts. */
import type { HttpInit } from './bridge/http-init.ts';
import { httpMessages } from './bridge/http-init.ts';

const receive = httpMessages({
  fetch: (request) => fetch(request),
  clock: { now: () => new Date().toISOString() },
  secure: self.location.protocol === 'https:',
});

self.onmessage = (event: MessageEvent<HttpInit>) => {
  receive(event.data);
};
