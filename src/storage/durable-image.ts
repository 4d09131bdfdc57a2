/**
 * Owns: keeping the live file and the stored image the same: writing what changed, putting the file back when the
 * write was refused, taking in what other tabs wrote.
 * Leaves: the first opening to open-image.ts; SQL, order and crash boundaries to database.ts; transactions to the page store.
 *
 * Invariants:
 * - Between two calls the live file is the image of `head`, a commit that was durable. It is never ahead.
 * - A record whose outcome is unknown is sent again, the same and no other, before anything else is written.
 */
import { fail, succeed, type Result, type StorageFailure } from '../engine/failure.ts';
import { ImagePages } from './image-pages.ts';
import { checkedImage, type ImageParts, type OpenedImage } from './open-image.ts';
import { decodePages, encodeChanges } from './page-changes.ts';
import { randomId } from './random.ts';
import type { RecordedFile } from './recorded-file.ts';
import { parseNext, type LogSize } from './stored-image.ts';
import { sealBase, sealRecord, type Head, type LogRecord } from './stored-records.ts';

/** `again`: another tab wrote first; the file now holds what it wrote, and the caller's work is undone. */
export type WriteOutcome = 'unchanged' | 'saved' | 'again';

/**
 * Commits, or bytes, of log that are worth a fold: more of them make opening slow, and folding more often writes the
 * same pieces again and again. The larger the image, the more a fold writes, so the longer the log may grow.
 */
const commitsToFold = 100;
const leastBytesToFold = 256 * 1024;
const byteShareToFold = 1 / 32;
const noLog: LogSize = { commits: 0, bytes: 0 };

export class DurableImage {
  readonly #parts: ImageParts;
  readonly #file: RecordedFile;
  /** Reads anything through SQLite, so that it drops its page cache (recorded-file.ts). */
  readonly #readSomething: () => void;
  #head: Head;
  /** Since the last fold, or the last attempt at one. */
  #log: LogSize;
  /** Sent, and nobody knows whether it arrived. */
  #unknown: { readonly head: Head; readonly record: LogRecord } | null = null;

  constructor(parts: ImageParts, opened: OpenedImage, file: RecordedFile, readSomething: () => void) {
    this.#parts = parts;
    this.#file = file;
    this.#readSomething = readSomething;
    this.#head = opened.head;
    this.#log = opened.log;
  }

  get generation(): number {
    return this.#head.generation;
  }

  /** Makes what the last transaction changed durable. Any outcome but `saved` leaves the file as it was before. */
  async write(): Promise<Result<WriteOutcome, StorageFailure>> {
    const changes = this.#file.changes();
    const encoded = encodeChanges(changes);
    if (encoded.length === 0 && changes.pageCount === changes.pageCountBefore) {
      this.#file.accept();
      return succeed('unchanged');
    }
    const { checksum, random, store } = this.#parts;
    const record = sealRecord(checksum, this.#head, randomId(random), changes.pageCount, encoded);
    const sent = await store.commit(this.#head, record);
    if (sent.ok && sent.value.type === 'saved') {
      this.#file.accept();
      this.#advance(record);
      return succeed('saved');
    }
    this.#file.putBack(this.#readSomething);
    if (!sent.ok) {
      if (sent.failure.type === 'OutcomeUnknown') this.#unknown = { head: this.#head, record };
      return sent;
    }
    const refreshed = sent.value.type === 'moved' ? await this.#reload() : await this.refresh();
    return refreshed.ok ? succeed('again') : refreshed;
  }

  /** Finds out what became of a commit whose outcome was unknown. Nothing to do in all other cases. */
  async settle(): Promise<Result<null, StorageFailure>> {
    if (!this.#unknown) return succeed(null);
    const sent = await this.#parts.store.commit(this.#unknown.head, this.#unknown.record);
    if (!sent.ok && sent.failure.type === 'OutcomeUnknown') return sent;
    this.#unknown = null;
    const refreshed = await this.refresh();
    return refreshed.ok ? succeed(null) : refreshed;
  }

  /** Takes in what other tabs wrote; true when there was something. */
  async refresh(): Promise<Result<boolean, StorageFailure>> {
    const outcome = await this.#parts.store.refresh(this.#head);
    if (!outcome.ok) return outcome;
    if (outcome.value.type === 'moved') return this.#reload();
    let news = false;
    for (const entry of outcome.value.entries) {
      const record = parseNext(this.#parts.checksum, this.#head, entry);
      const pages = typeof record === 'string' ? null : this.#pagesOf(record);
      // Opening again finds out what is wrong, and sets the image aside if need be.
      if (typeof record === 'string' || !pages) return this.#reload();
      this.#file.rewrite(record.pageCount, pages, this.#readSomething);
      this.#file.accept();
      this.#advance(record);
      news = true;
    }
    return succeed(news);
  }

  /** Puts another image in place of the file's content, to be written as any other change. */
  replace(bytes: Uint8Array): void {
    this.#rewrite(ImagePages.of(bytes));
  }

  /** Folds the log into the base when it has grown long. True when it was folded. */
  async compactIfWorthwhile(): Promise<Result<boolean, StorageFailure>> {
    const usual = Math.max(leastBytesToFold, this.#file.byteCount * byteShareToFold);
    const { foldAfter = usual, crash } = this.#parts;
    const isLong = this.#log.bytes > foldAfter || this.#log.commits > commitsToFold;
    if (this.#unknown || !isLong) return succeed(false);
    crash.reach('fold.begin');
    const done = await this.#parts.store.compact(sealBase(this.#parts.checksum, this.#head, this.#file));
    // Folded, by us or by another tab; or it failed, and is tried again once as much has been written anew.
    this.#log = noLog;
    crash.reach('fold.durable');
    return done;
  }

  /** Stores what is in memory as a first image, after StorageGone. False: another tab stored one first. */
  async storeAgain(): Promise<Result<boolean, StorageFailure>> {
    const { store, checksum, random } = this.#parts;
    const stored = await store.open();
    if (!stored.ok) return stored;
    if (!stored.value) {
      // Held before it is known to be stored: if that stays unknown, the next attempt knows it for ours.
      this.#head = { ...this.#head, incarnation: randomId(random), id: randomId(random) };
      this.#unknown = null;
      this.#log = noLog;
      const created = await store.create(sealBase(checksum, this.#head, this.#file));
      if (!created.ok || created.value) return created;
    }
    const taken = await this.#reload();
    if (taken.ok) return taken;
    return taken.failure.type === 'StorageGone' && taken.failure.replaced ? succeed(false) : taken;
  }

  async #reload(): Promise<Result<boolean, StorageFailure>> {
    const stored = await this.#parts.store.open();
    if (!stored.ok) return stored;
    if (!stored.value) return fail({ type: 'StorageGone', replaced: false });
    const image = await checkedImage(this.#parts, stored.value);
    if (!image.ok) return image;
    // Made anew by another tab: what is in memory here may be the only copy, and is not dropped in silence.
    if (image.value.head.incarnation !== this.#head.incarnation) {
      return fail({ type: 'StorageGone', replaced: true });
    }
    this.#rewrite(image.value.pages);
    this.#file.accept();
    this.#head = image.value.head;
    this.#log = image.value.log;
    return succeed(true);
  }

  #pagesOf(record: LogRecord): ReadonlyMap<number, Uint8Array> | null {
    const { pageCount } = this.#file;
    return decodePages(record.changes, record.pageCount, (page) =>
      page <= pageCount ? this.#file.page(page) : null,
    );
  }

  #rewrite(image: ImagePages): void {
    this.#file.rewrite(image.pageCount, pagesOf(image), this.#readSomething);
  }

  #advance(record: LogRecord): void {
    this.#head = { ...this.#head, generation: this.#head.generation + 1, id: record.id };
    const { commits, bytes } = this.#log;
    this.#log = { commits: commits + 1, bytes: bytes + record.changes.length };
  }
}

function* pagesOf(image: ImagePages): Generator<readonly [number, Uint8Array]> {
  for (let page = 1; page <= image.pageCount; page += 1) yield [page, image.page(page)];
}
