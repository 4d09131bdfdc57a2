/**
 * Owns: everything the lab asks of its surroundings, so that it runs under a test as it is.
 * Leaves: the makes to main.ts.
 */
import type { LabWorkers } from '../bridge/workers.ts';
import type { Keep } from '../ui/keep.ts';
import type { Settings } from '../ui/settings.svelte.ts';

export type StoreKind = 'indexeddb' | 'memory';

export interface LabPorts {
  /** One agent worker a session; the outside world lives on between them. */
  readonly workers: LabWorkers;
  /** A new worker for the SQL console. */
  newConsole(): Worker;
  /** A new worker that runs the engine in memory, for a replay. */
  newExplorer(): Worker;
  readonly keep: Keep;
  readonly settings: Settings;
  /** This tab was here before in this visit: loading it again is a restart, not a return. */
  readonly sameVisit: boolean;
  reload(): void;
  /** UTC, ISO 8601. */
  now(): string;
  /** True when the time has passed, false when it was aborted. Milliseconds. */
  wait(milliseconds: number, signal: AbortSignal): Promise<boolean>;
  /** A draw from [0, 1). */
  random(): number;
  reducedMotion(): boolean;
  /** Asks the browser not to evict what is stored; null: it cannot say. */
  askToPersist(): Promise<boolean | null>;
  readonly userAgent: string;
}
