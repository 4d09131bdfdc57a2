/**
 * Owns: appending to agent_events, and the label of a session.
 * Leaves: which events belong into one transaction with what to checkpoint.ts, execute-once.ts and start.ts (R2).
 * Invariant: a run's sequence starts at 1 and has no gaps, whatever the session and the clock (R7).
 */
import type { Engine } from './engine.ts';
import type { Reader, Transaction } from './ports.ts';
import type { EventType } from './records.ts';

export interface NewEvent {
  readonly runId: string;
  readonly type: EventType;
  readonly action: string;
  readonly detail: string;
}

/** Appends the event inside the caller's transaction and announces `<boundary>.event_appended`. */
export function appendEvent(
  engine: Pick<Engine, 'clock' | 'crash'>,
  transaction: Transaction,
  boundary: string,
  session: string,
  event: NewEvent,
): void {
  transaction.run(
    `INSERT INTO agent_events (run_id, sequence, session, event_type, action, detail, created_at_utc)
     SELECT ?1, COALESCE(MAX(sequence), 0) + 1, ?2, ?3, ?4, ?5, ?6 FROM agent_events WHERE run_id = ?1`,
    [event.runId, session, event.type, event.action, event.detail, engine.clock.now()],
  );
  engine.crash.reach(`${boundary}.event_appended`);
}

/** This worker's label, or null before its first event in this database. One life of a worker is a session. */
export function labelOf(engine: Pick<Engine, 'workerId'>, reader: Reader): string | null {
  const row = reader.get('SELECT number FROM agent_sessions WHERE worker = ?', [engine.workerId]);
  return row === undefined ? null : `session-${String(row['number'])}`;
}

/**
 * This worker's label, `session-N`, drawn inside the transaction of its first event: N is one more than the highest
 * ever given, so two tabs never share a label and deleting runs never brings one back.
 */
export function drawLabel(engine: Pick<Engine, 'workerId'>, transaction: Transaction): string {
  const known = labelOf(engine, transaction);
  if (known !== null) return known;
  // Labels of more than nine digits are not ours: a file from elsewhere may hold any text.
  const highest = transaction.get(
    `SELECT MAX(
       COALESCE((SELECT MAX(number) FROM agent_sessions), 0),
       COALESCE((SELECT MAX(CAST(substr(session, 9) AS INTEGER)) FROM agent_events
                 WHERE session GLOB 'session-[0-9]*' AND length(session) <= 17), 0)) AS highest`,
  );
  const number = Number(highest?.['highest']) + 1;
  transaction.run('INSERT INTO agent_sessions (worker, number) VALUES (?, ?)', [engine.workerId, number]);
  return `session-${String(number)}`;
}

/** The session that started the run, forked it or took it up last; null for a run without such an event. */
export function lastTakenUpBy(reader: Reader, runId: string): string | null {
  const row = reader.get(
    `SELECT session FROM agent_events WHERE run_id = ?
     AND event_type IN ('run_started', 'run_forked', 'run_resumed') ORDER BY sequence DESC LIMIT 1`,
    [runId],
  );
  return row === undefined ? null : String(row['session']);
}
