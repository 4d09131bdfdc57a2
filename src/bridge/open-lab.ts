/** Owns: what the lab's server is made of, and what it has while a database is open. */
import type { CrashPlan } from '../engine/crash.ts';
import type { Engine } from '../engine/engine.ts';
import type { Result } from '../engine/failure.ts';
import type { Clock } from '../engine/ports.ts';
import type { ImageStorage } from '../storage/image-storage.ts';
import type { Ticket } from '../triage/ticket.ts';
import type { DeskClient, OutsideClient } from '../world/desk-port.ts';
import type { LabStorage } from './lab-storage.ts';
import type { Params } from './protocol.ts';

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

export interface OpenLab {
  readonly storage: LabStorage;
  readonly desk: DeskClient;
  readonly engine: Engine;
}
