/** Owns: in words for a person, what became of a call in the outside world's log, and why an address is refused; pure. */
import type { AddressRefused, DeskSettings } from '../bridge/outside-settings.ts';
import type { ReceivedCall } from '../bridge/views.ts';

export interface Said {
  readonly words: string;
  readonly tone: '' | 'ok' | 'accent' | 'warn' | 'danger';
}

/** What became of the work. */
export function workSaid(work: ReceivedCall['work']): Said {
  switch (work) {
    case 'done':
      return { words: 'work done', tone: 'ok' };
    case 'recognised':
      return { words: 'key recognised: not done again', tone: 'accent' };
    case 'refused':
      return { words: 'refused: known key, other arguments', tone: 'danger' };
    case 'failed':
      return { words: 'failed: no work done', tone: 'warn' };
    case 'unknown':
      return { words: 'sent: what was done is not known', tone: 'warn' };
    case 'asked':
      return { words: 'only asked about', tone: '' };
  }
}

/** What became of the answer; null: it was given, as it should be. */
export function replySaid(reply: ReceivedCall['reply']): Said | null {
  switch (reply) {
    case 'given':
      return null;
    case 'lost':
      return { words: 'answer lost', tone: 'danger' };
    case 'unheard':
      return { words: 'nobody waited for the answer', tone: 'warn' };
    case 'awaited':
      return { words: 'answer to come', tone: '' };
  }
}

/** "honours keys, answers after 5 s, loses the next answer" */
export function deskInWords({
  honoursKeys,
  delayMs,
  trouble,
  troubleTimes,
  answersStatus,
}: DeskSettings): string {
  const next = troubleTimes === 'once' ? 'the next' : 'every';
  return [
    honoursKeys ? 'honours keys' : 'IGNORES keys',
    delayMs === 0 ? 'answers at once' : `answers after ${delayMs / 1000} s`,
    ...(trouble === 'fails_before' ? [`fails ${next} call`] : []),
    ...(trouble === 'loses_answer' ? [`loses ${next} answer`] : []),
    ...(answersStatus ? [] : ['can’t be asked']),
  ].join(', ');
}

export function troubleWords(trouble: DeskSettings['trouble']): string {
  return {
    none: 'none',
    fails_before: 'fails before the work',
    loses_answer: 'does the work and loses the answer',
  }[trouble];
}

/** What the desk did of a trouble that was to come once. */
export function usedUpSentence(trouble: DeskSettings['trouble']): string | null {
  switch (trouble) {
    case 'none':
      return null;
    case 'fails_before':
      return 'It failed once, as you set. That is used up.';
    case 'loses_answer':
      return 'It lost one answer, as you set. That is used up.';
  }
}

export function addressSentence(because: AddressRefused['because']): string {
  switch (because) {
    case 'not_an_address':
      return 'This can’t be read as an address. A whole one begins with https://, as in https://example.org/hook.';
    case 'not_http':
      return 'Calls can only be sent to an address that begins with https:// or http://.';
    case 'has_password':
      return 'A user name or a password stands in this address. It would be stored with each call, so it is refused.';
    case 'plain_http':
      return 'This page came over https: the browser sends nothing from here to http://, but for this device (localhost).';
  }
}
