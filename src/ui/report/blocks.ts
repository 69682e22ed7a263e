import { asString, asText, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { blocksOf } from '#context/words/message-text.js';
import type { Block } from './data.js';
import { limited, longestThatFits } from './text-limit.js';

/** A block whose text is whole. */
type Whole = readonly [kind: Block[0], text: string, name?: string];

/** What a message holds, in texts that take at most `most` bytes together. */
export function blocksFor(message: LlmMessage, most: number): readonly Block[] {
  const whole = blocksOf(message).map(blockOf);
  if (most === Infinity) return whole;
  const longest = longestThatFits(
    Float64Array.from(whole, ([, text]) => Buffer.byteLength(text)),
    most,
  );
  return whole.map(([kind, text, name]) => withName(kind, limited(text, longest), name));
}

/** How a message ended, where that was not well. */
export function failureOf({ isError, stopReason, errorMessage }: JsonObject): string {
  if (isError === true) return 'failed';
  if (stopReason !== 'aborted' && stopReason !== 'error') return '';
  const why = asString(errorMessage) ?? '';
  return why === '' ? stopReason : `${stopReason}: ${why.slice(0, MOST_OF_AN_ERROR)}`;
}

const MOST_OF_AN_ERROR = 2000;

function blockOf(block: JsonObject): Whole {
  switch (block['type']) {
    case 'text':
      return ['text', asString(block['text']) ?? ''];
    case 'thinking':
      return ['thinking', asString(block['thinking']) ?? ''];
    case 'toolCall':
      return ['call', jsonOf(block['arguments']), asText(block['name'] ?? '?')];
    case 'image':
      return ['image', `${asString(block['data'])?.length ?? 0} characters`, asText(block['mimeType'] ?? 'image')];
    default:
      return ['other', jsonOf(block)];
  }
}

function withName(kind: Block[0], text: Block[1], name: string | undefined): Block {
  return name === undefined ? [kind, text] : [kind, text, name];
}

/** For people to read. What is nested too deeply to be written is said to be. */
export function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? '';
  } catch {
    return '(nested too deeply to be shown)';
  }
}
