/**
 * Owns: what the SQL console knows of a visit: its text, its copy of the database, what came of the last query, what
 * was asked before, and whether writing is unlocked.
 * Leaves: running to bridge/console-client.ts; writing to the agent's worker.
 * Invariant: nothing is written that was not tried on the copy before, to its end and in time.
 */
import type { SchemaTable, SqlAnswer } from '../../bridge/console-answer.ts';
import { consoleClient, type ConsoleClient, type Copy, type Ran } from '../../bridge/console-client.ts';
import { whyNotWritten } from '../../bridge/console-sql.ts';
import { whyStopped } from '../../bridge/stopped.ts';
import type { LabView } from '../../bridge/views.ts';
import type { Failure } from '../../engine/failure.ts';
import { counted } from '../../ui/formats.ts';
import { members } from '../../ui/keep.ts';
import type { Lab } from '../lab.svelte.ts';

export type Outcome =
  | {
      readonly type: 'answer';
      readonly sql: string;
      readonly answer: SqlAnswer;
      readonly generation: number;
      /** It was written to the lab, as this commit; null: it ran on the copy alone. */
      readonly written: number | null;
    }
  | { readonly type: 'cancelled' }
  | { readonly type: 'too-long'; readonly seconds: number }
  /** Not written, for this reason. */
  | { readonly type: 'refused'; readonly reason: string }
  | { readonly type: 'failed'; readonly failure: Failure }
  /** There is nothing to ask. */
  | { readonly type: 'no-copy' };

const key = 'console';
const mostRemembered = 50;

export class SqlConsole {
  text = $state('SELECT run_id, status, next_action, version\nFROM agent_runs');
  plain = $state(false);
  tables = $state.raw<readonly SchemaTable[]>([]);
  copy = $state.raw<Copy | null>(null);
  busy = $state.raw<{ readonly cancel: AbortController; readonly what: 'looking' | 'running' } | null>(null);
  outcome = $state.raw<Outcome | null>(null);
  /** What was run in this visit, the latest first. */
  asked = $state.raw<readonly string[]>([]);
  unlocked = $state(false);
  readonly #lab: Lab;
  /** What the lab showed when the copy was made: a number of a commit alone does not tell one database from another. */
  #copiedAt: LabView | null = null;
  readonly #client: ConsoleClient;

  /** The lab has saved something since the copy was made: the next query reads it. */
  isBehind = $derived.by((): boolean => {
    const now = this.#lab.view?.storage.generation;
    return this.copy !== null && now !== undefined && now !== this.copy.generation;
  });

  constructor(lab: Lab) {
    this.#lab = lab;
    const { newConsole, wait } = lab.ports;
    this.#client = consoleClient({ newWorker: () => newConsole(), wait: (ms, signal) => wait(ms, signal) });
    void lab.ports.keep.read(key).then((kept) => (this.plain = members(kept)['plain'] === true));
  }

  setPlain(plain: boolean): void {
    this.plain = plain;
    void this.#lab.ports.keep.write(key, { plain });
  }

  /** Another text; the one that stood there is remembered. */
  take(text: string): void {
    this.#remember(this.text);
    this.text = text;
  }

  cancel(): void {
    this.busy?.cancel.abort();
  }

  /** Reads the lab's last commit, and shows what tables it has. */
  async look(): Promise<void> {
    await this.#alone('looking', async (signal) => {
      const shown = await this.#showSchema(signal);
      if ('type' in shown) return shown;
      return this.outcome?.type === 'answer' ? this.outcome : null;
    });
  }

  async run(): Promise<void> {
    const sql = this.text;
    if (sql.trim() === '') return;
    await this.#alone('running', async (signal) => {
      this.#remember(sql);
      const reason = this.unlocked ? whyNotWritten(sql) : null;
      if (reason !== null) return { type: 'refused', reason };
      const copy = await this.#showSchema(signal);
      if ('type' in copy) return copy;
      const ran = await this.#client.run(copy, this.unlocked ? 'try' : 'read', sql, signal);
      return this.unlocked && wouldChange(ran) && !signal.aborted
        ? this.#write(sql, copy, ran, signal)
        : outcomeOf(ran, sql, copy.generation);
    });
    this.#lab.said = wordsFor(this.outcome);
  }

  /** Lets what is run be written from now on, or not; a new session begins locked. */
  async unlock(unlocked: boolean): Promise<void> {
    const done = await this.#lab.worker.ask((agent) => agent.request('unlockWrites', { unlocked }));
    this.unlocked = unlocked && done?.ok === true;
  }

  /** The session is over, and with it the unlocking. */
  lock(): void {
    this.unlocked = false;
  }

  async #write(sql: string, { generation }: Copy, ran: Ran, signal: AbortSignal): Promise<Outcome> {
    if (ran.type !== 'answer') return ran;
    const { refused, answer } = ran;
    if (refused !== null) {
      return {
        type: 'refused',
        reason: `with that, the lab could not show its database any more: ${refused}`,
      };
    }
    this.#lab.pause();
    const written = await this.#lab.worker.ask((agent) => agent.request('write', { sql, generation }));
    if (written === null)
      return { type: 'failed', failure: { type: 'WorkerLost', reason: 'it is not alive' } };
    if (!written.ok) {
      if (written.failure.type !== 'SqlRefused') return { type: 'failed', failure: written.failure };
      // Told here, where it was asked for.
      this.#lab.worker.trouble = null;
      return { type: 'refused', reason: written.failure.reason };
    }
    this.#lab.receive(written.value);
    await this.#showSchema(signal);
    return { type: 'answer', sql, answer, generation, written: written.value.storage.generation };
  }

  /** The newest copy, its tables shown; or why there is none. */
  async #showSchema(signal: AbortSignal): Promise<Copy | Outcome> {
    const copy = await this.#newestCopy();
    if (copy === null) return { type: 'no-copy' };
    const looked = await this.#client.look(copy, signal);
    if (looked.type !== 'schema') return looked;
    this.tables = looked.tables;
    return copy;
  }

  /** The copy, made anew where the lab has saved something since; without a living worker, the one there is. */
  async #newestCopy(): Promise<Copy | null> {
    const { view, worker } = this.#lab;
    if (this.copy === null || this.#copiedAt !== view) {
      const read = await worker.ask((agent) => agent.request('readCopy', {}));
      if (read?.ok) [this.copy, this.#copiedAt] = [read.value, view];
    }
    return this.copy;
  }

  async #alone(
    what: 'looking' | 'running',
    work: (signal: AbortSignal) => Promise<Outcome | null>,
  ): Promise<void> {
    if (this.busy !== null) return;
    const cancel = new AbortController();
    this.busy = { cancel, what };
    try {
      this.outcome = await work(cancel.signal);
    } catch (error) {
      // A text that is too large to be taken apart, or a worker that cannot be made: else nothing would be said.
      this.outcome = { type: 'failed', failure: whyStopped(String(error)) };
    } finally {
      this.busy = null;
    }
  }

  #remember(sql: string): void {
    const text = sql.trim();
    if (text === '') return;
    this.asked = [text, ...this.asked.filter((one) => one !== text)].slice(0, mostRemembered);
  }
}

function wouldChange(ran: Ran): boolean {
  return (
    ran.type === 'answer' &&
    ran.answer.problem === null &&
    ran.answer.results.some(({ changed }) => changed > 0)
  );
}

function outcomeOf(ran: Ran, sql: string, generation: number): Outcome {
  return ran.type === 'answer' ? { type: 'answer', sql, answer: ran.answer, generation, written: null } : ran;
}

/** For screen readers, when a query has ended. */
function wordsFor(outcome: Outcome | null): string {
  switch (outcome?.type) {
    case 'answer': {
      const { problem, results } = outcome.answer;
      if (problem !== null) return `SQLite says: ${problem.message}.`;
      const rows = results.reduce((sum, one) => sum + one.rows.length, 0);
      const changed = results.reduce((sum, one) => sum + one.changed, 0);
      const where = outcome.written === null ? 'in the copy only' : 'in the lab';
      const also = changed === 0 ? '' : `, ${counted(changed, 'row')} changed ${where}`;
      return `The SQL has run: ${counted(rows, 'row')}${also}.`;
    }
    case 'cancelled':
      return 'The query was cancelled.';
    case 'too-long':
      return `The query took longer than ${String(outcome.seconds)} seconds and was ended.`;
    case 'refused':
      return 'This was not written.';
    default:
      return 'The SQL did not run.';
  }
}

/** One for each lab, as long as the page lives: its tab may be closed and opened again. */
const consoles = new WeakMap<Lab, SqlConsole>();

export function consoleOf(lab: Lab): SqlConsole {
  const known = consoles.get(lab) ?? new SqlConsole(lab);
  consoles.set(lab, known);
  return known;
}
