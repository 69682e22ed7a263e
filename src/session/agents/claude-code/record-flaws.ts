import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { RecordFlaw } from '../copy.js';
import { contentOf } from './content.js';
import { isResultBlock } from './fields.js';

/** Finds what the API of Claude refuses of a record. */
export function findFlaws(record: JsonObject): readonly RecordFlaw[] {
  const { type } = record;
  if (type !== 'user' && type !== 'assistant') return [];
  const content = contentOf(record);
  const blocks = listObjects(content);
  const isUnsigned = type === 'assistant' && blocks.some(isUnsignedThinking);
  const isEmpty = typeof content === 'string' ? isBlank(content) : blocks.some(isEmptyBlock);
  return [...(isUnsigned ? (['unsigned thinking'] as const) : []), ...(isEmpty ? (['empty text'] as const) : [])];
}

/** A signature is base64 text. */
const SIGNATURE = /^[\w+/=-]+$/;

function isUnsignedThinking({ type, signature }: JsonObject): boolean {
  return type === 'thinking' && !SIGNATURE.test(asString(signature) ?? '');
}

/** A text without content, or a result with one; a failed result needs a text. */
function isEmptyBlock(block: JsonObject): boolean {
  if (block['type'] === 'text') return isBlank(block['text']);
  if (!isResultBlock(block)) return false;
  const { content, is_error: isError } = block;
  const inner = listObjects(content);
  if (inner.some((each) => asObject(each)['type'] === 'text' && isBlank(each['text']))) return true;
  return isError === true && (typeof content === 'string' ? isBlank(content) : inner.length === 0);
}

function isBlank(text: unknown): boolean {
  return typeof text === 'string' && text.trim() === '';
}
