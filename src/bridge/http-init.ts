/**
 * Owns: what the page tells the worker that sends to addresses: the way to the desk, which keeps the log, and a port for
 * each new agent.
 * Leaves: the calls over that port to world/http-service.ts.
 */
import type { LogClient } from '../world/desk-port.ts';
import { connectLog } from '../world/desk-port.ts';
import { sendCall, statusAtAddress } from '../world/http-service.ts';
import type { HttpParts } from '../world/http-tools.ts';
import { serveOutside } from '../world/outside-port.ts';

export type HttpInit =
  /** The other end of a port that the desk was told to `connect`; again when there is a new desk. */
  | { readonly type: 'open'; readonly desk: MessagePort }
  | { readonly type: 'connect'; readonly port: MessagePort };

/** Attach to the worker's messages before anything awaits. */
export function httpMessages(parts: HttpParts): (message: HttpInit) => void {
  let opened: (log: LogClient) => void = () => undefined;
  let log = new Promise<LogClient>((resolve) => {
    opened = resolve;
  });
  return (message) => {
    switch (message.type) {
      case 'open': {
        const client = connectLog(message.desk);
        opened(client);
        log = Promise.resolve(client);
        break;
      }
      case 'connect':
        serveOutside(
          message.port,
          Promise.resolve({
            call: async ({ lab, request }, signal) => sendCall(parts, await log, lab, request, signal),
            status: () => Promise.resolve(statusAtAddress()),
          }),
        );
        break;
    }
  };
}
