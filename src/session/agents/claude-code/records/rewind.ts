import type { JsonObject } from '#base/json.js';
import { isTruthy } from '../../../scan/field-layout.js';
import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, RECORD_TYPE } from './fields.js';
import type { RecordIndex } from './record-index.js';

/** A place in the conversation to which the user went back, without writing anything since. */
export interface Rewind {
  /** The uuid of the last record that stays, which is a text; null if none stays. */
  readonly uuid: number | null;
}

/**
 * Finds where the client resumes after a rewind: it writes a record `last-prompt` for that (`explicit`), which counts
 * until the next record of the conversation. A later one of the same place keeps it, one of another place ends it. So do
 * Claude Code 2.1.237 to 2.1.332. null if the client resumes at the newest record.
 */
export function findRewind(
  fields: LineFields,
  { types }: RecordIndex,
  prompts: readonly number[],
  valueAt: (line: number) => JsonObject,
): Rewind | null {
  const newest = types.findLastIndex((type, line) => type !== 0 && isOfConversation(fields, line));
  let leaf: string | null = null;
  let isExplicit = false;
  let isCleared = false;
  for (const line of prompts) {
    if (line < newest) continue;
    const { leafUuid, explicit } = valueAt(line);
    if (typeof leafUuid === 'string' && leafUuid !== '') {
      isExplicit = explicit === true || (isExplicit && leafUuid === leaf);
      isCleared = false;
      leaf = leafUuid;
    } else if (leafUuid === null && explicit === true) {
      isExplicit = false;
      isCleared = true;
      leaf = null;
    }
  }
  if (isCleared) return { uuid: null };
  return isExplicit && leaf !== null ? { uuid: fields.intern(leaf) } : null;
}

function isOfConversation(fields: LineFields, line: number): boolean {
  const isProgress = fields.textAt(line, CLAUDE_FIELD.type) === RECORD_TYPE.progress;
  return !isProgress && !isTruthy(fields.at(line, CLAUDE_FIELD.isSide));
}
