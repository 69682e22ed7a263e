import { type Entry, entry, HEADER, lines } from './entries.js';

const TIME = Date.UTC(2026, 0, 5, 9, 0, 2);

export function said(id: string, parentId: string | null, role: string, text: string, more: Entry = {}): Entry {
  const content = [{ type: 'text', text }, ...((more['calls'] as readonly Entry[] | undefined) ?? [])];
  const { calls: _, ...fields } = more;
  return entry('message', id, parentId, { message: { role, content, timestamp: TIME, ...fields } });
}

const MODEL = { provider: 'faux', model: 'faux-1', api: 'faux' };
const CALL = { type: 'toolCall', id: 'c1', name: 'read', arguments: { path: 'a.txt' } };

/** Two turns: u1 a1(calls) r1 a2, u2 a3. Three requests, all answered. */
export const TWO_TURNS: readonly Entry[] = [
  said('u1', null, 'user', 'What is in a.txt?'),
  said('a1', 'u1', 'assistant', 'I look.', { ...MODEL, stopReason: 'toolUse', calls: [CALL] }),
  said('r1', 'a1', 'toolResult', 'a secret', { toolCallId: 'c1', toolName: 'read', isError: false }),
  said('a2', 'r1', 'assistant', 'A secret.', { ...MODEL, stopReason: 'stop' }),
  said('u2', 'a2', 'user', 'Tell nobody.'),
  said('a3', 'u2', 'assistant', 'I will not.', { ...MODEL, stopReason: 'stop' }),
];

/** The same as a file. */
export const twoTurns = lines(HEADER, ...TWO_TURNS);

/** The same, and a question that waits for its answer. */
export const waiting = lines(HEADER, ...TWO_TURNS, said('u3', 'a3', 'user', 'And now?'));
