/**
 * Owns: what the start page and its demonstration's worker tell each other. The world outside, which answers the calls, and
 * the pages of the database are in the page: they outlive the worker.
 */
import type { Failure } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';

export const lanes = ['memory', 'sqlite'] as const;
export type Lane = (typeof lanes)[number];

export type ToDemo =
  /** `pages`: where the database is kept. `pause`: after each thing done, in milliseconds. */
  | { readonly type: 'begin'; readonly pages: MessagePort; readonly pause: number }
  | { readonly type: 'answer'; readonly id: number; readonly result: JsonObject };

/** What the tables hold of the run now. */
export interface Stored {
  readonly status: string;
  readonly nextAction: string | null;
  readonly version: number;
  readonly runs: number;
  readonly events: number;
  readonly effects: number;
  readonly reply: string | null;
}

/** What the dictionary holds now. */
export interface Remembered {
  readonly nextAction: string | null;
  readonly state: JsonObject;
}

export type FromDemo =
  | { readonly type: 'loading'; readonly loaded: number; readonly total: number }
  | { readonly type: 'memory'; readonly remembered: Remembered }
  /** `found`: by a new session, before it did anything. */
  | { readonly type: 'sqlite'; readonly stored: Stored; readonly found: boolean }
  | {
      readonly type: 'call';
      readonly id: number;
      readonly lane: Lane;
      readonly tool: string;
      readonly arguments: JsonObject;
    }
  | { readonly type: 'ended' }
  | { readonly type: 'failed'; readonly failure: Failure };
