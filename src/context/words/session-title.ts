import { asString } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import { nameOf, type Session } from '#session/session.js';
import type { LlmMessage } from '../replay/content.js';
import { readEntryMessage } from '../replay/convert.js';
import { listBlockTexts } from './message-blocks.js';
import { previewMessage } from './message-text.js';
import { findCommandName, readTitleWords } from './user-words.js';

const MOST_CHARACTERS = 72;

/**
 * Finds the title of a session: its name, else the first words of its user. Words that were copied from another session
 * count only if there are no others.
 */
export function findSessionTitle(session: Session): string {
  const name = nameOf(session);
  if (name !== null) return name;
  const own = session.copiedFrom ? findFirstWords(session, (index) => session.copiedFrom?.(index) === null) : null;
  return own ?? findFirstWords(session, () => true) ?? `Session ${session.header.id}`;
}

/** The first messages of a user in which words are searched: a client may begin with some of its own. */
const MOST_MESSAGES = 20;

/** The words of the first message that has any; without one, what the first message shows. */
function findFirstWords(session: Session, isWanted: (index: number) => boolean): string | null {
  const { heads } = session.tree;
  let instead = '';
  let messages = 0;
  for (let at = 0; at < heads.length && messages < MOST_MESSAGES; at += 1) {
    if (heads.roleAt(at) !== 'user' || !isWanted(at)) continue;
    const head = heads.at(at);
    const message = head && readEntryMessage(session.entry(head));
    // The head confirms that it is a user message.
    const words = message ? readTitle(message as LlmMessage) : '';
    if (words !== '') return cutTitle(words);
    if (message && instead === '') instead = describeWordless(message as LlmMessage);
    messages += 1;
  }
  return instead === '' ? null : cutTitle(instead);
}

/** The words of a user's message on one line, without what a client inserted; '' for one without any. */
export function readTitle(message: LlmMessage): string {
  return readTitleWords(
    listBlockTexts(message, (block) => (block.type === 'text' ? (asString(block.text) ?? '') : '')).join('\n'),
  );
}

/** Names a message without words of a user: the command, or what it shows. */
export function describeWordless(message: LlmMessage): string {
  const shown = previewMessage(message).replace(/^(?:\[reminder\]\s*)+/, '');
  return findCommandName(shown) ?? shown.replaceAll(/\s+/g, ' ');
}

function cutTitle(words: string): string {
  return words.length <= MOST_CHARACTERS ? words : `${sliceStart(words, MOST_CHARACTERS).replace(/\s+\S*$/, '')} …`;
}
