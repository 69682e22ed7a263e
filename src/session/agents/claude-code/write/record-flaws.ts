import { asString, type JsonObject, listObjects } from '#base/json.js';
import type { RecordFlaw } from '../../faults.js';
import { contentOf } from '../content/content.js';
import { isResultBlock } from '../records/fields.js';

/** Finds what the API of Claude refuses of a record. */
export function findFlaws(record: JsonObject): readonly RecordFlaw[] {
  const { type } = record;
  if (type !== 'user' && type !== 'assistant') return [];
  const content = contentOf(record);
  const blocks = listObjects(content);
  const flaws: RecordFlaw[] = [];
  if (type === 'assistant' && blocks.some(isUnsignedThinking)) flaws.push('unsigned thinking');
  if (typeof content === 'string' ? isBlank(content) : blocks.some(hasEmptyText)) flaws.push('empty text');
  if (blocks.some(isEmptyFailure)) flaws.push('empty failure');
  return flaws;
}

/** A signature is base64 text. */
const SIGNATURE = /^[\w+/=-]+$/;

function isUnsignedThinking({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && !SIGNATURE.test(asString(signature) ?? '');
}

/** A text without content, or a result with one. */
function hasEmptyText(block: JsonObject): boolean {
  if (block['type'] === 'text') return isBlank(block['text']);
  return (
    isResultBlock(block) && listObjects(block['content']).some(({ type, text }) => type === 'text' && isBlank(text))
  );
}

/** A failed result needs a text. */
function isEmptyFailure(block: JsonObject): boolean {
  const { content, is_error: isError } = block;
  if (!isResultBlock(block) || isError !== true) return false;
  return typeof content === 'string' ? isBlank(content) : listObjects(content).length === 0;
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}
