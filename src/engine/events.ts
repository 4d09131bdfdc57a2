/**
 * Owns: appending to agent_events, and the label of a session.
 * Leaves: which events belong into one transaction with what to checkpoint.ts, execute-once.ts and runner.ts (R2).
 * Invariant: a run's sequence starts at 1 and has no gaps, whatever the session and the clock (R7).
 */
import type { Clock, CrashPort, Reader, Transaction } from './ports.ts';
import type { EventType } from './records.ts';

/** A label is good for the lab it was drawn in: a lab that is reset numbers its sessions anew. */
export interface DrawnLabel {
  readonly label: string;
  readonly labId: string;
}

/** One life of a worker. The label is drawn when this worker writes its first event. */
export interface Session {
  drawn: DrawnLabel | null;
}

export interface NewEvent {
  readonly runId: string;
  readonly type: EventType;
  readonly action: string;
  readonly detail: string;
}

/** Appends the event inside the caller's transaction and announces `<boundary>.event_appended`. */
export function appendEvent(
  engine: { readonly clock: Clock; readonly crash: CrashPort },
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

/**
 * This worker's label, `session-N`, drawn if it has none: N is one more than the highest ever given, so two tabs
 * never share a label and deleting runs never brings one back. The caller keeps it once the commit is durable.
 */
export function drawSession(session: Session, transaction: Transaction): DrawnLabel {
  const labId = readLabId(transaction);
  if (session.drawn?.labId === labId) return session.drawn;
  const highest = transaction.get(
    `SELECT MAX(
       COALESCE((SELECT highest FROM session_counter WHERE id = 1), 0),
       COALESCE((SELECT MAX(CAST(substr(session, 9) AS INTEGER)) FROM agent_events
                 WHERE session GLOB 'session-[0-9]*'), 0)) AS highest`,
  );
  const next = Number(highest?.['highest'] ?? 0) + 1;
  transaction.run(
    `INSERT INTO session_counter (id, highest) VALUES (1, ?1) ON CONFLICT (id) DO UPDATE SET highest = ?1`,
    [next],
  );
  return { label: `session-${String(next)}`, labId };
}

/** This worker's label in the lab as it is now; null before its first event there. */
export function labelOf(session: Session, reader: Reader): string | null {
  return session.drawn?.labId === readLabId(reader) ? session.drawn.label : null;
}

/** The lab's own id: it ties labels and the outside world's log to this database. A reset lab has a new one. */
export function readLabId(reader: Reader): string {
  return String(reader.get('SELECT lab_id FROM lab WHERE id = 1')?.['lab_id']);
}

/** The session that wrote the run's last event, or null for a run without events. */
export function lastSession(reader: Reader, runId: string): string | null {
  const row = reader.get('SELECT session FROM agent_events WHERE run_id = ? ORDER BY sequence DESC LIMIT 1', [
    runId,
  ]);
  return row === undefined ? null : String(row['session']);
}
