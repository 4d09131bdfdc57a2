/**
 * Owns: the page's side of a replay: a worker of its own for each, ended with its answer, or when nobody waits for it any
 * more. Never rejects.
 * Leaves: the answer's meaning to recording.ts.
 */
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import type { Recording, Replayed, ReplayReply, ReplayRequest } from './replay-messages.ts';

/** Null: `signal` has ended it. */
export function replayIn(
  newWorker: () => Worker,
  recording: Recording,
  signal: AbortSignal,
): Promise<Result<Replayed> | null> {
  return new Promise((resolve) => {
    const worker = newWorker();
    const end = (result: Result<Replayed> | null): void => {
      worker.terminate();
      resolve(result);
    };
    signal.addEventListener('abort', () => {
      end(null);
    });
    worker.onmessage = ({ data }: MessageEvent<ReplayReply | { readonly type: 'variants' }>) => {
      // The explorer's worker tells of itself first.
      if (data.type === 'replayed') end(data.result);
    };
    worker.onerror = (event) => {
      event.preventDefault();
      end(
        fail(
          event.message
            ? { type: 'WorkerFault', message: event.message }
            : { type: 'WorkerNotLoaded', worker: 'explorer' },
        ),
      );
    };
    worker.postMessage({ type: 'replay', recording } satisfies ReplayRequest);
  });
}
