/**
 * Owns: a worker for each file that is looked at, and its end: when it has answered, when the person no longer waits,
 * and when it takes too long. An endless loop or harmed memory ends with it; the agent's worker sees none of the file.
 * Leaves: what is looked at to file-inspection.ts.
 */
import type { Result } from '../engine/failure.ts';
import { fail } from '../engine/failure.ts';
import { limits, whyTooLarge } from '../storage/files/limits.ts';
import type { FileNote, FileReport, Inspection } from './file-inspection.ts';

export type { FileNote, FileReport, Inspection };

export interface FileInspector {
  /** Null when `signal` was aborted. A file that is too large is refused before anything of it is read. */
  inspect(file: Blob, signal: AbortSignal): Promise<Result<Inspection> | null>;
}

/** A file of the largest size takes some seconds, on a slow machine a minute; the person may cancel at any time. */
const mostSeconds = 120;

export function fileInspector(newWorker: () => Worker): FileInspector {
  return {
    inspect: (file, signal) => {
      const tooLarge = whyTooLarge(file.size, limits.ours.bytes);
      if (tooLarge !== null) return Promise.resolve(fail({ type: 'FileRefused', reason: tooLarge }));
      return new Promise((resolve) => {
        const worker = newWorker();
        const end = (result: Result<Inspection> | null): void => {
          clearTimeout(timer);
          worker.terminate();
          resolve(result);
        };
        const refuse = (reason: string): void => {
          end(fail({ type: 'FileRefused', reason }));
        };
        const timer = setTimeout(() => {
          refuse(`looking at it took longer than ${mostSeconds} seconds`);
        }, mostSeconds * 1000);
        signal.addEventListener('abort', () => {
          end(null);
        });
        worker.addEventListener('message', (event: MessageEvent<Result<Inspection>>) => {
          end(event.data);
        });
        worker.addEventListener('error', (event) => {
          event.preventDefault();
          refuse(`looking at it ended in a fault (${event.message || 'the worker could not be loaded'})`);
        });
        worker.postMessage(file);
      });
    },
  };
}
