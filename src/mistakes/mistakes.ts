/** Owns: the list of the mistakes that run. E6 and E7 are about locks between processes, which one page has not: models. */
import { checkpointFirst } from './checkpoint-first.ts';
import { freshKeys } from './fresh-keys.ts';
import { messagesOnly } from './messages-only.ts';
import { noVersion } from './no-version.ts';
import { ruleAsAgent } from './rule-as-agent.ts';
import { eventFirst, stateFirst } from './two-commits.ts';
import type { Variant } from './variant.ts';

export const mistakes: readonly Variant[] = [
  messagesOnly,
  checkpointFirst,
  freshKeys,
  stateFirst,
  eventFirst,
  noVersion,
  ruleAsAgent,
];
