/** A page store that fails when it is told to: the faults of the field, on purpose. */
import { fail, type Result, type StorageFailure } from '../../src/engine/failure.ts';
import type { CommitOutcome, PageStore, RefreshOutcome } from '../../src/storage/page-store.ts';
import type { BaseImage, Head, LogRecord, StoredImage } from '../../src/storage/stored-records.ts';

/** `arrives`: was the record written all the same, before the answer was lost? */
export type Fault =
  | { readonly failure: StorageFailure; readonly arrives: boolean }
  /** Runs before the commit, as another tab would. */
  | { readonly before: () => Promise<unknown> };

export class FaultyPageStore implements PageStore {
  readonly kind = 'memory';
  readonly #store: PageStore;
  /** One for each of the next commits. */
  readonly faults: Fault[] = [];
  commits = 0;

  constructor(store: PageStore) {
    this.#store = store;
  }

  async commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>> {
    this.commits += 1;
    const fault = this.faults.shift();
    if (fault && 'before' in fault) await fault.before();
    if (fault && 'failure' in fault) {
      if (fault.arrives) await this.#store.commit(head, record);
      return fail(fault.failure);
    }
    return this.#store.commit(head, record);
  }

  open(): Promise<Result<StoredImage | null, StorageFailure>> {
    return this.#store.open();
  }
  create(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    return this.#store.create(image);
  }
  refresh(head: Head): Promise<Result<RefreshOutcome, StorageFailure>> {
    return this.#store.refresh(head);
  }
  compact(image: BaseImage): Promise<Result<boolean, StorageFailure>> {
    return this.#store.compact(image);
  }
  quarantine(...values: Parameters<PageStore['quarantine']>): Promise<Result<null, StorageFailure>> {
    return this.#store.quarantine(...values);
  }
  close(): void {
    this.#store.close();
  }
}
