import type { LineFields } from '../../../scan/line-fields.js';
import { CLAUDE_FIELD, isChainType, KNOWN_TEXT, readTimestamp } from './fields.js';

/** The facts about a file that its records repeat; null where none has them. */
export interface FileFacts {
  readonly firstTimestamp: string | null;
  /** Empty without one. */
  readonly sessionId: string;
  readonly cwd: string | null;
  /** The version of the client that wrote the newest record. */
  readonly version: string | null;
  readonly agentId: string | null;
  /** The session from which this one was forked. */
  readonly originId: string | null;
}

export function readFileFacts(fields: LineFields): FileFacts {
  return {
    firstTimestamp: readFirstTimestamp(fields),
    sessionId: readFirstText(fields, CLAUDE_FIELD.sessionId, KNOWN_TEXT.empty) ?? '',
    cwd: readFirstText(fields, CLAUDE_FIELD.cwd),
    version: readLastText(fields, CLAUDE_FIELD.version),
    agentId: readFirstText(fields, CLAUDE_FIELD.agentId),
    originId: readFirstText(fields, CLAUDE_FIELD.origin),
  };
}

/** The text of a field in the nearest record at a line or before it. Lines count from 1. */
export function readTextUpTo(fields: LineFields, line: number, field: number): string | null {
  for (let at = Math.min(line, fields.length) - 1; at >= 0; at -= 1) {
    const text = fields.textAt(at, field);
    if (text !== 0) return fields.text(text) || null;
  }
  return null;
}

function readFirstTimestamp(fields: LineFields): string | null {
  for (let line = 0; line < fields.length; line += 1) {
    const isRecord =
      isChainType(fields.textAt(line, CLAUDE_FIELD.type)) && fields.textAt(line, CLAUDE_FIELD.uuid) !== 0;
    const timestamp = isRecord ? readTimestamp(fields, line) : '';
    if (timestamp !== '') return timestamp;
  }
  return null;
}

function readFirstText(fields: LineFields, field: number, except = 0): string | null {
  for (let line = 0; line < fields.length; line += 1) {
    const text = fields.textAt(line, field);
    if (text !== 0 && text !== except) return fields.text(text);
  }
  return null;
}

function readLastText(fields: LineFields, field: number): string | null {
  for (let line = fields.length - 1; line >= 0; line -= 1) {
    const text = fields.textAt(line, field);
    if (text !== 0) return fields.text(text);
  }
  return null;
}
