/**
 * Owns: the lab on one open database: opening, showing, taking in what other tabs wrote, and its commands.
 * Leaves: those that work on runs to run-commands.ts; turns and replies to server.ts; the rules of a run to engine/; what is shown to lab-view.ts.
 */
import type { Engine } from '../engine/engine.ts';
import { labelOf } from '../engine/events.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import { checkInspected } from '../storage/files/inspect-file.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import { freshImage } from '../storage/schema.ts';
import {
  deleteFormer,
  readLabId,
  readUndoName,
  replaceLab,
  storageView,
  undoReplacement,
  undoView,
} from './lab-storage.ts';
import { writeSql } from './console-write.ts';
import { traceCsv } from './trace.ts';
import { workflows } from '../triage/workflows.ts';
import { readTables } from './lab-view.ts';
import type { LabParts, OpenLab } from './open-lab.ts';
import { outsideTools } from './outside-tools.ts';
import type { Routes } from './protocol.ts';
import { runCommands } from './run-commands.ts';
import type { EndTurn, Handlers, Work } from './server.ts';
import { StatementLog } from './statement-log.ts';
import { storedImages } from './stored-images.ts';
import type { LabView, RunView } from './views.ts';

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

  const handlers: Handlers = {
    ...runCommands(parts.tickets, {
      shown,
      select: (runId) => {
        selectedRunId = runId;
      },
      callLeaves: (itsTurnEnds) => {
        endTurn = itsTurnEnds;
      },
    }),
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
    refresh: async () => {
      const refreshed = await opened().storage.database.refresh();
      if (!refreshed.ok) return refreshed;
      return succeed(refreshed.value ? await view() : null);
    },
    look: ({ runId }) =>
      fresh(async ({ storage, engine }) => {
        const { selected } = await storage.database.read((reader) =>
          readTables(reader, engine, parts.tickets, runId),
        );
        return selected?.run.runId === runId ? selected : null;
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
