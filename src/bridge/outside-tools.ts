/**
 * Owns: the engine's port to the world outside, in the agent's worker: which way a call goes, and that a slow one is told.
 * Leaves: the ways themselves to world/desk-port.ts; the addresses to the page.
 */
import type { Tools } from '../engine/ports.ts';
import type { DeskClient, OutsideClient } from '../world/desk-port.ts';
import type { Routes } from './protocol.ts';

export interface OutsideParts {
  readonly desk: DeskClient;
  readonly http: OutsideClient;
  /** The lab's id as it was last read: it ties the call to this lab's log. */
  labId(): string;
  routes(): Routes;
  /** Is this tool one that may be slow? */
  isSlow(tool: string): boolean;
  /** A slow call leaves in this very moment. */
  calling(): void;
  /** The first thing is about to be said to who sends to addresses. */
  sends(): void;
}

export function outsideTools(parts: OutsideParts): Tools {
  const { desk, http } = parts;
  function way(destination: string | null): OutsideClient {
    if (destination === null) return desk;
    parts.sends();
    return http;
  }
  return {
    // Sent before this returns: a crash right after it finds the call on its way.
    call: (request, signal) => {
      const answer = way(request.destination).call(parts.labId(), request, signal);
      if (parts.isSlow(request.tool)) parts.calling();
      return answer;
    },
    status: (request) => way(request.destination).status(parts.labId(), request),
    destinationOf: (tool) => {
      const routes = parts.routes();
      return Object.hasOwn(routes, tool) ? (routes[tool] ?? null) : null;
    },
  };
}
