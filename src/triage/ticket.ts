/**
 * Owns: a facilities ticket, its columns, and the rule that gives its priority.
 * Leaves: working on it to workflow.ts.
 */
import Papa from 'papaparse';
import type { Result } from '../engine/failure.ts';
import { fail, succeed } from '../engine/failure.ts';
import type { JsonObject, JsonValue } from '../engine/json.ts';
import { isJsonObject } from '../engine/json.ts';
import type { Unfit } from '../engine/workflow.ts';

export interface Ticket {
  readonly ticketId: string;
  readonly area: string;
  readonly issue: string;
  readonly outageMinutes: number;
  readonly safetyImpact: boolean;
  /** What a person expects; the rule is checked against it, it never decides. */
  readonly expectedPriority: string;
}

/** An outage of this many minutes or more is urgent. */
export const outageLimitMinutes = 45;

export const priorities = ['normal', 'urgent'] as const;
export type Priority = (typeof priorities)[number];

/** Urgent: there is a safety impact, or the outage has lasted 45 minutes or more (contract.md, the lesson's run). */
export function priorityOf(ticket: Pick<Ticket, 'outageMinutes' | 'safetyImpact'>): Priority {
  return ticket.safetyImpact || ticket.outageMinutes >= outageLimitMinutes ? 'urgent' : 'normal';
}

/** The tickets of a CSV with the columns of facility_tickets.csv. The file ships with the page: a fault throws. */
export function parseTickets(csv: string): readonly Ticket[] {
  return Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data.map((row) => {
    const ticket = ticketFromJson({ ...row, outage_minutes: Number(row['outage_minutes']) });
    if (!ticket.ok) throw new Error(`facility_tickets.csv: ${ticket.failure}`);
    return ticket.value;
  });
}

/** The ticket's row as the context keeps it: numbers as numbers. */
export function ticketToJson(ticket: Ticket): JsonObject {
  return {
    ticket_id: ticket.ticketId,
    area: ticket.area,
    issue: ticket.issue,
    outage_minutes: ticket.outageMinutes,
    safety_impact: ticket.safetyImpact ? 'yes' : 'no',
    expected_priority: ticket.expectedPriority,
  };
}

/** Reads a ticket's row, also one that another program stored (`safety_impact` as yes/no or true/false). */
export function ticketFromJson(value: JsonValue | undefined): Result<Ticket, Unfit> {
  if (!isJsonObject(value)) return fail('the context has no ticket');
  const { outage_minutes: outageMinutes, safety_impact: safety } = value;
  if (typeof outageMinutes !== 'number' || !Number.isFinite(outageMinutes)) {
    return fail("the ticket's outage_minutes is not a number");
  }
  const known = new Map<JsonValue | undefined, boolean>([
    ['yes', true],
    [true, true],
    [1, true],
    ['no', false],
    [false, false],
    [0, false],
  ]);
  const safetyImpact = known.get(safety);
  if (safetyImpact === undefined) return fail("the ticket's safety_impact is neither yes nor no");
  const text = (member: string) => (typeof value[member] === 'string' ? value[member] : '');
  return succeed({
    ticketId: text('ticket_id'),
    area: text('area'),
    issue: text('issue'),
    outageMinutes,
    safetyImpact,
    expectedPriority: text('expected_priority'),
  });
}
