/**
 * Owns: what the page and the explorer's worker tell each other about a replay, and answering in the worker; what can be
 * replayed, and whether the same came out.
 * Leaves: replaying to explorer/replay.ts; the page's side to replay-client.ts.
 */
import type { ExplorerParts } from '../explorer/session.ts';
import type { Recording, Replayed } from '../explorer/replay.ts';
import { replay } from '../explorer/replay.ts';
import type { Result } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import { whyStopped } from './stopped.ts';

export type { Recording, Replayed };

export interface ReplayRequest {
  readonly type: 'replay';
  readonly recording: Recording;
}

export interface ReplayReply {
  readonly type: 'replayed';
  readonly result: Result<Replayed>;
}

/** Answers one request; never rejects. */
export async function answerReplay(
  parts: () => Promise<Result<ExplorerParts>>,
  { recording }: ReplayRequest,
): Promise<ReplayReply> {
  try {
    const ready = await parts();
    const result = ready.ok ? succeed(await replay(ready.value, recording)) : ready;
    return { type: 'replayed', result };
  } catch (error) {
    return { type: 'replayed', result: { ok: false, failure: whyStopped(String(error)) } };
  }
}
