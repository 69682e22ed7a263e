import { CtxError, type Problem } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { findUsage, type Head, type NewHead, UNKNOWN_PLACE } from '../heads/head.js';
import { Heads } from '../heads/heads.js';
import { type ByteSource, toByteSource } from '../scan/byte-source.js';
import { toContentName } from '../scan/compression.js';
import { buildLineProblem, DamageReader } from '../scan/damage.js';
import type { FieldLayout } from '../scan/field-layout.js';
import { parentSessionOf, parseHeader } from '../scan/header.js';
import { LineFields, type ParsedPart } from '../scan/line-fields.js';
import { type LineSpan, memoizeLongLine, type RawLine, readInPieces, readLines } from '../scan/lines.js';
import { type ParsedLine, parseLine } from '../scan/parse-line.js';
import { type SessionPeek } from '../scan/peek.js';
import { hasByteOrderMark, isBlankBytes, LineRecovery } from '../scan/recover.js';
import { addDamagedLine, type Scan, toLineSpan } from '../scan/scan.js';
import { type Session } from '../session.js';
import { listTreeProblems } from '../tree/problems.js';
import { buildTree } from '../tree/tree.js';
import {
  type AgentEntry,
  type AgentFormat,
  type AgentLines,
  type AgentOrigin,
  type AgentRecord,
  type AgentSession,
} from './define.js';
import { doubtParts, isVersionWithin } from './versions.js';
import { detectAgent, type DetectedAgent } from './index.js';

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
  const read = detected.format.read(new ParsedLines(source, file, detected), toContentName(file));
  const { id, cwd, fields } = buildHeader(read).header;
  const timestamp = asString(fields['timestamp']);
  const parentSession = parentSessionOf(fields);
  const agent = detected.format.name;
  const [first] = read.entries;
  const firstEntry = first && !Number.isNaN(first.time) ? `${String(first.id)} ${first.time}` : null;
  const { isSubagent = false, cwdHash = null } = read;
  const hasMessages = read.entries.some(({ role }) => role === 'user' || role === 'assistant');
  const found = { agent, id, cwd, timestamp, parentSession, importedId: null };
  return { ...found, isSubagent, cwdHash, firstEntry, hasMessages };
}

function buildAgentSession(source: ByteSource, file: string, { format, isDocument }: DetectedAgent): Session {
  const lines = new ParsedLines(source, file, { isDocument });
  const read = format.read(lines, toContentName(file));
  const { entries } = read;
  const heads = buildHeads(entries);
  const first = buildHeader(read);
  const leaf = read.leafId === undefined ? buildTree(heads).leaf : (heads.find(read.leafId) ?? null);
  const tree = { heads, leaf };
  const valueOf = memoizeLongLine(LONG_LINE_BYTES, (span: LineSpan) => lines.valueAt(span));
  const entry = ({ index }: Head): JsonObject => {
    const own = entries[index];
    return own ? own.build(own.lines.map(valueOf)) : {};
  };
  return {
    file,
    header: first.header,
    scan: buildScan(source, { first, lines, agentBytes: lines.objectBytes }),
    tree,
    problems: [...lines.all(), ...read.problems, ...listTreeProblems(tree, first.header.id)].toSorted(
      (a, b) => (a.line ?? 0) - (b.line ?? 0),
    ),
    // A line of another agent has another shape than the entry that is built from it.
    isStrict: true,
    source,
    agent: buildOrigin(format, read),
    ...(entries.some(({ copiedFrom }) => typeof copiedFrom === 'string') && {
      copiedFrom: (index: number) => entries[index]?.copiedFrom ?? null,
    }),
    ...(format.notices && {
      notices: (begin: Head, before: Head, now: Head) =>
        format.notices?.(readRecordsBetween(source, begin, now), before.line) ?? [],
    }),
    hasMessageTimes: read.hasMessageTimes ?? false,
    entry,
    native: {
      source,
      all: () => new ParsedLines(source, file, { isDocument }),
      of: ({ index }) => entries[index]?.lines ?? [],
      valueAt: (span) => lines.valueAt(span),
    },
    *bytes(span) {
      const own = 'index' in span ? (entries[(span as Head).index]?.lines ?? []) : [span];
      for (const line of own) yield* readInPieces(source, line);
    },
    usage: (head) => (head.usageLength === 0 ? null : findUsage(entry(head))),
  };
}

/** The most bytes that are read for the circumstances of one request. */
const NOTICED_BYTES = 8e6;

/** The records from one entry up to another, or those of the last megabytes. Damaged lines are left out. */
function* readRecordsBetween(source: ByteSource, first: Head, last: Head): Generator<AgentRecord> {
  const end = last.offset + last.length;
  const isLong = end - first.offset > NOTICED_BYTES;
  // Lines are counted from the first entry, which is why a later beginning has to be found among them.
  let skipped = isLong ? end - NOTICED_BYTES : 0;
  for (const raw of readLines(source, first.offset, end)) {
    if (raw.offset < skipped) continue;
    skipped = 0;
    const parsed = parseLine(source, raw);
    if (parsed.kind !== 'value' || !isObject(parsed.value)) continue;
    yield { line: first.line + raw.line - 1, offset: raw.offset, length: raw.length, value: parsed.value };
  }
}

function buildHeads(entries: readonly AgentEntry[]): Heads {
  const heads = new Heads(entries.length);
  for (const entry of entries) heads.push(toHead(entry));
  return heads;
}

interface AccountedBytes {
  readonly first: ReturnType<typeof buildHeader>;
  readonly lines: ParsedLines;
  readonly agentBytes: number;
}

/** The use of every byte. The entries are not those of a scan, so it has none. */
function buildScan({ size }: ByteSource, { first, lines: { blanks, damaged }, agentBytes }: AccountedBytes): Scan {
  const none = { repeatedHeaders: [], problems: [], heads: new Heads() };
  return { ...none, ...first, size, isWhole: true, blanks, damaged, agentBytes };
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

function buildHeader({ header }: AgentSession): NonNullable<ReturnType<typeof parseHeader>> {
  const fields = { ...header, type: 'session', id: typeof header['id'] === 'string' ? header['id'] : '' };
  return parseHeader(fields, NO_BYTES) as NonNullable<ReturnType<typeof parseHeader>>;
}

/** The length from which the value of a line is kept until the next long line, since many entries may be built of it. */
const LONG_LINE_BYTES = 1 << 16;

interface FileForm {
  readonly isDocument: boolean;
}

/** The lines of a file with an object; all others are sorted as damage or blanks. */
class ParsedLines implements AgentLines {
  readonly parts: readonly number[];
  readonly blanks: LineSpan[] = [];
  readonly damaged: LineSpan[] = [];
  private readonly damage = new DamageReader();
  private readonly recovery: LineRecovery;
  readonly problems: Problem[] = [];
  /** The bytes of all lines with an object. */
  objectBytes = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly file: string,
    private readonly form: FileForm,
  ) {
    this.parts = source.parts ?? [0];
    this.recovery = new LineRecovery(source.size);
  }

  valueAt(span: LineSpan): JsonObject {
    const parsed = parseLine(this.source, { ...span, terminated: true });
    if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value;
    const where = `${this.file}:${span.line}`;
    throw new CtxError('input', 'the file changed while it was being read', { where, hint: 'run the command again' });
  }

  readFields(layout: FieldLayout, known: readonly string[]): LineFields {
    const table = new LineFields(this.source, layout, known);
    table.read((line, isAfterSound) => {
      if (isAfterSound) this.damage.end();
      return this.partsOf(line);
    });
    this.objectBytes = table.objectBytes;
    return table;
  }

  /** The problems of all lines; known after they were read. */
  all(): readonly Problem[] {
    this.damage.end();
    return [...this.problems, ...this.damage.problems];
  }

  *[Symbol.iterator](): Generator<AgentRecord> {
    if (this.form.isDocument) return yield* this.document();
    for (const line of readLines(this.source))
      for (const { offset, length, value } of this.partsOf(line))
        if (value) yield this.count({ line: line.line, offset, length, value });
  }

  private count(record: AgentRecord): AgentRecord {
    this.objectBytes += record.length;
    return record;
  }

  /** The whole file as one line. */
  private *document(): Generator<AgentRecord> {
    const { size } = this.source;
    for (const { offset, length, value } of this.partsOf({ line: 1, offset: 0, length: size, terminated: true }))
      if (value) yield this.count({ line: 1, offset, length, value });
  }

  /** The line with its object, or its parts if it is damaged but has objects that can be read. */
  private partsOf(line: RawLine): readonly ParsedPart[] {
    const parsed = parseLine(this.source, line);
    const parts = parsed.kind === 'damaged' ? this.recovered(line) : null;
    return parts ?? [{ offset: line.offset, length: line.length, value: this.read(line, parsed) }];
  }

  private recovered(line: RawLine): readonly ParsedPart[] | null {
    const bytes = this.source.read(line.offset, line.offset + line.length);
    const parts = this.recovery.partsOf(bytes);
    if (parts === null) return null;
    this.damage.end();
    const objects = parts.filter(({ value }) => value !== null).length;
    const others = parts.filter(({ value }) => value === null);
    const isNul = others.some(({ start, end }) => bytes.subarray(start, end).includes(0));
    // Agents read a file that begins with a byte order mark.
    const isMarked = line.offset === 0 && hasByteOrderMark(bytes);
    if (isNul) this.problems.push({ ...buildLineProblem('nul-bytes', line), message: 'NUL bytes are beside an entry' });
    else if (objects > 1 || others.length > Number(isMarked)) this.problems.push(buildLineProblem('glued-lines', line));
    return parts.map(({ start, end, value }) => {
      const span = { line: line.line, offset: line.offset + start, length: end - start };
      if (value === null) (isBlankBytes(bytes.subarray(start, end)) ? this.blanks : this.damaged).push(span);
      return { ...span, value };
    });
  }

  private read(line: RawLine, parsed: ParsedLine): JsonObject | null {
    if (parsed.kind === 'blank') {
      this.blanks.push(toLineSpan(line));
      return null;
    }
    if (parsed.kind === 'damaged') {
      this.damaged.push(toLineSpan(line));
      this.damage.add(line, parsed.text);
      return null;
    }
    this.damage.end();
    if (parsed.kind === 'value' && isObject(parsed.value)) {
      if (!parsed.validUtf8) this.problems.push(buildLineProblem('invalid-utf8', line));
      return parsed.value;
    }
    addDamagedLine(this, line, parsed.kind === 'too-long' ? 'line-too-long' : 'not-an-object');
    return null;
  }
}
