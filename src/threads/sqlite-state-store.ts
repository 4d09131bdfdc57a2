/**
 * Owns: a state store in tables of the agent's own image: compare and put are one transaction, a save one durable commit.
 * Leaves: the rules to saves.ts, durability and other tabs to the database.
 *
 * Values are bound, never part of the SQL. A row that can't be read is put aside in quarantined_threads, its bytes as they are.
 */
import type { Failure, Result } from '../engine/failure.ts';
import { succeed } from '../engine/failure.ts';
import type { Clock, Database, Reader, Transaction } from '../engine/ports.ts';
import { StateStorageError } from './errors.ts';
import type { RunState, StoredRunState } from './records.ts';
import {
  byId,
  corrupt,
  creationOf,
  documentOf,
  highest,
  newer,
  revisionOfDamaged,
  saved,
  saveOf,
  summaryOf,
  type Save,
  type Slot,
} from './saves.ts';
import type { Document } from './state-json.ts';
import type {
  CreateOptions,
  SaveOptions,
  StateStore,
  ThreadList,
  ThreadSummary,
  UnreadThread,
} from './state-store.ts';
import { assertThreadId } from './thread-ids.ts';

export interface SqliteStateStoreParts {
  readonly database: Database;
  /** Takes in what other tabs wrote; done before each operation. */
  refresh(): Promise<Result<unknown>>;
  readonly clock: Clock;
}

/** What a look at a row found: its slot, or the name under which a damaged one was put aside. */
type Found =
  | { readonly type: 'slot'; readonly slot: Slot }
  | { readonly type: 'aside'; readonly keptAs: string; readonly reason: string };

export class SqliteStateStore implements StateStore {
  readonly #parts: SqliteStateStoreParts;

  constructor(parts: SqliteStateStoreParts) {
    this.#parts = parts;
  }

  async saveState(threadId: string, state: RunState, options?: SaveOptions): Promise<StoredRunState> {
    return this.#write(saveOf(threadId, state, options));
  }

  async createState(threadId: string, state: RunState, options?: CreateOptions): Promise<StoredRunState> {
    return this.#write(creationOf(threadId, state, options));
  }

  async loadState(threadId: string): Promise<StoredRunState | null> {
    assertThreadId(threadId);
    await this.#refresh();
    const document = await this.#parts.database.read((reader) => documentIn(reader, threadId));
    if (document?.type === 'stored') return document.stored;
    if (document === null) return null;
    return this.#commit('thread.quarantine', threadId, (_, slot) => slot.stored);
  }

  async deleteState(threadId: string): Promise<void> {
    assertThreadId(threadId);
    await this.#refresh();
    await this.#transact('thread.delete', (transaction) => {
      const found = look(transaction, threadId);
      if (found.type === 'aside') return;
      bury(transaction, threadId, highest(found.slot));
      transaction.run('DELETE FROM threads WHERE thread_id = ?', [threadId]);
    });
  }

  async listThreads(): Promise<ThreadList> {
    await this.#refresh();
    return this.#parts.database.read((reader) => {
      const threads: ThreadSummary[] = [];
      const unread: UnreadThread[] = [];
      for (const { thread_id } of reader.all('SELECT thread_id FROM threads')) {
        const threadId = String(thread_id);
        const document = documentIn(reader, threadId);
        if (document?.type === 'stored') threads.push(summaryOf(document.stored));
        else unread.push({ ...whyUnread(document), threadId, name: `threads, ${threadId}` });
      }
      for (const row of reader.all('SELECT number, thread_id, document_json FROM quarantined_threads')) {
        const threadId = String(row['thread_id']);
        const document = documentOf(threadId, String(row['document_json']));
        const { reason } = whyUnread(document);
        unread.push({ type: 'quarantined', threadId, name: nameOf(Number(row['number'])), reason });
      }
      return { threads: threads.sort(byId), unread };
    });
  }

  async #write(save: Save): Promise<StoredRunState> {
    await this.#refresh();
    const { threadId } = save;
    return this.#commit('thread.save', threadId, (transaction, slot) => {
      const { stored, text } = saved(slot, save, this.#parts.clock.now());
      transaction.run(
        `INSERT INTO threads (thread_id, revision, document_json) VALUES (?1, ?2, ?3)
         ON CONFLICT (thread_id) DO UPDATE SET revision = excluded.revision, document_json = excluded.document_json`,
        [threadId, stored.revision, text],
      );
      return stored;
    });
  }

  /** What `body` throws is thrown, and nothing is written. A damaged row is put aside first, durably. */
  async #commit<T>(
    boundary: string,
    threadId: string,
    body: (transaction: Transaction, slot: Slot) => T,
  ): Promise<T> {
    const done = await this.#transact(boundary, (transaction) => {
      const found = look(transaction, threadId);
      return found.type === 'aside'
        ? found
        : ({ type: 'done', value: body(transaction, found.slot) } as const);
    });
    if (done.type === 'aside') throw corrupt(threadId, done.reason, done.keptAs);
    return done.value;
  }

  async #transact<T>(boundary: string, body: (transaction: Transaction) => T): Promise<T> {
    return must(await this.#parts.database.commit(boundary, (transaction) => succeed(body(transaction))));
  }

  async #refresh(): Promise<void> {
    must(await this.#parts.refresh());
  }
}

/** Null: no such row. */
function documentIn(reader: Reader, threadId: string): Document | null {
  const row = reader.get('SELECT revision, document_json FROM threads WHERE thread_id = ?', [threadId]);
  if (row === undefined) return null;
  const { revision, document_json: text } = row;
  if (typeof text !== 'string') return { type: 'corrupt', reason: 'its document is no text' };
  const document = documentOf(threadId, text);
  return document.type === 'stored' && document.stored.revision !== revision
    ? { type: 'corrupt', reason: `its row is of another revision than its document` }
    : document;
}

function look(transaction: Transaction, threadId: string): Found {
  const document = documentIn(transaction, threadId);
  if (document?.type === 'newer') throw newer(threadId, document);
  if (document?.type === 'corrupt') {
    return { type: 'aside', reason: document.reason, keptAs: putAside(transaction, threadId) };
  }
  const lastRevision = buried(transaction, threadId);
  return { type: 'slot', slot: { stored: document?.stored ?? null, lastRevision } };
}

function putAside(transaction: Transaction, threadId: string): string {
  const row = transaction.get('SELECT revision, document_json FROM threads WHERE thread_id = ?', [threadId]);
  const inRow = row?.['revision'];
  const known = Math.max(buried(transaction, threadId), Number.isSafeInteger(inRow) ? Number(inRow) : 0);
  const isKnown = Number.isSafeInteger(inRow) && known > 0;
  bury(transaction, threadId, isKnown ? known : revisionOfDamaged(String(row?.['document_json']), known));
  // Copied by SQLite: what may be no text stays what it is.
  transaction.run(
    `INSERT INTO quarantined_threads (thread_id, document_json)
     SELECT thread_id, document_json FROM threads WHERE thread_id = ?`,
    [threadId],
  );
  transaction.run('DELETE FROM threads WHERE thread_id = ?', [threadId]);
  return nameOf(Number(transaction.get('SELECT max(number) AS number FROM quarantined_threads')?.['number']));
}

function buried(reader: Reader, threadId: string): number {
  const row = reader.get('SELECT revision FROM thread_tombstones WHERE thread_id = ?', [threadId]);
  return row === undefined ? 0 : Number(row['revision']);
}

function bury(transaction: Transaction, threadId: string, revision: number): void {
  if (revision === 0) return;
  transaction.run(
    `INSERT INTO thread_tombstones (thread_id, revision) VALUES (?1, ?2)
     ON CONFLICT (thread_id) DO UPDATE SET revision = max(revision, excluded.revision)`,
    [threadId, revision],
  );
}

function nameOf(number: number): string {
  return `quarantined_threads, number ${String(number)}`;
}

function whyUnread(document: Document | null): { type: 'corrupt' | 'newer'; reason: string } {
  if (document?.type === 'newer') {
    return { type: 'newer', reason: `its format is ${String(document.schemaVersion)}` };
  }
  return { type: 'corrupt', reason: document?.type === 'corrupt' ? document.reason : 'its id is no text' };
}

function must<T>(result: Result<T, Failure>): T {
  if (!result.ok) throw new StateStorageError(result.failure);
  return result.value;
}
