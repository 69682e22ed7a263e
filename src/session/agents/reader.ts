import { sortByLine } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { findUsage, type Head, type NewHead, UNKNOWN_PLACE } from '../heads/head.js';
import { Heads } from '../heads/heads.js';
import { type ByteSource, toByteSource } from '../scan/byte-source.js';
import { toContentName } from '../scan/compression.js';
import { type LocatedHeader, parentSessionOf, parseHeader } from '../scan/header.js';
import { type LineSpan, readInPieces, readLines } from '../scan/lines.js';
import { memoizeLongLine } from '../scan/memoize-long-line.js';
import { parseLine } from '../scan/parse-line.js';
import { type SessionPeek } from '../scan/peek.js';
import { type Scan } from '../scan/scan.js';
import { type Session } from '../session.js';
import { listTreeProblems } from '../tree/problems.js';
import { buildTree, type Tree } from '../tree/tree.js';
import type { AgentEntry, AgentFormat, AgentOrigin, AgentSession } from './define.js';
import { detectAgent, type DetectedAgent } from './detect.js';
import type { AgentRecord } from './native-records.js';
import { ParsedLines } from './parsed-lines.js';
import { doubtParts, isVersionWithin } from './versions.js';

/** Reads the session of another agent; null if no agent is known to write such files. */
export function readAgentSession(source: ByteSource, file: string): Session | null {
  const detected = detectAgent(source);
  return detected && buildAgentSession(source, file, detected);
}

/** The header of another agent's session. */
export interface AgentPeek extends SessionPeek {
  /** The agent, as `--agent` names it. */
  readonly agent: string;
  /** Whether another session of the agent started it. */
  readonly isSubagent: boolean;
  /** See {@link AgentSession.cwdHash}. */
  readonly cwdHash: string | null;
  /** Identifies the first entry, which a fork without a link to its origin has in common with it; null without one. */
  readonly firstEntry: string | null;
  /** Whether one of the read entries is a message of the user or an answer. */
  readonly hasMessages: boolean;
}

/** The header of a session of one of these agents, from its first bytes; null if it is of another program. */
export function peekAgentSession(bytes: Uint8Array, file: string, formats: readonly AgentFormat[]): AgentPeek | null {
  const source = toByteSource(bytes);
  // An agent's lines may resemble those of another: only the whole list tells them apart.
  const detected = detectAgent(source);
  if (!detected || !formats.includes(detected.format)) return null;
  const read = detected.format.read(new ParsedLines(source, file, detected.isDocument), toContentName(file));
  const { header } = buildHeader(read);
  return {
    agent: detected.format.name,
    id: header.id,
    cwd: header.cwd,
    timestamp: header.timestamp,
    parentSession: parentSessionOf(header.fields),
    importedId: null,
    isSubagent: read.isSubagent ?? false,
    cwdHash: read.cwdHash ?? null,
    firstEntry: identifyFirst(read.entries),
    hasMessages: read.entries.some(({ role }) => role === 'user' || role === 'assistant'),
  };
}

function identifyFirst([first]: readonly AgentEntry[]): string | null {
  return first && !Number.isNaN(first.time) ? `${String(first.id)} ${first.time}` : null;
}

function buildAgentSession(source: ByteSource, file: string, { format, isDocument }: DetectedAgent): Session {
  const lines = new ParsedLines(source, file, isDocument);
  const read = format.read(lines, toContentName(file));
  const { entries } = read;
  const located = buildHeader(read);
  const tree = buildAgentTree(read);
  const problems = [...lines.listProblems(), ...read.problems, ...listTreeProblems(tree, located.header.id)];
  const valueOf = memoizeLongLine(LONG_LINE_BYTES, (span: LineSpan) => lines.valueAt(span));
  const entry = ({ index }: Head): JsonObject => {
    const own = entries[index];
    return own ? own.build(own.lines.map(valueOf)) : {};
  };
  const linesOf = ({ index }: Head): readonly LineSpan[] => entries[index]?.lines ?? [];
  const hasCopies = entries.some(({ copiedFrom }) => typeof copiedFrom === 'string');
  const findNotices = format.notices;
  return {
    file,
    header: located.header,
    scan: buildScan(source.size, located, lines),
    tree,
    problems: sortByLine(problems),
    // A line of another agent has another shape than the entry that is built from it.
    isStrict: true,
    source,
    agent: buildOrigin(format, read),
    ...(hasCopies && { copiedFrom: (index: number) => entries[index]?.copiedFrom ?? null }),
    ...(findNotices && {
      notices: (begin: Head, before: Head, now: Head) =>
        findNotices(readRecordsBetween(source, begin, now), before.line),
    }),
    hasMessageTimes: read.hasMessageTimes ?? false,
    entry,
    native: {
      source,
      all: () => new ParsedLines(source, file, isDocument),
      of: linesOf,
      valueAt: (span) => lines.valueAt(span),
    },
    *bytes(span) {
      const spans = 'index' in span ? linesOf(span as Head) : [span];
      for (const line of spans) yield* readInPieces(source, line);
    },
    usage: (head) => (head.usageLength === 0 ? null : findUsage(entry(head))),
  };
}

/**
 * The length from which the value of a line is kept until the next long line, since many entries may be built from it.
 */
const LONG_LINE_BYTES = 1 << 16;

function buildAgentTree({ entries, leafId }: AgentSession): Tree {
  const heads = new Heads(entries.length);
  for (const entry of entries) heads.push(toHead(entry));
  if (leafId === undefined) return buildTree(heads);
  return { heads, leaf: heads.find(leafId) ?? null };
}

/** The most bytes that are read for the circumstances of one request. */
const NOTICED_BYTES = 8e6;

/** The records from one entry up to another, or those of the last megabytes. Damaged lines are left out. */
function* readRecordsBetween(source: ByteSource, first: Head, last: Head): Generator<AgentRecord> {
  const end = last.offset + last.length;
  // Lines are counted from the first entry, so those before the last megabytes are passed over.
  for (const raw of readLines(source, first.offset, end)) {
    if (raw.offset < end - NOTICED_BYTES) continue;
    const parsed = parseLine(source, raw);
    if (parsed.kind !== 'value' || !isObject(parsed.value)) continue;
    yield { line: first.line + raw.line - 1, offset: raw.offset, length: raw.length, value: parsed.value };
  }
}

/** The use of every byte. The entries are not those of a scan, so it has none. */
function buildScan(size: number, located: LocatedHeader, { blanks, damaged, objectBytes }: ParsedLines): Scan {
  const none = { repeatedHeaders: [], problems: [], heads: new Heads() };
  return { ...none, ...located, size, isWhole: true, blanks, damaged, agentBytes: objectBytes };
}

function buildOrigin({ name, title, knownVersions }: AgentFormat, read: AgentSession): AgentOrigin {
  const { version, contextWindow = null, unusedLines, subagentFolder = null, clientTotals = null } = read;
  const isKnown = knownVersions === undefined || isVersionWithin(version, knownVersions);
  return {
    name,
    title,
    version,
    contextWindow,
    parts: isKnown ? read.parts : doubtParts(read.parts),
    isSubagent: read.isSubagent ?? false,
    subagentKind: read.subagentKind ?? null,
    ...(read.branchAt && { branchAt: read.branchAt }),
    ...(read.versionAt && { versionAt: read.versionAt }),
    clientTotals,
    unusedLines,
    subagentFolder,
  };
}

/** Written out, since a copy of all fields would take longer than the rest of the entry. */
function toHead(entry: AgentEntry): NewHead {
  const { line, offset, length } = entry.location ?? entry.lines[0] ?? NO_BYTES;
  return {
    line,
    offset,
    length,
    type: entry.type,
    id: entry.id,
    parentId: entry.parentId,
    role: entry.role,
    target: entry.target,
    time: entry.time,
    usageStart: UNKNOWN_PLACE,
    usageLength: entry.hasUsage ? length : 0,
    hasSummary: entry.hasSummary,
    isAdded: entry.isAdded ?? false,
  };
}

const NO_BYTES: LineSpan = { line: 0, offset: 0, length: 0 };

function buildHeader({ header }: AgentSession): LocatedHeader {
  const fields = { ...header, type: 'session', id: asString(header['id']) ?? '' };
  // With a type and an id, any object is a header.
  return parseHeader(fields, NO_BYTES) as LocatedHeader;
}
