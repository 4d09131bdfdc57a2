/**
 * Owns: the commands of the lab, on one open database.
 * Leaves: turns and replies to server.ts; the rules of a run to engine/; what is shown to lab-view.ts.
 */
import { loadRun } from '../engine/checkpoint.ts';
import type { CrashPlan } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import { labelOf } from '../engine/events.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import { decideApproval } from '../engine/approvals.ts';
import { resolveDoubt, takeOver, tryNow } from '../engine/doubt.ts';
import { deleteRuns } from '../engine/retention.ts';
import { step, takeUp } from '../engine/runner.ts';
import { adoptRun, startRun } from '../engine/start.ts';
import { retryRun } from '../engine/status.ts';
import { checkInspected } from '../storage/files/inspect-file.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import { freshImage } from '../storage/schema.ts';
import type { LabStorage } from './lab-storage.ts';
import {
  deleteFormer,
  dropUnreachable,
  readLabId,
  readUndoName,
  replaceLab,
  storageView,
  undoReplacement,
  undoView,
} from './lab-storage.ts';
import { writeSql } from './console-write.ts';
import { traceCsv } from './trace.ts';
import type { Ticket } from '../triage/ticket.ts';
import { ticketToJson } from '../triage/ticket.ts';
import { workflows } from '../triage/workflows.ts';
import type { DeskClient, OutsideClient } from '../world/desk-port.ts';
import { readTables } from './lab-view.ts';
import { outsideTools } from './outside-tools.ts';
import { fork } from './fork-command.ts';
import type { Params, Routes } from './protocol.ts';
import type { EndTurn, Handlers, Work } from './server.ts';
import { StatementLog } from './statement-log.ts';
import { storedImages } from './stored-images.ts';
import type { LabView, RunView } from './views.ts';

export interface LabParts {
  readonly crash: CrashPlan;
  readonly clock: Clock;
  readonly tickets: readonly Ticket[];
  readonly sqljsVersion: string;
  /** Random, new for each life of a worker. */
  readonly workerId: string;
  /** Where the page wants the images to be. */
  images(params: Params<'open'>): ImageStorage;
  /** Opens the database there, and the ways outside. */
  open(
    params: Params<'open'>,
    images: ImageStorage,
  ): Promise<
    Result<{ readonly storage: LabStorage; readonly desk: DeskClient; readonly http: OutsideClient }>
  >;
  owners(params: Params<'open'>): Engine['owners'];
  readonly timer: Engine['timer'];
  readonly random: Engine['random'];
  /** A step's call has left: the page is to be shown the lab meanwhile. */
  calling(): void;
  /** The page is to connect the worker that sends to addresses. */
  sends(): void;
}

interface OpenLab {
  readonly storage: LabStorage;
  readonly desk: DeskClient;
  readonly engine: Engine;
}

export interface LabServer extends Work {
  view(): Promise<LabView>;
  /** Reads what another tab wrote; null if nothing is new. */
  refreshed(): Promise<LabView | null>;
}

export function labServer(parts: LabParts): LabServer {
  const { crash, clock } = parts;
  const statements = new StatementLog();
  let images: ImageStorage | null = null;
  let lab: OpenLab | null = null;
  let selectedRunId: string | null = null;
  let serial = 0;
  let labId = '';
  let routes: Routes = {};
  let reached: readonly string[] = [];
  let writesUnlocked = false;
  /** Of the step that has its turn. */
  let endTurn: EndTurn = () => undefined;

  function opened(): OpenLab {
    if (lab === null) throw new Error('a command came before open, or after open failed');
    return lab;
  }

  async function view(): Promise<LabView> {
    const { storage, desk, engine } = opened();
    const { id, undoName, label, tables } = await storage.database.read((reader) => ({
      id: readLabId(reader),
      undoName: readUndoName(reader),
      label: labelOf(engine, reader),
      tables: readTables(reader, engine, parts.tickets, selectedRunId),
    }));
    labId = id;
    const calls = await desk.list(labId);
    const undo = await undoView(storage, undoName);
    selectedRunId = tables.selected?.run.runId ?? null;
    serial += 1;
    const shown = storageView(storage);
    return {
      serial,
      ...tables,
      selected: tables.selected && asReadOnly(tables.selected, shown.readOnly),
      lastCommit: storage.database.lastCommit,
      reached,
      session: label,
      calls: calls.ok ? calls.value : [],
      worldFailure: calls.ok ? null : calls.failure,
      storage: shown,
      undo,
      versions: { sqlite: storage.sqlite.version, sqljs: parts.sqljsVersion },
    };
  }
  /** Takes in what other tabs wrote, then does the work, then shows the lab; or says why the work was not done. */
  async function shown(work: (lab: OpenLab) => Promise<Result<unknown>>): Promise<Result<LabView>> {
    const refreshed = await opened().storage.database.refresh();
    const from = crash.reached.length;
    const done = refreshed.ok ? await work(opened()) : refreshed;
    if (crash.reached.length > from) reached = crash.reached.slice(from);
    return done.ok ? succeed(await view()) : done;
  }
  /** Reads what is stored now, other tabs' work included. */
  async function fresh<T>(read: (lab: OpenLab) => Promise<T>): Promise<Result<T>> {
    const refreshed = await opened().storage.database.refresh();
    return refreshed.ok ? succeed(await read(opened())) : refreshed;
  }

  /** Goes on with a run that is as it was seen; else nothing is done, and the conflict is told (R3). */
  function goOn(
    { runId, version }: Params<'step'>,
    work: (engine: Engine) => Promise<Result<unknown>>,
  ): Promise<Result<LabView>> {
    selectedRunId = runId;
    return shown(async ({ engine }) => {
      const run = await engine.database.read((reader) => loadRun(reader, runId));
      if (run?.status === 'running' && run.version !== version) {
        return fail({ type: 'StateConflict', runId, expected: version, stored: run.version });
      }
      return work(engine);
    });
  }

  const handlers: Handlers = {
    ...storedImages(() => {
      if (images === null) throw new Error('a command came before open');
      return images;
    }),
    open: async (params) => {
      crash.arm(params.arms);
      images = parts.images(params);
      const result = await parts.open(params, images);
      if (!result.ok) return result;
      const { storage, desk, http } = result.value;
      selectedRunId = params.selectedRunId;
      routes = params.routes;
      const tools = outsideTools({
        desk,
        http,
        labId: () => labId,
        routes: () => routes,
        isSlow,
        calling: () => {
          endTurn();
          parts.calling();
        },
        sends: parts.sends,
      });
      const { database } = storage;
      database.watchStatements(statements);
      const { workerId, timer, random } = parts;
      const owners = parts.owners(params);
      const calls: Engine['calls'] = new Map();
      lab = {
        storage,
        desk,
        engine: { database, clock, timer, random, crash, tools, owners, workflows, workerId, calls },
      };
      const { readOnly } = database.state;
      if (readOnly === null) return succeed(await view());
      try {
        return succeed(await view());
      } catch {
        // A newer page's tables need not be what this one asks for.
        lab = null;
        return fail(readOnly);
      }
    },
    view: (params) => {
      selectedRunId = params.selectedRunId;
      return shown(() => Promise.resolve(succeed(null)));
    },
    start: async ({ ticketId, workflow }) => {
      const ticket = parts.tickets.find((candidate) => candidate.ticketId === ticketId);
      if (ticket === undefined) return fail({ type: 'TicketNotFound', ticketId });
      return shown(async ({ engine, storage, desk }) => {
        const wanted = workflows.find(({ name }) => name === workflow);
        const started = await startRun(engine, ticketId, { ticket: ticketToJson(ticket) }, wanted);
        if (!started.ok) return started;
        selectedRunId = started.value.runId;
        // The run is durable. Room that can't be given back now is given back at the next start.
        await dropUnreachable(storage);
        await desk.keepOnly([await storage.database.read(readLabId)]);
        return started;
      });
    },
    refresh: async () => {
      const refreshed = await opened().storage.database.refresh();
      if (!refreshed.ok) return refreshed;
      return succeed(refreshed.value ? await view() : null);
    },
    resume: (params) => goOn(params, (engine) => takeUp(engine, params.runId)),
    step: (params, itsTurnEnds = () => undefined) =>
      goOn(params, (engine) => {
        endTurn = itsTurnEnds;
        return step(engine, params.runId);
      }),
    decide: ({ approvalId, argumentsHash, decision }) =>
      shown(({ engine }) => decideApproval(engine, approvalId, argumentsHash, decision)),
    resolveDoubt: ({ key, resolution }) => shown(({ engine }) => resolveDoubt(engine, key, resolution)),
    tryNow: ({ key }) => shown(({ engine }) => tryNow(engine, key)),
    takeOver: ({ key, fence }) => shown(({ engine }) => takeOver(engine, key, fence)),
    retryRun: ({ runId, version, more }) => shown(({ engine }) => retryRun(engine, runId, version, more)),
    adopt: ({ runId }) => shown(({ engine }) => adoptRun(engine, runId)),
    fork: (params) =>
      shown(async ({ engine }) => {
        const forked = await fork(engine, params);
        if (forked.ok) selectedRunId = forked.value.runId;
        return forked;
      }),
    look: ({ runId }) =>
      fresh(async ({ storage, engine }) => {
        const { selected } = await storage.database.read((reader) =>
          readTables(reader, engine, parts.tickets, runId),
        );
        return selected?.run.runId === runId ? selected : null;
      }),
    deleteRuns: ({ runIds }) =>
      shown(async ({ engine, storage }) => {
        const deleted = await deleteRuns(engine, runIds);
        return deleted.ok && deleted.value > 0 ? storage.database.vacuum() : deleted;
      }),
    route: (params) => {
      routes = params.routes;
      return Promise.resolve(succeed(null));
    },
    arm: ({ arms }) => {
      crash.arm(arms);
      return Promise.resolve(succeed(null));
    },
    reset: () =>
      shown(({ storage }) => replaceLab(storage, 'reset', freshImage(storage.sqlite, storage.random))),
    importFile: ({ image }) =>
      shown(async ({ storage }) => {
        const checked = checkInspected(storage.sqlite, image);
        return checked.ok ? replaceLab(storage, 'opened', image) : checked;
      }),
    undo: () => shown(({ storage }) => undoReplacement(storage)),
    exportDatabase: () => fresh(({ storage }) => storage.database.image()),
    exportTrace: ({ runId }) =>
      fresh(({ storage }) => storage.database.read((reader) => traceCsv(reader, runId))),
    exportMemory: async () => succeed(await opened().storage.database.image()),
    readCopy: async () => {
      const { database } = opened().storage;
      const image = await database.image();
      return succeed({ image, generation: database.state.generation });
    },
    unlockWrites: ({ unlocked }) => {
      writesUnlocked = unlocked;
      return Promise.resolve(succeed(null));
    },
    write: (params) =>
      writesUnlocked
        ? shown(({ storage }) => writeSql(storage.database, clock, params))
        : Promise.resolve(fail({ type: 'SqlRefused', reason: 'writing is locked in this session' })),
    statements: () => Promise.resolve(succeed(statements.view)),
    storeAgain: async () => {
      const stored = await opened().storage.database.storeAgain();
      if (!stored.ok) return stored;
      return stored.value ? succeed(await view()) : fail({ type: 'StorageGone', replaced: true });
    },
    deleteFormer: async () => {
      const deleted = await deleteFormer(opened().storage);
      return deleted.ok ? succeed(await view()) : deleted;
    },
  };

  return {
    handlers,
    view,
    currentView: async () => {
      // What a failed request shows must know what became of a commit whose outcome was unknown.
      const current = lab === null ? null : await fresh(view);
      return current?.ok ? current.value : null;
    },
    // A fold that fails leaves the log as it is: a later idle moment tries again.
    whenIdle: async () => void (await lab?.storage.database.compactIfWorthwhile()),
    refreshed: async () => {
      const refreshed = await lab?.storage.database.refresh();
      return refreshed?.ok && refreshed.value ? view() : null;
    },
  };
}

const slowTools = new Set(workflows.flatMap(({ tools }) => tools ?? []).map(({ name }) => name));
const isSlow = (tool: string): boolean => slowTools.has(tool);

/** A run in a newer page's database is shown and not continued. */
function asReadOnly(selected: RunView, readOnly: Failure | null): RunView {
  return readOnly !== null && selected.run.status === 'running'
    ? { ...selected, obstacle: readOnly }
    : selected;
}
