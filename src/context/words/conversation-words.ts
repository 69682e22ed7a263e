import type { Files } from '#platform/files/files.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { answersRequest } from '#session/tree/turns.js';
import { openSession, openSessionTail, withSession } from '../open.js';
import type { LlmMessage } from '../replay/content.js';
import { readEntryMessage } from '../replay/convert.js';
import { previewMessage, shorten } from './message-text.js';
import { describeWordless, readTitle } from './session-title.js';

/** The first and the last words of a conversation; null for those that were not found. */
export interface ConversationWords {
  /** The first message of the user. */
  readonly first: string | null;
  /** The last message of the user, unless it is the first. */
  readonly asked: string | null;
  /** The last answer of a provider. */
  readonly answered: string | null;
}

/** The beginning of a file in which the first words are searched. */
const BEGINNING_BYTES = 1 << 18;
/** The size up to which the session of another agent is read. Any part of such a session may need all others. */
const MOST_FOREIGN_BYTES = 20e6;

/** A session file, with its size and the agent that wrote it. */
interface SessionFile {
  readonly file: string;
  readonly agent: string;
  readonly bytes: number;
}

/** Reads the beginning and the end of a file. Throws a CtxError (input) if it is not a session. */
export async function readConversationWords(
  files: Files,
  { file, agent, bytes }: SessionFile,
): Promise<ConversationWords> {
  const isRead = agent === 'pi' || bytes <= MOST_FOREIGN_BYTES;
  const tail = isRead ? await withSession(openSessionTail(file, files, isEnough), readWords) : NO_WORDS;
  if (tail.first !== null) return tail;
  const beginning = openSession(files.beginning(file, BEGINNING_BYTES), files);
  return { ...tail, first: (await withSession(beginning, readWords)).first };
}

export const NO_WORDS: ConversationWords = { first: null, asked: null, answered: null };

function isEnough(tail: Session): boolean {
  const { asked, answered } = readWords(tail);
  return asked !== null && answered !== null;
}

/** Reads the words along the active path of a session that may be read in part. The first words need its root. */
function readWords(session: Session): ConversationWords {
  const path = activePath(session.tree);
  const wordsOf = (head: Head | undefined): string | null => {
    const message = head && readEntryMessage(session.entry(head));
    return message ? previewMessage(message as LlmMessage).replaceAll(/\s+/g, ' ') : null;
  };
  const askedIn = (head: Head | undefined): string | null => {
    const message = head && readEntryMessage(session.entry(head));
    return message ? shorten(readTitle(message as LlmMessage)) || describeWordless(message as LlmMessage) : null;
  };
  const isWorded = (head: Head): boolean => {
    const message = isOfUser(head) ? readEntryMessage(session.entry(head)) : null;
    return message !== null && readTitle(message as LlmMessage) !== '';
  };
  const first = path[0]?.parentId ? undefined : (path.find(isWorded) ?? path.find(isOfUser));
  const last = path.findLast(isWorded) ?? path.findLast(isOfUser);
  return {
    first: askedIn(first),
    asked: last === first ? null : askedIn(last),
    answered: wordsOf(path.findLast(answersRequest)),
  };
}

function isOfUser({ role }: Head): boolean {
  return role === 'user';
}
