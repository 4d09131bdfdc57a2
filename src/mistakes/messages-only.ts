/**
 * Owns: mistake E1, only the conversation is kept: where the run stands, and what its tools found, is in memory, and a
 * new session guesses it from the messages.
 */
import { loadRun, saveCheckpoint } from '../engine/checkpoint.ts';
import { appendEvent, drawLabel } from '../engine/events.ts';
import { fail, succeed } from '../engine/failure.ts';
import { decodeJson, isJsonObject, type JsonObject } from '../engine/json.ts';
import { isElsewhere } from '../engine/start.ts';
import { actionResult, nextCheckpoint } from './parts.ts';
import type { Step, Variant } from './variant.ts';

function newSession(): Step {
  let memory: JsonObject | null = null;
  return async (engine, runId) => {
    const run = await engine.database.read((reader) => loadRun(reader, runId));
    if (run?.status !== 'running') return fail({ type: 'RunNotFound', runId });
    await engine.database.commit('resume', (transaction) => {
      if (!isElsewhere(transaction, engine, runId)) return succeed(null);
      const session = drawLabel(engine, transaction);
      const event = { runId, type: 'run_resumed', action: 'resume', detail: 'loaded the messages' } as const;
      appendEvent(engine, transaction, 'resume', session, event);
      return succeed(null);
    });
    const stored = decodeJson(run.contextJson)?.value;
    const kept = isJsonObject(stored) ? stored : {};
    const messages = Array.isArray(kept['messages']) ? kept['messages'].map(String) : [];
    // The mistake: what is done is guessed from what was said.
    const action = engine.workflows[0]?.actions.find(({ name }) => !messages.includes(`done: ${name}`));
    if (action === undefined) throw new Error('a running run with nothing left to do');
    const context: JsonObject = memory ?? {
      ticket: kept['ticket'] ?? null,
      priority: 'normal',
      runbook: { next_step: 'None' },
    };
    const result = await actionResult(action, context, async (tool, toolArguments) => {
      const request = {
        key: `${runId}:${action.name}`,
        tool,
        arguments: toolArguments,
        destination: null,
        scope: '',
      };
      const answer = await engine.tools.call(request, new AbortController().signal);
      engine.crash.reach(`${action.name}.tool.called`);
      return answer.type === 'done'
        ? succeed(answer.result)
        : fail({ type: 'ToolFailed', tool, reason: answer.reason });
    });
    if (!result.ok) return result;
    const next = nextCheckpoint(run, action, context, result.value);
    if (!next.ok) return next;
    memory = next.value.context;
    const said = { ticket: kept['ticket'] ?? null, messages: [...messages, `done: ${action.name}`] };
    return saveCheckpoint(engine, run, action.name, {
      status: next.value.status,
      nextAction: null,
      context: said,
    });
  };
}

export const messagesOnly: Variant = { id: 'e1', title: 'Only the conversation is kept', newSession };
