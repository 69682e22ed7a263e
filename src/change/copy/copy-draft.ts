import { CtxError } from '#base/errors.js';
import { asObject, type JsonObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hasPacket } from '#context/replay/ctx-entries.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { CopyChanges } from '#session/agents/copy-changes.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Draft, redraft } from '../plan/draft.js';

/** The changes of a copy, and the contexts of the session and of the copy. */
export interface CopyDraft {
  readonly changes: CopyChanges;
  /** The context of the session, where the copy is compared with it. */
  readonly before: ContextEnvelope;
  /** The context at the end of the copy. */
  readonly after: ContextEnvelope;
}

/** The changes of a plain copy. */
const NO_CHANGES: CopyChanges = {
  end: null,
  dropped: new Set(),
  replaced: new Map(),
  answered: new Map(),
  undone: new Set(),
  compaction: null,
  histories: new Map(),
  added: [],
};

/**
 * The copy that has the context of a draft. Its entries are edits, one compaction, and texts after them. Throws a CtxError
 * (refused) for others, which no record of another agent can hold.
 */
export function draftEditedCopy({ session, entries, from, before, after }: Draft): CopyDraft {
  const dropped = new Set<number>();
  const replaced = new Map<number, readonly JsonObject[]>();
  const added: string[] = [];
  let compaction: CopyChanges['compaction'] = null;
  for (const entry of entries) {
    if (entry.type === 'context_edit') {
      const target = findIndex(session, entry.targetId);
      if (entry.replacement === null) dropped.add(target);
      else replaced.set(target, listBlocks(asObject(entry.replacement)));
    } else if (entry.type === 'compaction') {
      const { summary, firstKeptEntryId: kept, id, tokensBefore } = entry;
      const firstKept = kept === id ? null : findIndex(session, kept);
      compaction = { summary: String(summary), firstKept, tokensBefore: Number(tokensBefore) };
    } else if (entry.type === 'custom_message' && typeof entry.content === 'string') added.push(entry.content);
    else if (entry.type !== 'custom') throw buildUnfitCopyError(session);
  }
  const end = from?.index === session.tree.leaf?.index ? null : from;
  return { changes: { ...NO_CHANGES, end, dropped, replaced, compaction, added }, before, after };
}

/**
 * The draft of a copy: its summary says what it is, since other agents than Pi do not say it, and its size is that of the copy
 * when it is read.
 */
export function adaptToCopy(draft: Draft): Draft {
  return measureAsCopy(introduceSummary(draft));
}

/** A draft whose summary is sent verbatim, with a sentence before it unless it is a packet. */
function introduceSummary(draft: Draft): Draft {
  const isIntroduced = draft.entries.every(({ type, sentVerbatim }) => type !== 'compaction' || sentVerbatim === true);
  if (isIntroduced) return draft;
  const entries = draft.entries.map((entry) => {
    if (entry.type !== 'compaction') return entry;
    const summary = String(entry.summary);
    return { ...entry, summary: hasPacket(entry) ? summary : `${INTRODUCTION}\n\n${summary}`, sentVerbatim: true };
  });
  return redraft(draft, entries);
}

const INTRODUCTION = 'The earlier messages of this conversation were replaced by this summary of them:';

/**
 * The copy without some compactions: the messages that they removed are in its context again. Afterwards the session shows
 * them as undone.
 */
export function draftCopyWithout(session: OpenSession, undone: ReadonlySet<number>): CopyDraft {
  const first = Math.min(...undone);
  const { heads, leaf } = session.tree;
  const before = buildEnvelope(session, leaf);
  for (const index of undone) heads.setType(index, 'custom');
  // The leaf may be one of them, and is a copy of what was read.
  const end = leaf && (heads.at(leaf.index) ?? null);
  const after = buildEnvelope(dropCounts(session, first), end);
  return { changes: { ...NO_CHANGES, undone }, before, after };
}

/**
 * A draft whose context is measured by one of two counts of the provider: the last one of the original, less what the copy
 * leaves out; or the last one before the first change, plus what follows it. The one that leaves fewer tokens to an estimate
 * is used, so that the size mostly equals that of the copy when it is read.
 */
function measureAsCopy(draft: Draft): Draft {
  const { session, longer, entries, after } = draft;
  const first = findFirstChanged(session, entries);
  if (first === null) return draft;
  const kept = buildEnvelope(attachPatchReader(dropCounts(longer, first)), longer.tree.leaf);
  const { size, composition } = kept.meta;
  const isBetter = size.recorded > 0 && Math.abs(size.estimated) < Math.abs(after.meta.size.estimated);
  return isBetter ? { ...draft, after: { ...after, meta: { ...after.meta, size, composition } } } : draft;
}

/** The index of the first entry that new entries change, drop or keep after a compaction; null if they change none. */
function findFirstChanged({ tree: { heads } }: Session, entries: readonly JsonObject[]): number | null {
  const ids = entries.flatMap(({ targetId, firstKeptEntryId }) => [targetId, firstKeptEntryId]);
  const changed = ids.flatMap((id) => (typeof id === 'string' ? (heads.find(id)?.index ?? []) : []));
  return changed.length === 0 ? null : Math.min(...changed);
}

/** A session without the counts of requests from an entry on, which are those of another context. */
function dropCounts<Counted extends Session>(session: Counted, first: number): Counted {
  return {
    ...session,
    usage: (head: Head) => (head.index >= first ? null : session.usage(head)),
    entry(head: Head) {
      const entry = session.entry(head);
      if (head.index < first || head.role !== 'assistant') return entry;
      return { ...entry, message: { ...asObject(entry.message), usage: { cost: {}, notRecorded: true } } };
    },
  };
}

/** The copy that ends at an entry; null: a copy of everything. */
export function draftCopyTo(session: OpenSession, end: Head | null): CopyDraft {
  const before = buildEnvelope(session, session.tree.leaf);
  return { changes: { ...NO_CHANGES, end }, before, after: end ? buildEnvelope(session, end) : before };
}

function findIndex(session: Session, id: unknown): number {
  const head = session.tree.heads.find(id as RawId);
  if (!head) throw buildUnfitCopyError(session);
  return head.index;
}

/** Builds the error for a change that no record of another agent can hold. */
export function buildUnfitCopyError({ agent, file }: Session): CtxError {
  return new CtxError('refused', `a session of ${agent?.title ?? 'this agent'} cannot hold this change`, {
    where: file,
    hint: 'it can hold dropped and changed messages, and compactions; ctx convert makes a session of Pi, which holds all',
  });
}
