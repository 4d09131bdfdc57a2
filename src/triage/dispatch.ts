/**
 * Owns: *Dispatch*, the ticket agent that acts on the world outside: it looks the runbook up remotely, opens a work
 * order, pages a technician, and closes the ticket. A fixed rule, not an intelligent agent.
 * Leaves: doing each call durably to the engine (effects.ts); what the tools do to dispatch-tools.ts.
 */
import { jsonSchemaCheck } from '../engine/argument-schema.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject } from '../engine/json.ts';
import { isJsonObject } from '../engine/json.ts';
import type { OutsideTool } from '../engine/tool.ts';
import type { Action, Workflow } from '../engine/workflow.ts';
import { priorities, priorityOf, ticketFromJson } from './ticket.ts';

const text = { type: 'string', minLength: 1, maxLength: 2000 } as const;

function schemaOf(members: Readonly<Record<string, object>>): OutsideTool['check'] {
  const required = Object.keys(members);
  return jsonSchemaCheck({ type: 'object', properties: members, required, additionalProperties: false });
}

/** Milliseconds. */
const timeLimit = 10_000;

export const dispatchTools: readonly OutsideTool[] = [
  {
    name: 'request_runbook',
    safety: 'read',
    check: schemaOf({ area: text }),
    approval: () => null,
    timeLimit,
    attempts: 4,
    secrets: [],
  },
  {
    name: 'open_work_order',
    safety: 'idempotent',
    check: schemaOf({ ticket_id: text, area: text, priority: { enum: [...priorities] }, next_step: text }),
    approval: () => null,
    timeLimit,
    attempts: 4,
    secrets: [],
  },
  {
    name: 'page_technician',
    safety: 'at-most-once',
    check: schemaOf({
      ticket_id: text,
      work_order: text,
      priority: { enum: [...priorities] },
      message: text,
    }),
    approval: ({ priority }) =>
      priority === 'urgent' ? 'Paging for an urgent ticket wakes somebody, and can’t be taken back.' : null,
    timeLimit,
    attempts: 3,
    secrets: [],
  },
];

/** An action that makes one call, named like its tool, and keeps the result under `member`. */
function calling(
  tool: string,
  next: string,
  member: string,
  toolArguments: (context: JsonObject) => JsonObject | string,
): Action {
  return {
    name: tool,
    next,
    tool: null,
    calls: (context) => {
      const made = toolArguments(context);
      return typeof made === 'string' ? fail(made) : succeed([{ id: null, tool, arguments: made }]);
    },
    apply: (context, result) => succeed({ ...context, [member]: result }),
  };
}

export const dispatch: Workflow = {
  name: 'dispatch',
  version: 1,
  tools: dispatchTools,
  budgets: { steps: 10, tool_calls: 12 },
  actions: [
    {
      name: 'classify_priority',
      next: 'request_runbook',
      tool: null,
      apply: (context) => {
        const ticket = ticketFromJson(context['ticket']);
        return ticket.ok ? succeed({ ...context, priority: priorityOf(ticket.value) }) : ticket;
      },
    },
    calling('request_runbook', 'open_work_order', 'runbook', (context) => {
      const ticket = ticketFromJson(context['ticket']);
      return ticket.ok ? { area: ticket.value.area } : ticket.failure;
    }),
    calling('open_work_order', 'page_technician', 'work_order', (context) => {
      const ticket = ticketFromJson(context['ticket']);
      if (!ticket.ok) return ticket.failure;
      const { ticketId, area } = ticket.value;
      return {
        ticket_id: ticketId,
        area,
        priority: told(context['priority']),
        next_step: told(context['runbook'], 'next_step'),
      };
    }),
    calling('page_technician', 'close_ticket', 'page', (context) => {
      const ticket = ticketFromJson(context['ticket']);
      if (!ticket.ok) return ticket.failure;
      const { ticketId, issue, area } = ticket.value;
      return {
        ticket_id: ticketId,
        work_order: told(context['work_order'], 'work_order'),
        priority: told(context['priority']),
        message: `${area}: ${issue}. ${told(context['runbook'], 'next_step')}`,
      };
    }),
    {
      name: 'close_ticket',
      next: null,
      tool: null,
      apply: (context) => succeed({ ...context, reply: closing(context) }),
    },
  ],
};

function closing(context: JsonObject): string {
  const page = isJsonObject(context['page']) ? context['page'] : {};
  const paged =
    page['denied'] === true
      ? 'Nobody was paged: it was not approved.'
      : page['skipped'] === true
        ? 'Whether somebody was paged is not known.'
        : `A technician was paged (${told(page, 'page')}).`;
  const order = told(context['work_order'], 'work_order');
  return `Priority: ${told(context['priority'])}. Work order: ${order}. ${paged}`;
}

/** A text of the context, or of one of its objects; `none` where there is none: a call may have been skipped. */
function told(value: unknown, member?: string): string {
  if (member === undefined) return typeof value === 'string' ? value : 'none';
  const holder =
    typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  return told(holder[member]);
}
