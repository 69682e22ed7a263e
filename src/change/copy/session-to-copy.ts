import { Buffer } from 'node:buffer';
import { CtxError } from '#base/errors.js';
import { hasHalfPair, replaceHalfPairs } from '#base/half-pairs.js';
import { type OpenSession, toOpenSession } from '#context/open.js';
import type { AgentCopier } from '#session/agents/copier.js';
import type { BrokenLink } from '#session/agents/faults.js';
import { type AgentRecord, type NativeRecords } from '#session/agents/native-records.js';
import { readAgentSession } from '#session/agents/reader.js';
import { encodeRecord, keepRecord, replaceMember } from '#session/agents/written-records.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { LineSpan } from '#session/scan/lines.js';
import { NEWLINE } from '../bytes/ascii.js';
import { Rope, type RopePiece } from '../bytes/rope.js';
import { type NamedLink, nameLinks } from './named-links.js';

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
  const { native, file } = session;
  const broken = (isRepaired && native && copier.records.findBrokenLinks?.(native.all())) || [];
  const links = new Map(broken.map((link) => [link.record.offset, link]));
  const pieces: RopePiece[] = [];
  /** The line of the file of each copied record. */
  const lines: number[] = [];
  const completed = new Set<number>();
  for (const record of native?.all() ?? []) {
    if (copier.records.isDerived(record.value)) continue;
    lines.push(record.line);
    const link = links.get(record.offset);
    const isHalved = isRepaired && hasHalves(session.source, record, copier);
    if (isHalved) completed.add(lines.length);
    if (native && (link || isHalved)) pieces.push({ bytes: repairRecord(native, record, link, isHalved) });
    else pieces.push(toPieceWithoutNewline(session.source, record), LINE_END);
  }

  const source = new Rope(session.source, pieces);
  const read = readAgentSession(source, file);
  if (!read) throw new CtxError('refused', 'the session has no message to copy', { where: file, hint: 'ctx check' });
  return {
    ...(await toOpenSession(read)),
    close: session.close,
    problems: session.problems,
    copier,
    linked: nameLinks(session, broken),
    completed,
    original: session.source,
    recordedLine: (line) => lines[line - 1] ?? null,
  };
}

/** The line of a record that follows another one, or that has no half of a surrogate pair any more. */
function repairRecord(
  native: NativeRecords,
  record: AgentRecord,
  link: BrokenLink | undefined,
  isHalved: boolean,
): Uint8Array {
  let kept = keepRecord(native, record);
  if (link) kept = replaceMember(kept, 'parentUuid', link.from, link.to);
  if (isHalved && kept.raw !== null) kept = { ...kept, raw: replaceHalfPairs(kept.raw) };
  return encodeRecord(kept);
}

/** Whether the provider would get half of a surrogate pair from a record. */
function hasHalves(source: ByteSource, record: AgentRecord, copier: AgentCopier): boolean {
  return hasHalfEscape(source, record) && hasHalfPair(copier.records.sentPart(record.value));
}

/** Whether the bytes of a record have an escape of half of a surrogate pair. The other half may follow it. */
function hasHalfEscape(source: ByteSource, { offset, length }: LineSpan): boolean {
  const bytes = Buffer.from(source.read(offset, offset + length));
  return bytes.includes(String.raw`\ud`) || bytes.includes(String.raw`\uD`);
}

function toPieceWithoutNewline(source: ByteSource, { offset, length }: LineSpan): RopePiece {
  const end = offset + length;
  const isTerminated = length > 0 && source.read(end - 1, end)[0] === NEWLINE;
  return { from: offset, length: isTerminated ? length - 1 : length };
}

const LINE_END: RopePiece = { bytes: new Uint8Array([NEWLINE]) };
