/**
 * Owns: boundaries (named instants at which a worker may stop) and what a simulated crash does there.
 * Leaves: the names to those who announce them; the real killing of worker and tab to the page.
 *
 * A crash unwinds nothing: once it has happened every port is dead, whatever handlers and finally blocks run.
 */
import type { CrashPort } from './ports.ts';

/** Crash at this boundary. `every`: each time a session gets there; else once. */
export interface Arm {
  readonly boundary: string;
  readonly every: boolean;
}

/** Thrown at an armed boundary, and by every port that is touched afterwards. Nobody may catch and go on. */
export class SimulatedCrash extends Error {
  readonly boundary: string;
  constructor(boundary: string) {
    super(`simulated crash at ${boundary}`);
    this.name = 'SimulatedCrash';
    this.boundary = boundary;
  }
}

/** One session's crash port: armed by the page or a test, asked by every port. */
export class CrashPlan implements CrashPort {
  /** Boundaries reached so far by this session, in order. */
  readonly reached: string[] = [];
  /** Set once the crash has happened. */
  crashedAt: string | null = null;
  /** How often something touched a dead port: in a test, anything but 0 fails. */
  touchedAfterCrash = 0;
  #arms: readonly Arm[];
  readonly #halted: (boundary: string) => void;

  constructor(arms: readonly Arm[] = [], halted: (boundary: string) => void = () => undefined) {
    this.#arms = arms;
    this.#halted = halted;
  }

  arm(arms: readonly Arm[]): void {
    this.#arms = arms;
  }

  reach(boundary: string): void {
    this.assertAlive();
    this.reached.push(boundary);
    if (!this.#arms.some((arm) => arm.boundary === boundary)) return;
    this.crashedAt = boundary;
    this.#halted(boundary);
    throw new SimulatedCrash(boundary);
  }

  assertAlive(): void {
    if (this.crashedAt === null) return;
    this.touchedAfterCrash += 1;
    throw new SimulatedCrash(this.crashedAt);
  }
}

/** The port of production: nothing is armed, nothing happens. */
export const noCrash: CrashPort = { reach: () => undefined, assertAlive: () => undefined };
