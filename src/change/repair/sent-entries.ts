import { memoize } from '#base/memoize.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { RecordFlaw } from '#session/agents/faults.js';
import type { Head } from '#session/heads/head.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import type { SessionToCopy } from '../copy/session-to-copy.js';

/** A message of the context, and the entry that has it. */
export interface SentEntry {
  readonly message: LlmMessage;
  readonly head: Head | null;
  /**
   * The place where the content can be changed: the message of the entry, or the history that it records. null: it
   * cannot.
   */
  readonly holder: 'entry' | 'history' | null;
}

/** The messages of the context, which the next request sends. */
export function listSentEntries(session: SessionToCopy, readTraits: TraitReader): readonly SentEntry[] {
  const { messages, meta } = buildEnvelope(session, session.tree.leaf);
  return messages.cached.flatMap((message, at): readonly SentEntry[] => {
    const from = meta.provenance[at];
    if (!from) return [];
    const head = findHeadAtLine(session, from.line, from.entryId) ?? null;
    return [{ message, head, holder: findHolder(head, from, readTraits) }];
  });
}

function findHolder(head: Head | null, { origin }: Provenance, readTraits: TraitReader): SentEntry['holder'] {
  if (head === null) return null;
  if (origin === 'entry' || origin === 'edit') return 'entry';
  return readTraits(head.index).holdsHistory ? 'history' : null;
}

/** The entries whose content can be changed, each once: many messages of a history have one entry. */
export function listHolders(sent: readonly SentEntry[]): readonly Head[] {
  const heads = new Map<number, Head>();
  for (const { head, holder } of sent) {
    if (head && holder) heads.set(head.index, head);
  }
  return [...heads.values()];
}

/** The facts about the records of an entry as they are stored. */
export interface RecordTraits {
  readonly flaws: ReadonlySet<RecordFlaw>;
  readonly holdsHistory: boolean;
}

export type TraitReader = (index: number) => RecordTraits;

/** Reads the records of an entry once: a history has many messages, and its record is long. */
export function buildTraitReader({ native, copier, tree }: SessionToCopy): TraitReader {
  return memoize((index: number): RecordTraits => {
    const head = tree.heads.at(index);
    const records = (head && native?.of(head).map((span) => native.valueAt(span))) ?? [];
    return {
      flaws: new Set(records.flatMap((record) => copier.records.findFlaws(record))),
      holdsHistory: records.some((record) => copier.records.holdsHistory(record)),
    };
  });
}
