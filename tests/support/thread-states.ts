/** States for the tests of threads. */
import type { RunState } from '../../src/threads/records.ts';

export function threadState(over: Partial<RunState> = {}): RunState {
  return {
    agent_name: 'dispatcher',
    messages: [{ role: 'user', content: 'The lift is stuck.' }],
    status: 'completed',
    run_name: null,
    trace_id: null,
    parent_run_id: null,
    group_id: null,
    tags: [],
    metadata: {},
    steps: [],
    max_turns: 5,
    ...over,
  };
}

/** One message with this text. */
export function saying(content: string): RunState {
  return threadState({ messages: [{ role: 'user', content }] });
}
