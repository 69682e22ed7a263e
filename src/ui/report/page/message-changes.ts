import type { ReportMessage } from '../data.js';
import type { ListChange } from './lists.js';
import { beginningOf } from './store.js';

/** A message that only one of two requests has, or that differs between them. */
export interface MessageChange {
  readonly kind: 'removed' | 'added' | 'changed';
  readonly before: number | null;
  readonly after: number | null;
}

/** The changes in order. Two versions of the message of one entry are one change. */
export function paired(messages: readonly ReportMessage[], changes: readonly ListChange[]): readonly MessageChange[] {
  const keyOf = (number: number): string => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? `${number}` : `entry ${entry} ${role}`;
  };
  const removed = new Map<string, number>();
  for (const { kind, message } of changes) if (kind === 'removed') removed.set(keyOf(message), message);
  const added = new Set(changes.flatMap(({ kind, message }) => (kind === 'added' ? keyOf(message) : [])));
  return changes.flatMap(({ kind, message }): readonly MessageChange[] => {
    const key = keyOf(message);
    if (kind === 'same' || (kind === 'removed' && added.has(key))) return [];
    if (kind === 'removed') return [{ kind, before: message, after: null }];
    const before = removed.get(key) ?? null;
    return [before === null ? { kind: 'added', before, after: message } : { kind: 'changed', before, after: message }];
  });
}

/** The whole message as one text. */
export function textOfMessage({ blocks }: ReportMessage): string {
  return blocks
    .map(([kind, text, name = '']) => (kind === 'text' ? beginningOf(text) : `[${kind} ${name}]\n${beginningOf(text)}`))
    .join('\n');
}
