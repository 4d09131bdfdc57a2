/**
 * Owns: the outside world of the tests. It outlives every crash, and is less kind than the page's: it refuses a key
 * that comes back with other arguments, and, where asked, its runbook changes at each call. Without those two a
 * missing durable result would go unseen.
 */
import { encodeJson } from '../../src/engine/json.ts';
import type { JsonObject } from '../../src/engine/json.ts';
import type { CrashPort, ToolAnswer, ToolRequest, Tools } from '../../src/engine/ports.ts';

export interface TestWorld {
  readonly calls: ToolRequest[];
  /** The tools as one session sees them: dead once it has crashed. */
  toolsFor(crash: CrashPort): Tools;
}

export function testWorld(runbooks: 'fixed' | 'changing'): TestWorld {
  const calls: ToolRequest[] = [];
  const argumentsByKey = new Map<string, string>();
  const answers: Record<string, (given: JsonObject) => JsonObject> = {
    lookup_runbook: ({ area }) => ({
      runbook_code: 'RB-1',
      next_step: `look at ${String(area)}${runbooks === 'changing' ? `, answer ${String(calls.length)}` : ''}`,
    }),
    draft_reply: (given) => ({
      reply: `Priority: ${String(given['priority'])}. Next step: ${String(given['next_step'])}`,
    }),
  };
  return {
    calls,
    toolsFor: (crash) => ({
      call: async (request) => {
        crash.assertAlive();
        calls.push(request);
        const text = encodeJson(request.arguments, 'arguments');
        if (!text.ok) throw new Error('arguments that are not JSON');
        const first = argumentsByKey.get(request.key) ?? text.value;
        argumentsByKey.set(request.key, first);
        const { tool } = request;
        if (first !== text.value) return refusal('key used with other arguments');
        await Promise.resolve();
        return { type: 'done', result: answers[tool]?.(request.arguments) ?? {} };
      },
      status: () => Promise.resolve({ type: 'cannot_tell', reason: 'this world is not asked' }),
      destinationOf: () => null,
    }),
  };
}

/** The tool's own error: trying again is of no use. */
export function refusal(reason: string): ToolAnswer {
  return { type: 'failed', reason, retryable: false };
}
