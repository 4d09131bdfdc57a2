/**
 * Owns: the commands of the lab, on one open database.
 * Leaves: turns and replies to server.ts; the rules of a run to engine/; what is shown to lab-view.ts.
 */
import type { CrashPlan } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import { labelOf, readLabId } from '../engine/events.ts';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import { step } from '../engine/runner.ts';
import { resumeRun, startRun } from '../engine/start.ts';
import { inspectFile } from '../storage/import-file.ts';
import { freshImage } from '../storage/schema.ts';
import type { LabStorage } from './lab-storage.ts';
import {
  dropUndo,
  keepForUndo,
  quarantinedBytes,
  quarantinedImages,
  storageView,
  undoImage,
  undoView,
} from './lab-storage.ts';
import { traceCsv } from './trace.ts';
import type { Ticket } from '../triage/ticket.ts';
import { ticketToJson } from '../triage/ticket.ts';
import { triage } from '../triage/workflow.ts';
import type { DeskClient } from '../world/desk-port.ts';
import { readTables } from './lab-view.ts';
import type { Params } from './protocol.ts';
import type { Handlers, Work } from './server.ts';
import type { LabView } from './views.ts';

export interface LabParts {
  readonly crash: CrashPlan;
  readonly clock: Clock;
  readonly tickets: readonly Ticket[];
  readonly sqljsVersion: string;
  /** Opens the database where the page wants it, and the way to the desk. */
  open(params: Params<'open'>): Promise<Result<{ readonly storage: LabStorage; readonly desk: DeskClient }>>;
}

interface OpenLab {
  readonly storage: LabStorage;
  readonly desk: DeskClient;
  readonly engine: Engine;
}

export interface LabServer extends Work {
  /** Reads what another tab wrote; null if nothing is new. */
  refreshed(): Promise<LabView | null>;
}

export function labServer(parts: LabParts): LabServer {
  const { crash, clock } = parts;
  let lab: OpenLab | null = null;
  let selectedRunId: string | null = null;
  let serial = 0;

  function opened(): OpenLab {
    if (lab === null) throw new Error('a command came before open, or after open failed');
    return lab;
  }

  async function view(): Promise<Result<LabView>> {
    const { storage, desk, engine } = opened();
    const { labId, label, tables } = await storage.database.read((reader) => ({
      labId: readLabId(reader),
      label: labelOf(engine.session, reader),
      tables: readTables(reader, engine.session, parts.tickets, selectedRunId),
    }));
    const calls = await desk.list(labId);
    const undo = await undoView(storage, tables.counts.runs);
    if (!undo.ok) return undo;
    selectedRunId = tables.selected?.run.runId ?? null;
    serial += 1;
    return succeed({
      serial,
      ...tables,
      lastCommit: storage.database.lastCommit,
      session: label,
      calls: calls.ok ? calls.value : [],
      worldFailure: calls.ok ? null : calls.failure,
      storage: storageView(storage),
      undo: undo.value,
      versions: { sqlite: storage.sqlite.version, sqljs: parts.sqljsVersion },
    });
  }
  /** The view after something was done, or why it was not done. */
  async function viewAfter(done: Result<unknown>): Promise<Result<LabView>> {
    return done.ok ? view() : done;
  }
  /** Takes in what other tabs wrote before anything builds on it. */
  async function upToDate(): Promise<Result<OpenLab>> {
    const refreshed = await opened().storage.database.refresh();
    return refreshed.ok ? succeed(opened()) : refreshed;
  }
  /** Puts an image in place of the lab's. */
  async function replace(boundary: string, bytes: Uint8Array): Promise<Result<unknown>> {
    const replaced = await opened().storage.database.replace(boundary, bytes);
    if (replaced.ok) {
      selectedRunId = null;
    }
    return replaced;
  }

  const handlers: Handlers = {
    open: async (params) => {
      crash.arm(params.arms);
      const result = await parts.open(params);
      if (!result.ok) return result;
      const { storage, desk } = result.value;
      selectedRunId = params.selectedRunId;
      const tools: Engine['tools'] = {
        call: async (request) => desk.call(await storage.database.read(readLabId), request),
      };
      const { database } = storage;
      lab = {
        storage,
        desk,
        engine: { database, clock, crash, tools, workflow: triage, session: { drawn: null } },
      };
      return view();
    },
    view: async (params) => {
      selectedRunId = params.selectedRunId;
      return viewAfter(await upToDate());
    },
    start: async ({ ticketId }) => {
      const ready = await upToDate();
      if (!ready.ok) return ready;
      const { engine, storage, desk } = ready.value;
      const ticket = parts.tickets.find((candidate) => candidate.ticketId === ticketId);
      if (ticket === undefined) return fail({ type: 'TicketNotFound', ticketId });
      const started = await startRun(engine, ticketId, { ticket: ticketToJson(ticket) });
      if (!started.ok) return started;
      selectedRunId = started.value.runId;
      const dropped = await dropUndo(storage);
      if (!dropped.ok) return dropped;
      const kept = await desk.keepOnly([await storage.database.read(readLabId)]);
      return viewAfter(kept);
    },
    resume: async ({ runId }) => {
      selectedRunId = runId;
      const ready = await upToDate();
      return viewAfter(ready.ok ? await resumeRun(ready.value.engine, runId) : ready);
    },
    step: async ({ runId }) => {
      selectedRunId = runId;
      const ready = await upToDate();
      return viewAfter(ready.ok ? await step(ready.value.engine, runId) : ready);
    },
    arm: ({ arms }) => {
      crash.arm(arms);
      return Promise.resolve(succeed(null));
    },
    reset: async () => {
      const { storage } = opened();
      const kept = await keepForUndo(storage, 'reset');
      return viewAfter(kept.ok ? await replace('reset', freshImage(storage.sqlite, storage.random)) : kept);
    },
    inspectFile: ({ bytes }) => {
      const file = inspectFile(opened().storage.sqlite, bytes);
      return Promise.resolve(file.ok ? succeed(file.value.report) : file);
    },
    importFile: async ({ bytes }) => {
      const { storage } = opened();
      const file = inspectFile(storage.sqlite, bytes);
      if (!file.ok) return file;
      const kept = await keepForUndo(storage, 'opened');
      return viewAfter(kept.ok ? await replace('import', file.value.image) : kept);
    },
    undo: async () => {
      const { storage } = opened();
      const image = await undoImage(storage);
      if (!image.ok) return image;
      const replaced = await replace('undo', image.value);
      return viewAfter(replaced.ok ? await dropUndo(storage) : replaced);
    },
    exportDatabase: async () => succeed(await opened().storage.database.image()),
    exportTrace: async ({ runId }) =>
      succeed(await opened().storage.database.read((reader) => traceCsv(reader, runId))),
    quarantined: () => quarantinedImages(opened().storage),
    exportQuarantined: ({ name }) => quarantinedBytes(opened().storage, name),
    deleteQuarantined: async ({ name }) => {
      const { storage } = opened();
      const deleted = await storage.kept.delete(name);
      return deleted.ok ? quarantinedImages(storage) : deleted;
    },
  };

  async function currentView(): Promise<LabView | null> {
    if (lab === null) return null;
    const result = await view();
    return result.ok ? result.value : null;
  }
  return {
    handlers,
    currentView,
    // A fold that fails leaves the log as it is: the next idle moment tries again.
    whenIdle: async () => void (await lab?.storage.database.compactIfWorthwhile()),
    refreshed: async () => {
      if (lab === null) return null;
      const result = await lab.storage.database.refresh();
      return result.ok && result.value ? currentView() : null;
    },
  };
}
