/**
 * Owns: one sentence for a person for each expected failure, and the way on.
 * Leaves: the buttons to FailureCard.svelte and the screens.
 */
import type { Failure } from '../engine/failure.ts';
import { clockTime } from './formats.ts';

export interface Sentence {
  /** What happened. */
  readonly says: string;
  /** What is safe, and what to do now. */
  readonly wayOn: string;
  /** The words of the button that sends the same request again; null: that would not help. */
  readonly retry: string | null;
  /** Nothing went wrong: a plain notice. */
  readonly calm?: true;
}

export function sentenceFor(failure: Failure): Sentence {
  switch (failure.type) {
    case 'StateConflict':
      return {
        says:
          failure.stored === null
            ? `State changed in another worker: ${failure.runId} is gone, version ${failure.expected} was expected.`
            : `State changed in another worker: ${failure.runId} is at version ${failure.stored}, version ${failure.expected} was expected.`,
        wayOn:
          failure.stored === null
            ? 'Nothing was written. It was reset, or another database was opened. The tables show what is stored now.'
            : 'Another tab saved first, so nothing was written here: its work stands. The tables show what is stored now.',
        retry: failure.stored === null ? null : 'Take the stored state and try again',
      };
    case 'KeyReused':
      return {
        says: `The key ${failure.key} already belongs to ${
          failure.differs === 'tool' ? `the tool ${failure.storedTool}` : 'a call with other arguments'
        }, so ${failure.tool} may not use it.`,
        wayOn:
          'Nothing was written: a saved result is never reused for different work. Start another run of this ticket.',
        retry: null,
      };
    case 'JsonRefused':
      return {
        says: `A value cannot be stored as JSON: ${failure.path} (${failure.reason}).`,
        wayOn: 'Nothing was written. The last checkpoint stands.',
        retry: null,
      };
    case 'WorkflowChanged':
      return {
        says: `${failure.runId} was started under the workflow ${failure.stored}; this page has ${failure.current}.`,
        wayOn:
          'A changed workflow never goes on in silence. Its next action may go on under the present workflow, if that has it; or start a new run; or leave it as it is, to read.',
        retry: null,
      };
    case 'RunNotFound':
      return {
        says: `There is no run ${failure.runId} in the database.`,
        wayOn: 'It may have been reset in another tab. Choose a run from the list, or start one.',
        retry: null,
      };
    case 'TicketNotFound':
      return {
        says: `There is no ticket ${failure.ticketId}.`,
        wayOn: 'Choose one from the list.',
        retry: null,
      };
    case 'RunNotRunning':
      return {
        says: `${failure.runId} has status=${failure.status} by now: there is nothing to do.`,
        wayOn:
          'Another tab may have brought it there. Resuming a finished run rightly does nothing; start another run to go on.',
        retry: null,
        calm: true,
      };
    case 'UnknownAction':
      return {
        says: `The next action of ${failure.runId} is “${failure.action}”, which this workflow does not have.`,
        wayOn: `It knows ${failure.known.join(', ')}. The run is shown and not resumed.`,
        retry: null,
      };
    case 'ContextUnusable':
      return {
        says: `The stored context of ${failure.runId} cannot be used for ${failure.action}: ${failure.reason}.`,
        wayOn: 'Nothing was written. The run is shown as it is stored; start another run of the ticket.',
        retry: null,
      };
    case 'ToolFailed':
      return {
        says: `The tool ${failure.tool} failed: ${failure.reason}.`,
        wayOn: 'No result was recorded. The same key is used again, so trying again is safe.',
        retry: 'Retry',
      };
    case 'AttemptNotDue':
      return {
        says: `The call ${failure.key} is not due before ${clockTime(failure.dueAtUtc)}.`,
        wayOn:
          'Its last attempt ended badly, and nothing was done now. The time is stored, so it survives a crash; nobody has to wait for it.',
        retry: null,
        calm: true,
      };
    case 'ClaimedElsewhere':
      return {
        says: failure.alive
          ? `Another tab is making the call ${failure.key} right now: ${failure.session} is alive.`
          : `${failure.session.replace('session-', 'Session ')} has claimed the call ${failure.key} and may still be at it, until ${clockTime(failure.leaseUntilUtc)}.`,
        wayOn:
          'Nothing was done here, so that it is not called twice. Wait for its answer, which will appear here; or take the call over: then that answer, should it come, is not recorded.',
        retry: 'Look again',
        calm: true,
      };
    case 'CallInFlight':
      return {
        says: `The call ${failure.key} is out and nobody has answered yet.`,
        wayOn: 'Nothing was sent a second time. Its answer, or the end of its time, goes on with the run.',
        retry: null,
        calm: true,
      };
    case 'ClaimLost':
      return {
        says: `The call ${failure.key} was taken over while it was out, so its answer was not recorded.`,
        wayOn: 'Whoever took it over goes on with it. The tables show what is stored now.',
        retry: null,
        calm: true,
      };
    case 'ApprovalSettled':
      return {
        says: `The request ${failure.approvalId} is ${failure.state} by now.`,
        wayOn:
          'Nothing was written: a decision counts once, and only for exactly what was shown. The card shows what is stored now.',
        retry: null,
      };
    case 'NotInDoubt':
      return {
        says: `The call ${failure.key} is not in doubt any more.`,
        wayOn: 'Nothing was written. Another tab may have decided it; the tables show what is stored now.',
        retry: null,
      };
    case 'RunNotFailed':
      return {
        says: `${failure.runId} has status=${failure.status}: there is nothing to try again.`,
        wayOn: 'Nothing was written. The tables show what is stored now.',
        retry: null,
      };
    case 'RunUnfinished':
      return {
        says: `${failure.runId} is not finished (status=${failure.status}), so nothing was deleted.`,
        wayOn: 'Only finished runs are deleted. Look at the list again: it may have changed in another tab.',
        retry: null,
      };
    case 'NoSuchCheckpoint':
      return {
        says: `There is no checkpoint of ${failure.runId} at version ${failure.version} from which a run could go on.`,
        wayOn: 'Nothing was written. Choose another version.',
        retry: null,
      };
    case 'NotSaved':
      return {
        says: `Not saved: the browser aborted the write (${failure.reason}).`,
        wayOn:
          'Everything saved before is safe; the page shows that, without the change that failed. Trying again is safe.',
        retry: 'Retry',
      };
    case 'StorageFull':
      return {
        says: `Not saved: the browser gives this page no more room (${failure.reason}).`,
        wayOn:
          'Everything saved before is safe; the page shows that, without the change that failed. Free some room (on the disk, in other sites’ data, or what is set aside here), then try again. The download holds every saved step.',
        retry: 'Retry',
      };
    case 'OutcomeUnknown':
      return {
        says: `The browser did not say whether the write was saved (${failure.reason}).`,
        wayOn:
          'Either way is safe: trying again first finds out which it was, and writes nothing twice. The download holds every step that is known to be saved.',
        retry: 'Retry',
      };
    case 'StorageRefused':
      return {
        says: `The browser refuses to store anything here (${failure.reason}).`,
        wayOn:
          'A private window or a strict setting does this. The lab works in memory only: crash the worker as you like, but a reload loses everything.',
        retry: null,
      };
    case 'StorageFailed':
      return {
        says: `The browser’s storage failed (${failure.reason}).`,
        wayOn:
          'Nothing that is stored was touched. Try again; if that does not help, restart the browser or free some room on the disk.',
        retry: 'Retry',
      };
    case 'StorageStuck':
      return {
        says: `The browser’s storage did not answer for ${failure.seconds} seconds (${
          { open: 'while opening', read: 'while reading', commit: 'while saving' }[failure.what]
        }).`,
        wayOn:
          'Nothing is deleted, and everything saved before is safe. Close other tabs of this page and try again; if that does not help, restart the browser.',
        retry: 'Retry',
      };
    case 'ImageDamaged':
      return {
        says: `The stored database failed its checks: ${failure.reason}.`,
        wayOn: `It is kept untouched as “${failure.quarantined}”, and only you can delete it. Once a database is open, a copy of it can be opened as far as SQLite can read it.`,
        retry: 'Start fresh beside it',
      };
    case 'FormatNewer':
      return {
        says: `A newer version of this page wrote the stored database: its ${
          {
            tables: 'tables have version',
            image: 'stored form has version',
            database: 'storage has version',
          }[failure.what]
        } ${failure.stored}, this page knows up to ${failure.known}.`,
        wayOn:
          'Nothing is written to it here. Reload to get the newer page, take a copy along, or start fresh: the newer one stays beside it, untouched.',
        retry: null,
      };
    case 'StorageGone':
      return failure.replaced
        ? {
            says: 'The stored database is another one by now: the one that this tab worked on was deleted, evicted or set aside, and another tab has stored a new one.',
            wayOn:
              'The last commit of this tab is still in its memory. Download it before you take what is stored: it may be the only copy.',
            retry: null,
          }
        : {
            says: 'The stored database is gone: it was deleted, or the browser has cleared this site’s data, while this tab was open.',
            wayOn:
              'Everything up to the last commit is still in this tab’s memory. Store it again, or download it, before you close the tab.',
            retry: null,
          };
    case 'ImageConflict':
      return {
        says: `Another tab wrote first, ${failure.tries} times in a row.`,
        wayOn: 'Nothing was written. Pause the other tab, then try again.',
        retry: 'Retry',
      };
    case 'FileRefused':
      return {
        says: `This file cannot be opened: ${failure.reason}.`,
        wayOn: 'Nothing stored has changed.',
        retry: null,
      };
    case 'SqlRefused':
      return {
        says: `This was not written: ${failure.reason}.`,
        wayOn: 'Nothing stored has changed.',
        retry: null,
      };
    case 'SqliteUnfit':
      return {
        says: `SQLite is not the one this page was built for: ${failure.reason}.`,
        wayOn:
          'The page refuses to start rather than risk the data. Reload the page; nothing stored was changed.',
        retry: 'Retry',
      };
    case 'SqliteUnavailable':
      return {
        says: `The database program could not be loaded: ${failure.reason}.`,
        wayOn:
          'The network may be gone, or this browser or its policy may not allow WebAssembly. Check, then try again.',
        retry: 'Retry',
      };
    case 'WasmRefused':
      return {
        says: `This page may not run WebAssembly here (${failure.reason}).`,
        wayOn:
          'A policy of the site, or a strict setting of the browser, forbids it, and SQLite is WebAssembly. Allow it for this page or use another browser. What is stored was not touched and can be downloaded.',
        retry: 'Retry',
      };
    case 'OutOfMemory':
      return {
        says: `No memory was left for the worker (${failure.reason}).`,
        wayOn: 'What was saved is safe. Close other tabs or programs, then open the database again.',
        retry: 'Retry',
      };
    case 'WorkerNotLoaded':
      return {
        says: {
          agent: 'The program of the agent’s worker could not be loaded.',
          desk: 'The program of the outside world (the service desk) could not be loaded.',
          explorer: 'The program of the explorer could not be loaded.',
          console: 'The program of the SQL console could not be loaded.',
        }[failure.worker],
        wayOn: 'The network may be gone. What is stored was not touched. Check, then try again.',
        retry: 'Retry',
      };
    case 'WorkerLost':
      return {
        says: `The worker stopped with a request under way (${failure.reason}).`,
        wayOn: 'Whether that request was carried out only the database knows. Reopen it and look.',
        retry: null,
      };
    case 'NothingToUndo':
      return {
        says: 'There is nothing to undo.',
        wayOn: 'Nothing was reset or replaced, or a run has started since. The tables show what is stored.',
        retry: null,
      };
    case 'ImageNotKept':
      return {
        says: `No image is kept under the name “${failure.name}”.`,
        wayOn: 'Another tab may have deleted it. Nothing else has changed.',
        retry: null,
      };
    case 'CopyDamaged':
      return {
        says: `The copy of the former database failed its checks: ${failure.reason}.`,
        wayOn: 'It was not brought back: what is stored now is sound, and stays as it is.',
        retry: null,
      };
    case 'WorkerFault':
      return {
        says: `The worker stopped on a fault of this program: ${failure.message}.`,
        wayOn: 'What was saved is safe. Reopen the database and look.',
        retry: null,
      };
  }
}
