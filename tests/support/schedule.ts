/**
 * Owns: two workers on one run, moved in small steps by a schedule: each commit waits at a gate, each call for its answer;
 * workers die anywhere, time passes, persons decide. The desk knows the truth.
 * Leaves: drawing schedules, and what must hold, to effect-schedules.test.ts.
 */
import { decideApproval } from '../../src/engine/approvals.ts';
import { resolveDoubt, takeOver } from '../../src/engine/doubt.ts';
import type { Result, StorageFailure } from '../../src/engine/failure.ts';
import { succeed } from '../../src/engine/failure.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { KeyStatus, ToolAnswer, ToolRequest, Tools } from '../../src/engine/ports.ts';
import { retryRun } from '../../src/engine/status.ts';
import { startRun } from '../../src/engine/start.ts';
import type { Action, Workflow } from '../../src/engine/workflow.ts';
import type { MemoryPageStore } from '../../src/storage/memory-page-store.ts';
import type { CommitOutcome, PageStore } from '../../src/storage/page-store.ts';
import type { Head, LogRecord } from '../../src/storage/stored-records.ts';
import { must } from './lives.ts';
import type { Outside, Worker } from './outside.ts';
import { actTool, newOutside, stepOf, storedIn, workerIn, workflowWith, workRun } from './outside.ts';

/** What becomes of a call when it arrives. `lost`: the work is done, nobody hears of it. `cut`: it never arrives whole. */
export const fates = ['done', 'done', 'fails', 'lost', 'cut'] as const;
export type Fate = (typeof fates)[number];

export type Move =
  /** `fresh`: it first takes in what the other one wrote, as the lab does. */
  | { readonly type: 'step'; readonly worker: number; readonly fresh: boolean }
  | { readonly type: 'go' | 'answer'; readonly worker: number }
  /** `arrives`: was a commit that waits at the gate written all the same? */
  | { readonly type: 'die'; readonly worker: number; readonly arrives: boolean }
  | { readonly type: 'time'; readonly seconds: number }
  | { readonly type: 'person' | 'take over' };

/** Each commit waits here until the schedule lets it go. */
class GatedStore implements PageStore {
  readonly kind = 'memory';
  readonly #store: MemoryPageStore;
  #waiting: { readonly write: () => Promise<unknown>; readonly go: () => void } | null = null;

  constructor(store: MemoryPageStore) {
    this.#store = store;
  }

  async commit(head: Head, record: LogRecord): Promise<Result<CommitOutcome, StorageFailure>> {
    await new Promise<void>((go) => {
      this.#waiting = { write: () => this.#store.commit(head, record), go };
    });
    return this.#store.commit(head, record);
  }

  go(): void {
    this.#waiting?.go();
    this.#waiting = null;
  }

  /** Whoever waits is dead. */
  async abandon(arrives: boolean): Promise<void> {
    if (arrives) await this.#waiting?.write();
    this.#waiting = null;
  }

  open() {
    return this.#store.open();
  }
  create(...values: Parameters<PageStore['create']>) {
    return this.#store.create(...values);
  }
  refresh(head: Head) {
    return this.#store.refresh(head);
  }
  compact(...values: Parameters<PageStore['compact']>) {
    return this.#store.compact(...values);
  }
  quarantine(...values: Parameters<PageStore['quarantine']>) {
    return this.#store.quarantine(...values);
  }
  close(): void {
    this.#store.close();
  }
}

const calling = (name: string, next: string, calls: Action['calls']): Action => ({
  name,
  next,
  tool: null,
  ...(calls && { calls }),
  apply: (context, result) => succeed({ ...context, [name]: result }),
});

/** One of each safety in one action, and one more call after it. */
export const scheduled: Workflow = {
  ...workflowWith([
    actTool({ name: 'look', safety: 'read', attempts: 2 }),
    actTool({ name: 'order', attempts: 2 }),
    actTool({ name: 'page', safety: 'at-most-once', approval: () => 'It wakes somebody.', attempts: 2 }),
  ]),
  budgets: { tool_calls: 1000 },
  actions: [
    calling('many', 'one', () =>
      succeed(['look', 'order', 'page'].map((tool) => ({ id: tool, tool, arguments: { of: tool } }))),
    ),
    calling('one', 'end', () => succeed([{ id: null, tool: 'order', arguments: { more: true } }])),
    { name: 'end', next: null, tool: null, apply: (context) => succeed(context) },
  ],
};

interface Place {
  readonly worker: Worker;
  readonly store: GatedStore;
  /** Answer the calls that are out, the oldest first. */
  readonly answers: (() => void)[];
}

export class Schedule {
  readonly world: Outside;
  readonly calls: ToolRequest[] = [];
  /** How often the work was really done, and with which result first, by key. */
  readonly works = new Map<string, { times: number; readonly result: JsonObject }>();
  /** Definite failures that were told, and second calls that a person asked for, by key. */
  readonly allowed = new Map<string, number>();
  readonly #fates: Fate[];
  readonly #canTell: boolean;
  readonly #person: Worker;
  #places: Place[] = [];

  private constructor(world: Outside, person: Worker, drawn: readonly Fate[], canTell: boolean) {
    this.world = world;
    this.#person = person;
    this.#fates = [...drawn];
    this.#canTell = canTell;
  }

  static async begin(drawn: readonly Fate[], hasLocks: boolean, canTell: boolean): Promise<Schedule> {
    const world = await newOutside();
    world.hasLocks = hasLocks;
    const person = await workerIn(world, { workflows: [scheduled] });
    must(await startRun(person.engine, 'T1', {}));
    const schedule = new Schedule(world, person, drawn, canTell);
    schedule.#places = [await schedule.#newPlace(), await schedule.#newPlace()];
    return schedule;
  }

  async move(move: Move): Promise<void> {
    switch (move.type) {
      case 'step':
        this.#step(this.#at(move.worker), move.fresh);
        break;
      case 'go':
        this.#at(move.worker).store.go();
        break;
      case 'answer':
        this.#at(move.worker).answers.shift()?.();
        break;
      case 'die': {
        const place = this.#at(move.worker);
        place.worker.die();
        await place.store.abandon(move.arrives);
        this.#places[move.worker] = await this.#newPlace();
        break;
      }
      case 'time':
        this.world.clock.turnBy(move.seconds * 1000);
        for (const { worker } of this.#places) worker.timer.pass(move.seconds * 1000);
        break;
      case 'person':
        await this.#decide();
        break;
      case 'take over':
        await this.#takeOver();
    }
    await quiet();
  }

  /** From here on nobody dies, every call goes well, and a person is there. */
  async toTheEnd(): Promise<void> {
    this.#fates.length = 0;
    for (let round = 0; round < 60; round += 1) {
      const { run } = await this.stored();
      if (run.status === 'completed') return;
      for (const worker of [0, 1]) {
        await this.move({ type: 'step', worker, fresh: true });
        for (let small = 0; small < 6; small += 1) {
          await this.move({ type: 'go', worker });
          await this.move({ type: 'answer', worker });
        }
      }
      await this.move({ type: 'person' });
      await this.move({ type: 'time', seconds: 5 });
    }
    throw new Error('the run comes to no end');
  }

  stored() {
    return storedIn(this.world, workRun, [scheduled]);
  }

  #at(worker: number): Place {
    const place = this.#places[worker];
    if (place === undefined) throw new Error('no such worker');
    return place;
  }

  async #newPlace(): Promise<Place> {
    const store = new GatedStore(this.world.store);
    const tools: Tools = {
      call: (request) => {
        worker.plan.assertAlive();
        const answer = this.#receive(request);
        return new Promise((resolve) => {
          place.answers.push(() => {
            if (worker.plan.crashedAt === null) resolve(answer);
          });
        });
      },
      status: (request) => {
        worker.plan.assertAlive();
        return Promise.resolve(this.#statusOf(request));
      },
      destinationOf: () => null,
    };
    const worker = await workerIn(this.world, { workflows: [scheduled], store, engine: { tools } });
    const place: Place = { worker, store, answers: [] };
    return place;
  }

  /** It may be asked for a second step while the first is under way. Of the dead no step ends. */
  #step({ worker }: Place, fresh: boolean): void {
    const step = async () => {
      if (fresh) must(await worker.database.refresh());
      await stepOf(worker);
    };
    step().catch((error: unknown) => {
      if (worker.plan.crashedAt === null) throw error;
    });
  }

  #receive(request: ToolRequest): ToolAnswer {
    this.calls.push(request);
    const { key } = request;
    const fate = this.#fates.shift() ?? 'done';
    if (fate === 'fails') {
      this.#allow(key);
      return { type: 'failed', reason: 'down', retryable: true };
    }
    if (fate === 'cut') return { type: 'unknown', reason: 'cut' };
    const known = this.works.get(key);
    const result = known?.result ?? { number: this.works.size + 1 };
    const recognises = request.tool === 'order';
    this.works.set(key, { times: known === undefined ? 1 : known.times + (recognises ? 0 : 1), result });
    return fate === 'lost' ? { type: 'unknown', reason: 'lost' } : { type: 'done', result };
  }

  #statusOf({ key }: ToolRequest): KeyStatus {
    const known = this.works.get(key);
    if (!this.#canTell) return { type: 'cannot_tell', reason: 'no book' };
    return known === undefined ? { type: 'not_received' } : { type: 'done', result: known.result };
  }

  #allow(key: string): void {
    this.allowed.set(key, (this.allowed.get(key) ?? 0) + 1);
  }

  /** Says yes; looks at the desk before a call in doubt is made again; tries a failed run again. */
  async #decide(): Promise<void> {
    const { engine, database } = this.#person;
    must(await database.refresh());
    const { run, approvals, intents } = await this.stored();
    const asked = approvals.find(({ state }) => state === 'requested');
    const doubted = intents.find(({ state }) => state === 'in_doubt');
    if (asked) must(await decideApproval(engine, asked.approvalId, asked.argumentsHash, 'given'));
    else if (doubted) {
      const known = this.works.get(doubted.key);
      if (known === undefined) this.#allow(doubted.key);
      must(
        await resolveDoubt(
          engine,
          doubted.key,
          known === undefined ? { type: 'retry' } : { type: 'result', result: known.result },
        ),
      );
    } else if (run.status === 'failed') must(await retryRun(engine, workRun, run.version, 0));
  }

  async #takeOver(): Promise<void> {
    const { engine, database } = this.#person;
    must(await database.refresh());
    const { intents, attempts } = await this.stored();
    const open = attempts.find(
      ({ key, outcome }) =>
        outcome === null && intents.some((one) => one.key === key && one.state === 'pending'),
    );
    if (open) must(await takeOver(engine, open.key, open.fence));
  }
}

/** Everything that can go on by itself has. */
function quiet(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
