import { Buffer } from 'node:buffer';
import { asObject, type JsonObject } from '#base/json.js';
import { isLocalAnswer, LOCAL_MODELS } from './heads/answer.js';
import { type Head, UNKNOWN_PLACE } from './heads/head.js';
import type { Heads } from './heads/heads.js';
import type { ByteSource } from './scan/byte-source.js';

/** The longest usage that is read as one of zeros, which an answer has that no provider gave. */
const ZEROS_BYTES = 160;
/** The bytes before a usage in which Pi writes the model. */
const BEFORE_BYTES = 512;

/**
 * Marks the answers of a session of Pi that no provider gave. The line scanner does not read models: they are read only
 * of answers whose usage may be zeros, or that have none. `read` returns a line as stored.
 */
export function markLocalAnswers(heads: Heads, source: ByteSource, read: (head: Head) => JsonObject): void {
  for (let index = 0; index < heads.length; index += 1) {
    if (!heads.isAnswerAt(index) || heads.usageLengthAt(index) > ZEROS_BYTES) continue;
    const head = heads.at(index);
    if (head && mayBeLocal(source, head) && isLocalAnswer(asObject(read(head).message))) heads.markAdded(index);
  }
}

const KEY = '"model":"';

function mayBeLocal(source: ByteSource, { offset, usageStart, usageLength }: Head): boolean {
  if (usageLength === 0 || usageStart === UNKNOWN_PLACE) return true;
  const bytes = source.read(offset + Math.max(0, usageStart - BEFORE_BYTES), offset + usageStart);
  const text = Buffer.from(bytes).toString('latin1');
  const at = text.lastIndexOf(KEY);
  // A program other than Pi may write the model after the usage.
  return at === -1 || LOCAL_MODELS.has(text.slice(at + KEY.length, text.indexOf('"', at + KEY.length)));
}
