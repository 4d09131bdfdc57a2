/** Owns: what a run of an experiment says in words: the score of a guess, and what each session did. Pure. */
import type { Trial, Violation } from '../../bridge/experiment-client.ts';
import type { AgentEvent } from '../../engine/records.ts';
import type { Ran } from './break.svelte.ts';

/** Every invariant that the run broke, each once. */
export function violatedIn(ran: Ran): readonly Violation[] {
  switch (ran.type) {
    case 'crash':
      return ran.trial.violated;
    case 'race':
      return ran.trace.evidence.violated;
    case 'tickets': {
      const byId = new Map<string, Violation>();
      for (const one of ran.trials.flatMap(({ violated }) => violated)) {
        const before = byId.get(one.id);
        byId.set(one.id, before ? { ...before, rows: [...before.rows, ...one.rows] } : one);
      }
      return [...byId.values()];
    }
    case 'slow call':
      return [];
  }
}

/** "You said I3: right, it is I3." */
export function scoreOf(guess: string, ran: Ran): string {
  if (ran.type === 'slow call') {
    const refused = ran.log.attempts.some(({ gotAt }) => gotAt === null);
    const right = refused === guess.includes('refused');
    return `You said “${guess}”: ${right ? 'right' : 'wrong'}, it is ${refused ? 'refused' : 'not refused'}.`;
  }
  const ids = violatedIn(ran).map(({ id }) => id);
  const [said = ''] = guess.split(':');
  const found = ids.length === 0 ? 'none is broken' : `it is ${ids.join(' and ')}`;
  const right = ids.includes(said) || (ids.length === 0 && guess === 'none of them');
  return `You said ${said}: ${right ? 'right' : 'wrong'}, ${found}.`;
}

/** What a crash left and what the next session did with it, a sentence each. */
export function storyOf({ crashedAt, found, status, version, events, stuck }: Trial): readonly string[] {
  const story: string[] = [];
  if (crashedAt !== null) {
    const left =
      found === null
        ? 'Nothing was stored yet.'
        : `On disk: version ${found.version}, next action ${found.nextAction ?? 'none'}.`;
    story.push(`session-1 crashed at ${crashedAt}. ${left}`);
  }
  const last = events.at(-1)?.session;
  const later = events.filter(({ session }) => session === last);
  story.push(`${last ?? 'The next session'} ${deedsOf(later)}.`);
  story.push(
    stuck === null
      ? `It ended ${status}, version ${version}${crashedAt === null ? '.' : ', as if nothing had happened.'}`
      : `It went no further: ${stuck.type}.`,
  );
  return story;
}

function deedsOf(events: readonly AgentEvent[]): string {
  const named = (type: string) =>
    events
      .filter(({ eventType }) => eventType === type)
      // A random end of an action is the key's, not the action's.
      .map(({ action }) => action.replace(/:.*/, ''));
  const told = (words: string, actions: readonly string[]) =>
    actions.length === 0 ? [] : [`${words} ${actions.join(', ')}`];
  const deeds = [
    ...told('reused the saved result of', named('tool_reused')),
    ...told('called and saved', named('tool_executed')),
    ...told('saved checkpoints for', named('checkpoint_saved')),
  ];
  return deeds.length === 0 ? 'saved nothing more' : deeds.join('; ');
}
