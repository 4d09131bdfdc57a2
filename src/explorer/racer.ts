/**
 * Owns: one of two workers of a race: the engine's own parts over the shared store, held at a gate before each of its
 * four moves (load, check, call, save) until it is told to go on.
 * Leaves: whose turn it is, and what came of it, to race.ts.
 */
import { settleAll } from '../engine/calls.ts';
import { saveCheckpoint } from '../engine/checkpoint.ts';
import type { Engine } from '../engine/engine.ts';
import { executeOnce } from '../engine/execute-once.ts';
import type { Failure, Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import type { Run } from '../engine/records.ts';
import { takeUp, type AtHand } from '../engine/runner.ts';
import { saveUnguarded } from '../mistakes/no-version.ts';
import { nextCheckpoint } from '../mistakes/parts.ts';
import type { AgentDatabase } from '../storage/agent-database.ts';

export const moves = ['load', 'check', 'call', 'save'] as const;
export type Move = (typeof moves)[number];

export type Did =
  | { readonly type: 'loaded'; readonly version: number; readonly action: string }
  | { readonly type: 'checked'; readonly saved: boolean }
  | { readonly type: 'claimed' }
  /** `kept`: its result was saved; not where the other one’s was saved before. */
  | { readonly type: 'called'; readonly kept: boolean }
  | { readonly type: 'reused' }
  | { readonly type: 'saved'; readonly version: number }
  /** A conflict, or another worker's claim. It stands before `load` again. */
  | { readonly type: 'stopped'; readonly failure: Failure }
  /** It does not stand before this move. */
  | { readonly type: 'nothing' };

export interface RacerRules {
  /** `AND version = ?` in the UPDATE. */
  readonly guard: boolean;
}

export interface Racer {
  /** Where it stands: before this move; null: it is through. */
  readonly standing: Move | null;
  /** Does the move, if it stands before it. */
  go(move: Move): Promise<Did>;
}

export function racer(
  engine: Engine & { readonly database: AgentDatabase },
  runId: string,
  rules: RacerRules,
): Racer {
  let standing: Move | null = null;
  let leave: () => void = () => undefined;
  let did: (did: Did) => void = () => undefined;
  let last: Did = { type: 'nothing' };

  /** Stands before the move until it is told to go. What it did until here is told. */
  function gate(move: Move): Promise<void> {
    standing = move;
    did(last);
    return new Promise((resolve) => (leave = resolve));
  }
  const gated: Engine = {
    ...engine,
    tools: {
      ...engine.tools,
      call: async (request, signal) => {
        last = last.type === 'claimed' ? last : { type: 'checked', saved: false };
        await gate('call');
        last = { type: 'called', kept: false };
        return engine.tools.call(request, signal);
      },
    },
    database: {
      read: (body) => engine.database.read(body),
      commit: async (boundary, body) => {
        // Someone else's saved result is as good as a call.
        const reuses = boundary.endsWith('.reuse');
        if (reuses) {
          last = { type: 'checked', saved: true };
          await gate('call');
        }
        const done = await engine.database.commit(boundary, body);
        if (reuses) last = { type: 'reused' };
        if (boundary.endsWith('.claim') && done.ok) last = { type: 'claimed' };
        if (last.type === 'called' && done.ok && savedResult(engine.database))
          last = { type: 'called', kept: true };
        return done;
      },
    },
  };

  async function once(): Promise<Result<Run>> {
    const ready = await takeUp(gated, runId);
    if (!ready.ok) return ready;
    const { run, action, context } = ready.value;
    last = { type: 'loaded', version: run.version, action: action.name };
    await gate('check');
    const result = await resultOf(gated, ready.value);
    if (!result.ok) return result;
    await gate('save');
    const next = nextCheckpoint(run, action, context, result.value);
    if (!next.ok) return next;
    return (rules.guard ? saveCheckpoint : saveUnguarded)(gated, run, action.name, next.value);
  }
  async function live(): Promise<void> {
    await gate('load');
    for (let done = await once(); ; done = await once()) {
      if (done.ok) {
        standing = null;
        did({ type: 'saved', version: done.value.version });
        return;
      }
      last = { type: 'stopped', failure: done.failure };
      await gate('load');
    }
  }
  const failed = new Promise<never>((_, reject) => void live().catch(reject));

  return {
    get standing() {
      return standing;
    },
    go: async (move) => {
      if (standing !== move) return { type: 'nothing' };
      const told = new Promise<Did>((resolve) => (did = resolve));
      // What the other one has stored since is seen, as by the word between tabs.
      await engine.database.refresh();
      leave();
      return Promise.race([told, failed]);
    },
  };
}

/** The first row of a key stays: who comes later adds none. */
function savedResult({ lastCommit }: AgentDatabase): boolean {
  return (lastCommit?.changes ?? []).some(
    ({ table, operation }) => table === 'tool_effects' && operation === 'insert',
  );
}

async function resultOf(engine: Engine, hand: AtHand): Promise<Result<JsonObject>> {
  const { run, workflow, action, context } = hand;
  const unfit = (reason: string) =>
    fail({ type: 'ContextUnusable', runId: run.runId, action: action.name, reason } as const);
  if (action.calls) {
    const calls = action.calls(context);
    if (!calls.ok) return unfit(calls.failure);
    const settled = await settleAll(engine, run, workflow, action.name, calls.value);
    if (!settled.ok) return settled;
    return settled.value.type === 'ready' ? succeed(settled.value.result) : unfit('no result to go on with');
  }
  if (action.tool === null) return succeed({});
  const toolArguments = action.tool.arguments(context);
  if (!toolArguments.ok) return unfit(toolArguments.failure);
  return executeOnce(engine, run, action.name, action.tool.name, toolArguments.value);
}
