import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { hasHalfPair, replaceHalfPairs } from '#base/half-pairs.js';
import { asObject, type JsonObject } from '#base/json.js';
import { type OpenSession, toOpenSession } from '#context/open.js';
import { toReplayable } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { hasPacket } from '#context/replay/ctx-entries.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { AgentCopier, BrokenLink, CopiedSession, CopyChanges } from '#session/agents/copy.js';
import type { AgentFormat, AgentRecord } from '#session/agents/define.js';
import { AGENTS } from '#session/agents/index.js';
import {
  encodeRecord,
  findEnd,
  keepRecord,
  type NativeRecords,
  replaceMember,
} from '#session/agents/native-records.js';
import { readAgentSession } from '#session/agents/reader.js';
import type { Head, RawId } from '#session/heads/head.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { LineSpan } from '#session/scan/lines.js';
import type { Session } from '#session/session.js';
import { activePath, pathTo } from '#session/tree/tree.js';
import { Rope, type RopePiece } from '../bytes/rope.js';
import { type Draft, redraft } from '../plan/draft.js';
import { type NamedLink, nameLinks } from './named-links.js';

/** The format of the agent that wrote a session; null for Pi. */
export function findFormat({ agent }: Pick<Session, 'agent'>): AgentFormat | null {
  return AGENTS.find(({ name }) => name === agent?.name) ?? null;
}

/** The copier of the agent that wrote a session; null for Pi, and for an agent that `ctx` only reads. */
export function findCopier(session: Pick<Session, 'agent'>): AgentCopier | null {
  return findFormat(session)?.copier ?? null;
}

/** The session of another agent, as a copy of it would be read. */
export interface SessionToCopy extends OpenSession {
  readonly copier: AgentCopier;
  /** The broken links that were repaired; empty unless that was asked for. */
  readonly linked: readonly NamedLink[];
  /** The lines of the records in which half of a surrogate pair was replaced; empty unless that was asked for. */
  readonly completed: ReadonlySet<number>;
  /** The file as it is, with the records that no copy has. */
  readonly original: ByteSource;
  /** The line of the file that a line of the copied records comes from; null for a new one. */
  recordedLine(line: number): number | null;
}

/**
 * Reads the session of another agent as a copy of it would be read: without the records that its client computes from the
 * others, which no copy has. Its lines are those of a file without these records. `isRepaired`: each record whose link is broken
 * follows the one before it, and U+FFFD replaces each half of a surrogate pair.
 */
export async function readForCopy(
  session: OpenSession,
  copier: AgentCopier,
  isRepaired = false,
): Promise<SessionToCopy> {
  const { native, file, close } = session;
  const linked = (isRepaired && native && copier.findBrokenLinks?.(native.all())) || [];
  const links = new Map(linked.map((link) => [link.record.offset, link]));
  const pieces: RopePiece[] = [];
  const lines: number[] = [];
  const completed = new Set<number>();
  for (const record of native?.all() ?? []) {
    const { line, offset, length, value } = record;
    if (copier.isDerived(value)) continue;
    lines.push(line);
    const isHalved = isRepaired && hasHalfEscape(session.source, record) && hasHalfPair(copier.sentPart(value));
    if (isHalved) completed.add(lines.length);
    const repaired = native ? repairRecord(native, record, links.get(offset), isHalved) : null;
    if (repaired) pieces.push({ bytes: repaired });
    else pieces.push({ from: offset, length: measureWithoutNewline(session.source, { offset, length }) }, NEWLINE);
  }
  const source = new Rope(session.source, pieces);
  const read = readAgentSession(source, file);
  if (!read) throw new CtxError('refused', 'the session has no message to copy', { where: file, hint: 'ctx check' });
  const copied = { ...(await toOpenSession(read, source)), close, problems: session.problems };
  const recordedLine = (line: number): number | null => lines[line - 1] ?? null;
  return { ...copied, copier, linked: nameLinks(session, linked), completed, original: session.source, recordedLine };
}

/** The line of a record that follows another one, and has no half of a surrogate pair; null for a record that stays. */
function repairRecord(
  native: NativeRecords,
  record: AgentRecord,
  link: BrokenLink | undefined,
  isHalved: boolean,
): Uint8Array | null {
  if (!link && !isHalved) return null;
  const kept = keepRecord(native, record);
  const linked = link ? replaceMember(kept, 'parentUuid', link.from, link.to) : kept;
  return encodeRecord(isHalved && linked.raw !== null ? { ...linked, raw: replaceHalfPairs(linked.raw) } : linked);
}

/** Whether the bytes of a record have an escape of half of a surrogate pair. The other half may follow it. */
function hasHalfEscape(source: ByteSource, { offset, length }: LineSpan): boolean {
  const bytes = Buffer.from(source.read(offset, offset + length));
  return bytes.includes(String.raw`\ud`) || bytes.includes(String.raw`\uD`);
}

function measureWithoutNewline(source: ByteSource, { offset, length }: Pick<LineSpan, 'offset' | 'length'>): number {
  const end = offset + length;
  return length > 0 && source.read(end - 1, end)[0] === 0x0a ? length - 1 : length;
}

const NEWLINE: RopePiece = { bytes: new Uint8Array([0x0a]) };

/** The changes of a copy, and its context. */
export interface CopyDraft {
  readonly changes: CopyChanges;
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
export function draftEditedCopy({ session, entries, from, after }: Draft): CopyDraft {
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
  return { changes: { ...NO_CHANGES, end, dropped, replaced, compaction, added }, after };
}

/** A draft whose summary is sent as it is, with a sentence before it unless it is a packet: other agents than Pi add none. */
export function introduceSummary(draft: Draft): Draft {
  if (!draft.entries.some(isNewCompaction)) return draft;
  const entries = draft.entries.map((entry) => {
    if (!isNewCompaction(entry)) return entry;
    const summary = String(entry.summary);
    return { ...entry, summary: hasPacket(entry) ? summary : `${INTRODUCTION}\n\n${summary}`, sentVerbatim: true };
  });
  return redraft(draft, entries);
}

function isNewCompaction({ type }: JsonObject): boolean {
  return type === 'compaction';
}

const INTRODUCTION = 'The earlier messages of this conversation were replaced by this summary of them:';

/**
 * The copy without some compactions: the messages that they removed are in its context again. Afterwards the session shows
 * them as undone.
 */
export function draftCopyWithout(session: OpenSession, undone: ReadonlySet<number>): CopyDraft {
  const first = Math.min(...undone);
  const { heads, leaf } = session.tree;
  for (const index of undone) heads.setType(index, 'custom');
  // The leaf may be one of them, and is a copy of what was read.
  const end = leaf && (heads.at(leaf.index) ?? null);
  const after = buildEnvelope(dropCounts(session, first), end);
  return { changes: { ...NO_CHANGES, undone }, after };
}

/**
 * A draft whose context is measured by one of two counts of the provider: the last one of the original, less what the copy
 * leaves out; or the last one before the first change, plus what follows it. The one that leaves fewer tokens to an estimate
 * is used, so that the size mostly equals that of the copy when it is read.
 */
export function measureAsCopy(draft: Draft): Draft {
  const { session, longer, entries, after } = draft;
  const first = findFirstChanged(session, entries);
  if (first === null) return draft;
  const kept = buildEnvelope(toReplayable(dropCounts(longer, first)), longer.tree.leaf);
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
  return { changes: { ...NO_CHANGES, end }, after: buildEnvelope(session, end ?? session.tree.leaf) };
}

function findIndex(session: Session, id: unknown): number {
  const head = session.tree.heads.find(id as RawId);
  if (!head) throw buildUnfitCopyError(session);
  return head.index;
}

function buildUnfitCopyError({ agent, file }: Session): CtxError {
  return new CtxError('refused', `a session of ${agent?.title ?? 'this agent'} cannot hold this change`, {
    where: file,
    hint: 'it can hold dropped and changed messages, and compactions; ctx convert makes a session of Pi, which holds all',
  });
}

/** A session as its copier needs it. `end`: the entry at which the copy ends; null for the leaf. */
export function toCopiedSession(session: Session, end: Head | null): CopiedSession {
  const { native, header, tree, entry } = session;
  if (!native) throw buildUnfitCopyError(session);
  const path = end ? pathTo(tree, end) : activePath(tree);
  const later = end ? listEntriesBefore(session, path, findEnd(native, end)) : [];
  return { id: header.id, path, later, entry, native };
}

/** The entries that follow the end of a path, with records of their own that begin before a place in the file. */
function listEntriesBefore(
  { native, tree: { heads } }: Session,
  path: readonly Head[],
  place: number,
): readonly Head[] {
  const end = path.at(-1)?.index ?? 0;
  const own = new Set(path.flatMap((head) => native?.of(head) ?? []).map(({ offset }) => offset));
  const following = new Set([end]);
  const found: Head[] = [];
  for (let index = end + 1; index < heads.length; index += 1) {
    const head = heads.at(index);
    if (!head || !following.has(heads.parentAt(index))) continue;
    following.add(index);
    if (head.offset > place) continue;
    // A record with several results may be that of two entries.
    const isSeparate = native?.of(head).every(({ offset }) => !own.has(offset)) ?? false;
    if (isSeparate || head.role === 'toolResult') found.push(head);
  }
  return found;
}
