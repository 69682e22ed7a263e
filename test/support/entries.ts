import { openSession, type OpenSession } from '#context/open.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { type ByteSource, toByteSource } from '../../src/session/scan/byte-source.js';

export type Entry = Readonly<Record<string, unknown>>;

export const HEADER = {
  type: 'session',
  version: 3,
  id: 'the-session',
  timestamp: '2026-01-05T09:00:00.000Z',
  cwd: '/home/ada/weather',
} as const;

const TIMESTAMP = '2026-01-05T09:00:01.000Z';

/** An entry as Pi writes it. `undefined` leaves a key out. */
export function entry(type: string, id: unknown, parentId: unknown, rest: Entry = {}): Entry {
  return { type, id, parentId, timestamp: TIMESTAMP, ...rest };
}

function message(id: unknown, parentId: unknown, fields: Entry): Entry {
  return entry('message', id, parentId, { message: fields });
}

export function user(id: unknown, parentId: unknown, content: unknown = `question ${String(id)}`): Entry {
  return message(id, parentId, { role: 'user', content });
}

export function assistant(id: unknown, parentId: unknown, content: readonly unknown[] = [], more: Entry = {}): Entry {
  return message(id, parentId, { role: 'assistant', content, ...more });
}

/** An answer that calls `read` once for each of these ids. */
export function calling(id: unknown, parentId: unknown, callIds: readonly string[], stopReason = 'toolUse'): Entry {
  const content = callIds.map((callId) => ({ type: 'toolCall', id: callId, name: 'read', arguments: {} }));
  return assistant(id, parentId, content, { stopReason });
}

/** The result of a call; `more` replaces fields of the message. */
export function toolResult(id: unknown, parentId: unknown, toolCallId: unknown, more: Entry = {}): Entry {
  const content = [{ type: 'text', text: `what ${String(id)} says` }];
  return message(id, parentId, { role: 'toolResult', toolCallId, toolName: 'read', content, isError: false, ...more });
}

export function label(id: unknown, parentId: unknown, targetId: unknown, text?: string): Entry {
  return entry('label', id, parentId, { targetId, label: text });
}

export function compaction(id: unknown, parentId: unknown, firstKeptEntryId: unknown): Entry {
  return entry('compaction', id, parentId, { summary: 'what happened', tokensBefore: 1000, firstKeptEntryId });
}

/** u1 a1 u2 a2, one after another. */
export const TALK: readonly Entry[] = [
  user('u1', null),
  assistant('a1', 'u1'),
  user('u2', 'a1'),
  assistant('a2', 'u2'),
];

/** Lines of a file: entries become JSON, strings stay as they are. */
export function lines(...parts: readonly (Entry | string)[]): string {
  return parts.map((part) => `${typeof part === 'string' ? part : JSON.stringify(part)}\n`).join('');
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

export function sourceOf(content: string | Uint8Array): ByteSource {
  return toByteSource(typeof content === 'string' ? bytes(content) : content);
}

/** A session of version 3 that holds these lines. */
export function sessionOf(...parts: readonly (Entry | string)[]): Session {
  return readSession(sourceOf(lines(HEADER, ...parts)), 'session.jsonl');
}

/** A session of this content, as a command opens it. */
export function opened(content: string | Uint8Array): Promise<OpenSession> {
  return openSession(typeof content === 'string' ? bytes(content) : content);
}

/** The ids from the root to the active leaf. */
export function activePath({ tree }: Session): readonly unknown[] {
  return tree.leaf ? pathTo(tree, tree.leaf).map(({ id }) => id) : [];
}
