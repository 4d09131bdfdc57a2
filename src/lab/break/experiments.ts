/**
 * Owns: what is said about each of the eight mistakes: what people do, what to guess, why the fix holds.
 * Leaves: what happens to the runs. Nothing here is a result.
 */
import { answer, crash, right, type ExperimentText } from './experiment.ts';

const invariantGuesses = [
  'I1: a running run has a next action',
  'I2: no checkpoint stands past a tool without a saved result',
  'I3: one saved result for a run and an action',
  'I4: the version is the number of checkpoints',
  'I5: one checkpoint event for each version',
  'none of them',
] as const;
const whichBreaks = 'which invariant will break?';
const why = 'Why did it hold?';

export const experimentTexts: readonly ExperimentText[] = [
  {
    id: 'e1',
    title: 'Only the conversation is kept',
    sentence: 'A list of messages is no state: after a crash the agent guesses where it stood.',
    people:
      'Many agents save their messages and nothing else, and guess from them where to go on. It is tempting: the messages are there anyway, and a language model reads them well.',
    kind: crash('e1'),
    question: whichBreaks,
    guesses: invariantGuesses,
    source: 'messages-only',
    why: {
      question: why,
      answers: [
        answer('The messages were longer', 'More messages are more to guess from, and still a guess.'),
        right(
          'Next action, context and result were stored as facts',
          'Yes. Session 2 reads where the run stands, and finds the tool’s result under its key.',
        ),
        answer('The tool answered faster', 'Speed makes the gap smaller. It is still there.'),
      ],
    },
  },
  {
    id: 'e2',
    title: 'The checkpoint is saved before the tool finishes',
    sentence: '“Done” is written first, and the tool’s result is lost with the memory.',
    people:
      'The checkpoint is written before the tool has answered, so that the progress shows at once. It is tempting: the tool nearly always answers, and the order of two lines looks like a matter of taste.',
    kind: crash('e2'),
    question: whichBreaks,
    guesses: invariantGuesses,
    source: 'checkpoint-first',
    why: {
      question: why,
      answers: [
        right(
          'The checkpoint came after the saved result',
          'Yes. A checkpoint that says “done” is only written when the result that it builds on is durable.',
        ),
        answer(
          'SQLite refused the checkpoint',
          'SQLite knows no order of your steps: it stores what it is given.',
        ),
        answer('The tool was called twice', 'It was not: the saved result was there to be reused.'),
      ],
    },
  },
  {
    id: 'e3',
    title: 'A new key on every retry',
    sentence: 'The key ends in something random, so no saved result is ever found again.',
    people:
      'Each call gets a fresh random id as its idempotency key. It is tempting: ids have to be unique, and a random one always is.',
    kind: crash('e3'),
    question: whichBreaks,
    guesses: invariantGuesses,
    source: 'fresh-keys',
    why: {
      question: why,
      answers: [
        answer(
          'SQLite refused the second row',
          'With another key there is nothing to refuse. With the same one there was no second call to store.',
        ),
        right(
          'The key was the same in both sessions',
          'Yes. Run and action make the key: whoever retries asks under the same name and finds the result.',
        ),
        answer('The crash came later', 'It came at the very same instant: try it again.'),
      ],
    },
  },
  {
    id: 'e4',
    title: 'State and event in two commits',
    sentence: 'Two transactions, one after the other, and a crash fits in between.',
    people:
      'The state is saved by one function and the event by another, each with its own commit. It is tempting: both are short, each is tested, and between two lines of code nothing ever seems to happen.',
    kind: {
      type: 'crash',
      variants: [
        { id: 'e4-state-first', label: 'the state first, then the event' },
        { id: 'e4-event-first', label: 'the event first, then the state' },
      ],
    },
    question: whichBreaks,
    guesses: invariantGuesses,
    source: 'two-commits',
    why: {
      question: why,
      answers: [
        answer(
          'The two statements were faster',
          'Between them is still an instant, and a crash needs no more.',
        ),
        answer('The event was written first', 'Then the state is what is missing: try the other order.'),
        right(
          'Both were in one transaction',
          'Yes. At the same instant neither was durable, so session 2 found the former version, whole.',
        ),
      ],
    },
  },
  {
    id: 'e5',
    title: 'No version in the UPDATE',
    sentence: 'Two workers load the same version, both save, and nobody is told.',
    people:
      'The UPDATE names the run and not the version that was read. It is tempting: with one worker it always works, and the second one comes with success, or with a second tab.',
    kind: { type: 'race' },
    question: whichBreaks,
    guesses: invariantGuesses,
    source: 'no-version',
    why: {
      question: why,
      answers: [
        right(
          'The second UPDATE matched no row',
          'Yes. “AND version = 1” finds nothing once version 2 is stored: 0 rows changed is a conflict.',
        ),
        answer('The second worker waited for the first', 'It did not wait: it was refused, and loads again.'),
        answer(
          'The tool was called once',
          'Look at the log: it was called twice. The check protects the row, not the outside world.',
        ),
      ],
    },
  },
  {
    id: 'e6',
    title: 'A slow call inside the transaction',
    sentence: 'BEGIN, a language model call of two seconds, COMMIT: everybody else waits, and is refused.',
    people:
      'The transaction begins before a language model call and ends after its answer, so that all of it is one unit. It is tempting: that is what transactions are for.',
    kind: { type: 'slow call' },
    question: 'what becomes of the second worker?',
    guesses: ['it waits and then writes', 'it is refused', 'both write at the same time'],
    source: 'slow-call',
    why: {
      question: why,
      answers: [
        answer('The busy timeout was longer', 'It was the same. A longer one makes the others wait longer.'),
        right(
          'The lock was held only for the write',
          'Yes. The call is made outside; only its saved result needs the lock, for milliseconds.',
        ),
        answer('The slow call was faster', 'It took the same two seconds.'),
      ],
    },
  },
  {
    id: 'e7',
    title: 'SQLite as a shared service for many writers',
    sentence: 'One file, one writer at a time: it goes well for long, and then not at all.',
    people:
      'All workers of all users write to one SQLite file. It is tempting: it goes very well with two, with four, with eight.',
    kind: { type: 'load' },
    question:
      'with 64 writers, each at work for 0.1 s between two writes of 10 ms, how many writes are refused?',
    guesses: ['almost none', 'about one in ten', 'more than one in ten'],
    source: 'many-writers',
    why: {
      question: 'Why does it bend so suddenly?',
      answers: [
        answer(
          'SQLite gets slower with more writers',
          'Each write takes as long as before. What grows is the wait.',
        ),
        right(
          'The lock is in use nearly all the time',
          'Yes. One writer at a time: when all together want it for more than all of the time, someone is always left.',
        ),
        answer(
          'The file has grown too large',
          'Its size has no part in the model, and little in the matter.',
        ),
      ],
    },
  },
  {
    id: 'e8',
    title: 'A rule taken for intelligence, a model taken at its word',
    sentence:
      'What a language model says is stored as it was said: wrongly, in bad JSON, with an action that is none.',
    people:
      'A fixed rule did well on six tickets, so its place is given to a language model and its answers go straight into the tables. It is tempting: an answer in the right form needs no code at all. Here three of the six are in the right form.',
    kind: { type: 'tickets' },
    question: whichBreaks,
    guesses: [
      'I1: a running run has a next action',
      'I5: one checkpoint event for each version',
      'I7: each stored priority is one that the workflow knows',
      'none of them',
    ],
    source: 'rule-as-agent',
    why: {
      question: why,
      answers: [
        answer(
          'The rule is more intelligent',
          'It is not intelligent at all. It is a rule: the same for the same ticket.',
        ),
        right(
          'What was stored could only be one of two words',
          'Yes. Whoever decides, its answer must be checked before it is stored. That it is the right one, only people can say.',
        ),
        answer(
          'An invariant corrected the others',
          'Invariants find and never mend. And a wrong “normal” breaks none.',
        ),
      ],
    },
  },
];
