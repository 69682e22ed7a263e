import type { LlmMessage } from '#context/replay/content.js';
import { readEntryMessage, toLlmMessage } from '#context/replay/convert.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { findFileUse, listToolUses } from '../facts/tool-uses.js';
import type { LostFact } from './document.js';
import { listMessageFacts, type MessageFact } from './fact-classes.js';
import type { EntryFate } from './fates.js';
import { KnownFiles } from './known-files.js';
import type { Replacement } from './replacement.js';
import { buildMentionFinder } from './summary-mentions.js';

export interface OwnedFact extends Pick<EntryFate, 'head' | 'fate'> {
  readonly fact: MessageFact;
}

/** The facts of entries that left the context. */
export function listOwnedFacts(session: Session, left: readonly EntryFate[]): readonly OwnedFact[] {
  const owned = left.flatMap((entry) => {
    const message = readSentMessage(session, entry.head);
    return message ? [{ entry, message }] : [];
  });
  const isWritten = (at: number): boolean => owned[at]?.entry.head.role === 'user';
  const found = listMessageFacts(
    owned.map(({ message }) => message),
    isWritten,
  );
  return found.flatMap((fact) => {
    const { head, fate } = owned[fact.at]?.entry ?? {};
    return head && fate ? [{ head, fate, fact }] : [];
  });
}

export function toLostFact({ head, fate, fact }: OwnedFact, findMention: FindFactMention): LostFact {
  return {
    class: fact.class,
    text: fact.text,
    entryId: formatId(head.id),
    line: head.line,
    fate,
    mention: findMention(fact),
  };
}

export function buildFactMentionFinder({ summary, images }: Replacement, { files }: CalledFiles): FindFactMention {
  const findMention = buildMentionFinder(summary, (term) => (files.has(term) ? files.namesOf(term) : [term]));
  return ({ quote, terms, image }) =>
    image !== null && images.has(image) ? 'quoted' : findMention({ text: quote, terms });
}

/** The message of an entry as it is sent; null for an entry without one. */
export function readSentMessage(session: Session, head: Head): LlmMessage | null {
  const message = readEntryMessage(session.entry(head));
  return message && toLlmMessage(message);
}

/** The paths in the calls of answers. Each answer is read once. */
export class CalledFiles {
  readonly files: KnownFiles;

  constructor(private readonly session: Session) {
    this.files = new KnownFiles(session.header.cwd);
  }

  add(head: Head): void {
    if (head.role !== 'assistant') return;
    const answer = readSentMessage(this.session, head);
    for (const use of answer ? listToolUses([answer]) : []) {
      const path = findFileUse(use)?.path;
      if (path !== undefined) this.files.add(path);
    }
  }
}

export type FindFactMention = (fact: MessageFact) => LostFact['mention'];
