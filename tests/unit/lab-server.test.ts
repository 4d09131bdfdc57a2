import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import schemaSql from '../../static/schema.sql?raw';
import { labServer } from '../../src/bridge/lab-server.ts';
import type { LabServer } from '../../src/bridge/lab-server.ts';
import type { LabView } from '../../src/bridge/views.ts';
import { CrashPlan } from '../../src/engine/crash.ts';
import { fail, succeed } from '../../src/engine/failure.ts';
import { inspectFile, type InspectedFile } from '../../src/storage/files/inspect-file.ts';
import type { ImageStorage } from '../../src/storage/image-storage.ts';
import { memoryStorage } from '../../src/storage/image-storage.ts';
import { cryptoRandom, randomId } from '../../src/storage/random.ts';
import { parseTickets } from '../../src/triage/ticket.ts';
import { memoryCallLog } from '../../src/world/call-log.ts';
import type { CallLog } from '../../src/world/call-log.ts';
import { connectDesk, connectHttp, serveDesk } from '../../src/world/desk-port.ts';
import { newDesk } from '../support/desk.ts';
import type { Parts } from '../support/lives.ts';
import { must, nobodyElse, open, steppingClock, stillTimer, testParts } from '../support/lives.ts';

let parts: Parts;
let storage: ImageStorage;
let log: CallLog;
const ports: MessagePort[] = [];
const clock = steppingClock();

beforeAll(async () => {
  parts = await testParts();
});
beforeEach(() => {
  storage = memoryStorage(clock);
  log = memoryCallLog();
});
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
});

/** One more worker's server over the same storage and the same outside world, opened. */
async function tab(): Promise<{ server: LabServer; view: LabView; crash: CrashPlan }> {
  const crash = new CrashPlan();
  const server = labServer({
    crash,
    clock,
    tickets: parseTickets(readFileSync('static/facility_tickets.csv', 'utf8')),
    sqljsVersion: 'test',
    workerId: randomId(cryptoRandom),
    images: () => storage,
    open: async () => {
      const { port1, port2 } = new MessageChannel();
      ports.push(port1, port2);
      serveDesk(port1, Promise.resolve(newDesk({ log, clock })));
      const database = await open(parts, storage.pages, crash, clock);
      const lab = { database, kept: storage.kept, sqlite: parts.sqlite, random: cryptoRandom, clock };
      const http = connectHttp(new MessageChannel().port1, crash, 5);
      return succeed({ storage: lab, desk: connectDesk(port2, crash, 5), http });
    },
    owners: () => nobodyElse,
    timer: stillTimer,
    random: () => 0.5,
    calling: () => undefined,
    sends: () => undefined,
  });
  const opened = await server.handlers.open({
    place: { type: 'indexeddb' },
    storageName: 'test',
    arms: [],
    selectedRunId: null,
    deskPort: new MessageChannel().port1,
    httpPort: new MessageChannel().port1,
    routes: {},
  });
  return { server, view: must(opened), crash };
}

async function completed(ticketId: string): Promise<{ server: LabServer; view: LabView }> {
  const { server } = await tab();
  let view = must(await server.handlers.start({ ticketId }));
  while (view.selected?.run.status === 'running') {
    view = must(await server.handlers.step(view.selected.run));
  }
  return { server, view };
}

/** A database that another program made: the three tables only, in the middle of a run. */
function foreignFile(change = ''): Uint8Array {
  const database = parts.sqlite.openScratch(null);
  database.exec(schemaSql);
  database.exec(`
    INSERT INTO agent_runs VALUES ('run-T104', 'T104', 'running', 'lookup_runbook',
      '{"priority":"urgent","ticket":{"area":"cold storage","outage_minutes":18,"safety_impact":"yes","ticket_id":"T104"}}', 1);
    INSERT INTO agent_events VALUES
      ('run-T104', 1, 'session-1', 'run_started', 'start', 'T104', '2026-01-05T09:00:00Z'),
      ('run-T104', 2, 'session-1', 'checkpoint_saved', 'classify_priority', 'version 1', '2026-01-05T09:00:01Z'),
      ('run-T104', 3, 'session-1', 'tool_executed', 'lookup_runbook', 'run-T104:lookup_runbook', '2026-01-05T09:00:02Z');
    INSERT INTO tool_effects VALUES ('run-T104:lookup_runbook', 'lookup_runbook', '{"next_step":"Saved elsewhere.","runbook_code":"X"}');
    ${change}`);
  const bytes = database.export();
  database.close();
  return bytes;
}

/** What looking at a file gives, in the file's own worker. */
function inspected(bytes: Uint8Array): InspectedFile {
  return must(inspectFile(parts.sqlite, cryptoRandom, bytes));
}

describe('a run in the lab', () => {
  test('it completes, holds every invariant, and its reply and counts come from the database', async () => {
    const { view } = await completed('T104');
    expect(view.selected?.run).toMatchObject({ runId: 'run-T104', status: 'completed', version: 4 });
    expect(view.invariants.map(({ id, violations }) => [id, violations])).toEqual(
      ['I1', 'I2', 'I3', 'I4', 'I5', 'I6', 'I7', 'I8'].map((id) => [id, 0]),
    );
    expect(view.counts).toEqual({ runs: 1, events: 7, effects: 2 });
    expect(view.calls.map((call) => call.tool)).toEqual(['lookup_runbook', 'draft_reply']);
    expect(view.selected?.actions.map(({ state, version }) => [state, version])).toEqual(
      [1, 2, 3, 4].map((n) => ['done', n]),
    );
    expect(view.lastCommit?.boundary).toBe('finish.checkpoint');
    expect(view.lastCommit?.changes.map(({ table, operation }) => [table, operation])).toEqual([
      ['agent_runs', 'update'],
      ['agent_checkpoints', 'insert'],
      ['agent_events', 'insert'],
    ]);
  });

  test('all six tickets can be run side by side', async () => {
    const { server } = await tab();
    for (const ticketId of ['T101', 'T102', 'T103', 'T104', 'T105', 'T106'])
      must(await server.handlers.start({ ticketId }));
    const view = must(await server.handlers.view({ selectedRunId: 'run-T102' }));
    expect(view.runs.map((run) => run.ticketId)).toEqual(['T101', 'T102', 'T103', 'T104', 'T105', 'T106']);
    expect(view.selected?.run.runId).toBe('run-T102');
  });

  test('another tab sees what this one wrote, and takes the run up as a session of its own', async () => {
    const a = await tab();
    const b = await tab();
    must(await a.server.handlers.start({ ticketId: 'T104' }));
    expect((await b.server.refreshed())?.counts.runs).toBe(1);
    expect(await b.server.refreshed()).toBeNull();
    const view = must(await b.server.handlers.step({ runId: 'run-T104', version: 0 }));
    expect(view.selected?.events.map((event) => event.session)).toEqual([
      'session-1',
      'session-2',
      'session-2',
    ]);
  });

  test('an unknown ticket is a failure, not a run', async () => {
    const { server } = await tab();
    expect(await server.handlers.start({ ticketId: 'T999' })).toEqual({
      ok: false,
      failure: { type: 'TicketNotFound', ticketId: 'T999' },
    });
  });
});

describe('reset and undo', () => {
  test('reset empties the lab and the world’s log; undo brings both back, in a later session too', async () => {
    const { server } = await completed('T104');
    const empty = must(await server.handlers.reset({}));
    expect(empty).toMatchObject({
      counts: { runs: 0, events: 0, effects: 0 },
      calls: [],
      undo: { runs: 1, what: 'reset' },
    });
    const later = await tab();
    expect(later.view.undo).toMatchObject({ runs: 1, what: 'reset' });
    const back = must(await later.server.handlers.undo({}));
    expect(back).toMatchObject({ counts: { runs: 1, events: 7, effects: 2 }, undo: null });
    expect(back.calls).toHaveLength(2);
    expect(await later.server.handlers.undo({})).toMatchObject({
      ok: false,
      failure: { type: 'NothingToUndo' },
    });
  });

  test('sessions of a reset lab are numbered from 1 again', async () => {
    const { server } = await completed('T104');
    must(await server.handlers.reset({}));
    const view = must(await server.handlers.start({ ticketId: 'T101' }));
    expect(view.selected?.events[0]?.session).toBe('session-1');
  });

  test('a tab that had a label before another tab reset the lab draws a new one: no two share a label', async () => {
    const a = await tab();
    must(await a.server.handlers.start({ ticketId: 'T101' }));
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T102' }));
    must(await b.server.handlers.reset({}));
    must(await b.server.handlers.start({ ticketId: 'T103' }));
    const view = must(await a.server.handlers.start({ ticketId: 'T104' }));
    expect(view.session).toBe('session-2');
    expect(view.selected?.events[0]?.session).toBe('session-2');
  });

  test('after undo the session goes on under the label it had', async () => {
    const { server } = await completed('T104');
    must(await server.handlers.reset({}));
    expect(must(await server.handlers.undo({})).session).toBe('session-1');
  });

  test('a reset in a tab that is behind keeps what other tabs wrote', async () => {
    const a = await tab();
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T102' }));
    must(await a.server.handlers.reset({}));
    expect(must(await a.server.handlers.undo({})).runs.map((run) => run.runId)).toEqual(['run-T102']);
  });

  test('what is kept is what was replaced, also when another tab commits in between', async () => {
    const a = await tab();
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T104' }));
    const { keep } = storage.kept;
    let once = true;
    storage.kept.keep = async (image, content) => {
      const kept = await keep.call(storage.kept, image, content);
      if (once) {
        once = false;
        must(await b.server.handlers.step({ runId: 'run-T104', version: 0 }));
      }
      return kept;
    };
    must(await a.server.handlers.reset({}));
    expect(must(await a.server.handlers.undo({})).selected?.run.version).toBe(1);
  });

  test('a reset that fails offers no undo, and the earlier one still works', async () => {
    const { server } = await completed('T101');
    must(await server.handlers.reset({}));
    const { commit } = storage.pages;
    storage.pages.commit = () => Promise.resolve(fail({ type: 'StorageFull', reason: 'no room' }));
    const refused = await server.handlers.importFile({ image: inspected(foreignFile()).image });
    expect(refused).toMatchObject({ ok: false, failure: { type: 'StorageFull' } });
    storage.pages.commit = commit;
    expect((await server.currentView())?.undo).toMatchObject({ what: 'reset', runs: 1 });
    expect(must(await server.handlers.undo({})).runs.map((run) => run.runId)).toEqual(['run-T101']);
  });

  test('undo goes back one replacement at a time', async () => {
    const { server } = await completed('T101');
    must(await server.handlers.reset({}));
    must(await server.handlers.importFile({ image: inspected(foreignFile()).image }));
    expect(must(await server.handlers.undo({}))).toMatchObject({ runs: [], undo: { what: 'reset' } });
    expect(must(await server.handlers.undo({}))).toMatchObject({ runs: [{ runId: 'run-T101' }], undo: null });
  });

  test('a start is done though the room of the former lab can’t be given back', async () => {
    const { server } = await completed('T101');
    must(await server.handlers.reset({}));
    storage.kept.delete = () => Promise.resolve(fail({ type: 'StorageFailed', reason: 'busy' }));
    log.keepOnly = () => Promise.resolve(fail({ type: 'StorageFailed', reason: 'busy' }));
    expect(must(await server.handlers.start({ ticketId: 'T102' }))).toMatchObject({
      undo: null,
      counts: { runs: 1 },
    });
    expect(await server.handlers.undo({})).toMatchObject({ failure: { type: 'NothingToUndo' } });
  });

  test('the next run ends the possibility to undo, and the world forgets the former lab', async () => {
    const labs: string[] = [];
    const { append } = log;
    log.append = (call) => {
      labs.push(call.lab);
      return append(call);
    };
    const { server } = await completed('T104');
    expect(labs).toHaveLength(2);
    must(await server.handlers.reset({}));
    const view = must(await server.handlers.start({ ticketId: 'T101' }));
    expect(view.undo).toBeNull();
    expect(await storage.kept.list()).toEqual({ ok: true, value: [] });
    for (const lab of labs) expect(must(await log.list(lab))).toEqual([]);
  });
});

describe('a session', () => {
  test('that draws a label in a copy of its own database shares it with nobody', async () => {
    const a = await tab();
    const exported = must(await a.server.handlers.exportDatabase({}));
    must(await a.server.handlers.start({ ticketId: 'T101' }));
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T102' }));
    must(await b.server.handlers.importFile({ image: exported }));
    const c = await tab();
    const sessions = [];
    for (const { server } of [c, b, a]) {
      sessions.push(must(await server.handlers.start({ ticketId: 'T103' })).selected?.events[0]?.session);
    }
    expect(sessions).toEqual(['session-1', 'session-2', 'session-3']);
  });

  test('whose first commit had no answer keeps its label, and its run is its own', async () => {
    const { server } = await tab();
    const { commit } = storage.pages;
    storage.pages.commit = async (head, record) => {
      storage.pages.commit = commit;
      await commit.call(storage.pages, head, record);
      return fail({ type: 'OutcomeUnknown', reason: 'no answer' });
    };
    const started = await server.handlers.start({ ticketId: 'T104' });
    expect(started).toMatchObject({ ok: false, failure: { type: 'OutcomeUnknown' } });
    expect((await server.currentView())?.runs).toHaveLength(1);
    const view = must(await server.handlers.step({ runId: 'run-T104', version: 0 }));
    expect(view.selected?.events.map((event) => [event.session, event.eventType])).toEqual([
      ['session-1', 'run_started'],
      ['session-1', 'checkpoint_saved'],
    ]);
  });
});

describe('a tab that is behind', () => {
  test('exports what is stored, not what it last saw', async () => {
    const a = await tab();
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T104' }));
    expect(must(await a.server.handlers.exportTrace({ runId: null })).split('\r\n')).toHaveLength(3);
    const bytes = must(await a.server.handlers.exportDatabase({}));
    expect(inspected(bytes).report).toMatchObject({ runs: 1 });
  });

  test('does not call a tool whose result another tab saved', async () => {
    const a = await tab();
    const b = await tab();
    must(await b.server.handlers.start({ ticketId: 'T104' }));
    must(await b.server.handlers.step({ runId: 'run-T104', version: 0 }));
    must(await b.server.handlers.step({ runId: 'run-T104', version: 1 }));
    const view = must(await a.server.handlers.step({ runId: 'run-T104', version: 2 }));
    expect(view.selected?.run.version).toBe(3);
    expect(view.calls.map((call) => call.tool)).toEqual(['lookup_runbook', 'draft_reply']);
  });
});

describe('opening a file from elsewhere', () => {
  test('a run that stands in the middle is adopted and resumed with its saved result', async () => {
    const { server } = await tab();
    const { image, report } = inspected(foreignFile());
    expect(report).toMatchObject({ runs: 1, events: 3, effects: 1, unfinished: 1 });
    let view = must(await server.handlers.importFile({ image }));
    expect(view.selected).toMatchObject({
      run: { runId: 'run-T104', version: 1 },
      obstacle: null,
      resumes: true,
    });
    while (view.selected?.run.status === 'running')
      view = must(await server.handlers.step(view.selected.run));
    expect(view.selected?.events.map((event) => event.eventType).slice(3)).toEqual([
      'run_adopted',
      'run_resumed',
      'tool_reused',
      'checkpoint_saved',
      'tool_executed',
      'checkpoint_saved',
      'checkpoint_saved',
    ]);
    expect(view.selected?.events[3]?.session).toBe('session-2');
    expect(view.selected?.report.at(-1)).toBe('final reply: Priority: urgent. Next step: Saved elsewhere.');
    expect(view.calls.map((call) => call.tool)).toEqual(['draft_reply']);
  });

  test('what was there comes back with undo', async () => {
    const { server } = await completed('T101');
    must(await server.handlers.importFile({ image: inspected(foreignFile()).image }));
    const view = must(await server.handlers.undo({}));
    expect(view.runs.map((run) => run.runId)).toEqual(['run-T101']);
  });

  test.each([
    ['not a database', () => new TextEncoder().encode('hello')],
    ['cut off', () => foreignFile().slice(0, 6000)],
    ['without tool_effects', () => foreignFile('DROP TABLE tool_effects;')],
    [
      'with a trigger on our table',
      () => foreignFile('CREATE TRIGGER t AFTER UPDATE ON agent_runs BEGIN DELETE FROM agent_events; END;'),
    ],
    ['a file that was not looked at', () => foreignFile()],
  ])('what is %s is refused with a reason, and nothing changes', async (_, bytes) => {
    const { server, view: before } = await completed('T101');
    const refused = await server.handlers.importFile({ image: bytes() });
    expect(refused).toMatchObject({ ok: false, failure: { type: 'FileRefused' } });
    const after = must(await server.handlers.view({ selectedRunId: null }));
    expect(after.runs).toEqual(before.runs);
    expect(after.storage.generation).toBe(before.storage.generation);
    expect(after.undo).toBeNull();
  });

  test('an exported database opens again as it was', async () => {
    const { server, view } = await completed('T104');
    const bytes = must(await server.handlers.exportDatabase({}));
    must(await server.handlers.reset({}));
    const opened = must(await server.handlers.importFile({ image: bytes }));
    expect(opened.selected?.events).toEqual(view.selected?.events);
  });
});
