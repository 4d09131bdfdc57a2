/**
 * Owns: what the engine's parts work with, in one object; it is always the first parameter.
 * Leaves: making it to the entry files and the tests.
 */
import type { Clock, CrashPort, Database, Tools } from './ports.ts';
import type { Workflow } from './workflow.ts';

export interface Engine {
  readonly database: Database;
  readonly clock: Clock;
  readonly crash: CrashPort;
  readonly tools: Tools;
  readonly workflow: Workflow;
  /** Random, new for each life of a worker: the database finds this worker's session label under it. */
  readonly workerId: string;
}
