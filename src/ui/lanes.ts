/** Owns: the lanes of the timeline, from below: one a type of event, the lesson's always. */
import type { AgentEvent } from '../engine/records.ts';

const usual = ['run_started', 'run_resumed', 'tool_executed', 'tool_reused', 'checkpoint_saved'];

export function lanesOf(events: readonly AgentEvent[]): readonly string[] {
  return [...new Set([...usual, ...events.map((event) => event.eventType)])];
}
