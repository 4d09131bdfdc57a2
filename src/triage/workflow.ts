/**
 * Owns: the ticket agent's four actions, and what each adds to the context.
 * Leaves: doing them durably to the engine; the tools' work to tools.ts. A fixed rule, not an intelligent agent.
 */
import { fail, succeed } from '../engine/failure.ts';
import type { Result } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { isJsonObject } from '../engine/json.ts';
import type { Unfit, Workflow } from '../engine/workflow.ts';
import { priorityOf, ticketFromJson } from './ticket.ts';

export const triage: Workflow = {
  name: 'triage',
  version: 1,
  actions: [
    {
      name: 'classify_priority',
      next: 'lookup_runbook',
      tool: null,
      apply: (context) => {
        const ticket = ticketFromJson(context['ticket']);
        return ticket.ok ? succeed({ ...context, priority: priorityOf(ticket.value) }) : ticket;
      },
    },
    {
      name: 'lookup_runbook',
      next: 'draft_reply',
      tool: {
        name: 'lookup_runbook',
        arguments: (context) => {
          const ticket = ticketFromJson(context['ticket']);
          return ticket.ok ? succeed({ area: ticket.value.area }) : ticket;
        },
      },
      apply: (context, runbook) => succeed({ ...context, runbook }),
    },
    {
      name: 'draft_reply',
      next: 'finish',
      tool: {
        name: 'draft_reply',
        arguments: (context) => {
          const priority = text(context, 'priority');
          if (!priority.ok) return priority;
          const { runbook } = context;
          if (!isJsonObject(runbook)) return fail('the context has no runbook');
          const nextStep = text(runbook, 'next_step');
          return nextStep.ok ? succeed({ priority: priority.value, next_step: nextStep.value }) : nextStep;
        },
      },
      apply: (context, result) => {
        const reply = text(result, 'reply');
        return reply.ok ? succeed({ ...context, reply: reply.value }) : reply;
      },
    },
    { name: 'finish', next: null, tool: null, apply: (context) => succeed(context) },
  ],
};

/** The boundary that the lesson crashes at: the lookup's result is saved, the next checkpoint is not. */
export const lessonBoundary = 'lookup_runbook.tool.durable';

function text(value: JsonObject, member: string): Result<string, Unfit> {
  const found = value[member];
  return typeof found === 'string' ? succeed(found) : fail(`${member} is missing or not a text`);
}
