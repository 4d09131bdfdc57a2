/**
 * Owns: the body of an answer from the network as a JSON object, read no further than is bearable.
 * Leaves: what it says about the work to http-tools.ts.
 */
import type { JsonObject } from '../engine/json.ts';
import { decodeJson, encodeJson, isJsonObject } from '../engine/json.ts';

/** Bytes. A result goes into the database and onto the screen. */
export const largestAnswer = 256 * 1024;

export type AnswerObject =
  | { readonly type: 'object'; readonly value: JsonObject }
  | { readonly type: 'none'; readonly reason: string };

/** Never rejects; the reason is in plain words. */
export async function answerObject(response: Response): Promise<AnswerObject> {
  const none = (reason: string): AnswerObject => ({ type: 'none', reason });
  let text: string | null;
  try {
    text = await boundedText(response);
  } catch {
    return none('what came with it broke off, or is no text');
  }
  if (text === null) return none(`what came with it is longer than ${String(largestAnswer)} bytes`);
  const value = decodeJson(text)?.value;
  // Also refused is what our own tables can't hold, such as a lone surrogate.
  if (!isJsonObject(value) || !encodeJson(value, 'answer').ok) {
    return none('what came with it is no JSON object');
  }
  return { type: 'object', value };
}

/** Null: too long. Rejects when it breaks off, and when it is not UTF-8. */
async function boundedText({ body }: Response): Promise<string | null> {
  if (body === null) return '';
  const reader = body.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let length = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > largestAnswer) {
      void reader.cancel().catch(() => undefined);
      return null;
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
