/**
 * Owns: what the engine's parts work with, in one object; it is always the first parameter.
 * Leaves: making it to the entry files and the tests.
 */
import type { Session } from './events.ts';
import type { Clock, CrashPort, Database, Tools } from './ports.ts';
import type { Workflow } from './workflow.ts';

export interface Engine {
  readonly database: Database;
  readonly clock: Clock;
  readonly crash: CrashPort;
  readonly tools: Tools;
  readonly workflow: Workflow;
  readonly session: Session;
}

/** The label of this session. A run is started or taken up before anything else is written for it. */
export function sessionLabel(engine: Engine): string {
  if (engine.session.drawn === null) throw new Error('a run was worked on before it was started or taken up');
  return engine.session.drawn.label;
}
