import { CtxError } from '#base/errors.js';
import { searchText, toolNames } from '#context/words/message-text.js';
import type { NumberedMessage } from '#ui/parts/message-view.js';

/** Which messages to print; what is undefined does not restrict. */
export interface Selection {
  readonly number: number | undefined;
  readonly role: string | undefined;
  readonly tool: string | undefined;
  readonly pattern: RegExp | undefined;
}

/** The messages that match all that is asked for. Throws a CtxError (usage) for a number that there is not. */
export function selectMessages(
  all: readonly NumberedMessage[],
  { number, role, tool, pattern }: Selection,
): readonly NumberedMessage[] {
  if (number !== undefined && !all[number - 1]) {
    throw new CtxError('usage', `there is no message ${number}`, {
      hint: all.length === 0 ? 'there are none here' : `the messages here are numbered 1 to ${all.length}`,
    });
  }
  return all.filter(
    (item) =>
      (number === undefined || item.number === number) &&
      (role === undefined || item.message.role === role) &&
      (tool === undefined || toolNames(item.message).includes(tool)) &&
      (pattern === undefined || pattern.test(searchText(item.message))),
  );
}
