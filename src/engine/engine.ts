/**
 * Owns: what the engine's parts work with, in one object; it is always the first parameter.
 * Leaves: making it to the entry files and the tests.
 */
import type { Clock, CrashPort, Database, Owners, Timer, ToolAnswer, Tools } from './ports.ts';
import type { Workflow } from './workflow.ts';

export interface Engine {
  readonly database: Database;
  readonly clock: Clock;
  readonly timer: Timer;
  /** A draw from [0, 1), for the jitter of retries. */
  readonly random: () => number;
  readonly crash: CrashPort;
  readonly tools: Tools;
  readonly owners: Owners;
  /** The workflows that this engine can carry out. A run from elsewhere, without one recorded, is taken for the first's. */
  readonly workflows: readonly Workflow[];
  /** Random, new for each life of a worker: the database finds this worker's session label under it. */
  readonly workerId: string;
  /** This worker's calls, by idempotency key: those that are out, and those whose answer is not recorded yet. */
  readonly calls: Map<string, OpenCall>;
}

export interface OpenCall {
  readonly fence: number;
  /** Null while nobody has answered. */
  readonly answer: ToolAnswer | null;
}
