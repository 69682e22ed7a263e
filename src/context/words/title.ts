import { startOf } from '#base/words.js';
import { nameOf, type Session } from '#session/session.js';
import type { LlmMessage } from '../replay/content.js';
import { messageOfEntry } from '../replay/entry-message.js';
import { preview } from './message-text.js';

const MOST_CHARACTERS = 72;

/** The title of a session: its name, else the first words of its user. */
export function titleOf(session: Session): string {
  return nameOf(session) ?? firstWords(session) ?? `Session ${session.header.id}`;
}

function firstWords(session: Session): string | null {
  const { heads } = session.tree;
  let first = 0;
  while (first < heads.length && heads.roleAt(first) !== 'user') first += 1;
  const head = heads.at(first);
  const message = head && messageOfEntry(session.entry(head));
  // The head confirms that it is a user message.
  const words = message ? preview(message as LlmMessage).replace(/\s+/g, ' ') : '';
  if (words === '') return null;
  return words.length <= MOST_CHARACTERS ? words : `${startOf(words, MOST_CHARACTERS).replace(/\s+\S*$/, '')} …`;
}
