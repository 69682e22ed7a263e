import { CtxError, type Problem } from '#base/errors.js';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { shellWord } from '#base/visible.js';
import type { ByteSource, LineSpan } from './bytes.js';

/** The first line of a session, with every field as stored. */
export interface Header {
  readonly id: string;
  /** 1 if the file has no version. Compared as in JavaScript, so `"3"` is 3. */
  readonly version: number;
  readonly timestamp: string | null;
  readonly cwd: string | null;
  readonly fields: JsonObject;
}

/** The header with its position. */
export interface FirstLine {
  readonly header: Header;
  readonly headerSpan: LineSpan;
}

/** Reads the header: the first line that parses. `damaged` is the problem of an earlier line. */
export function readHeader(value: unknown, file: string, line: LineSpan, damaged: Problem | undefined): FirstLine {
  const first = headerIn(value, line);
  if (first === null) throw damaged ? notASession(file, 1, [damaged]) : noHeader(value, file, line);
  return first;
}

/** null for a value that Pi does not accept as a header. */
export function headerIn(value: unknown, line: LineSpan): FirstLine | null {
  if (!isObject(value) || value['type'] !== 'session' || typeof value['id'] !== 'string') return null;
  const version = value['version'] ?? 1;
  const header: Header = {
    id: value['id'],
    version: typeof version === 'object' ? Number.NaN : Number(version),
    timestamp: asString(value['timestamp']),
    cwd: asString(value['cwd']),
    fields: value,
  };
  return { header, headerSpan: { line: line.line, offset: line.offset, length: line.length } };
}

/** The version of a header in words; a file may have any value there. */
export function versionText(version: number): string {
  return Number.isNaN(version) ? 'an unknown version' : `version ${version}`;
}

/** Whether the value is a title, which oh-my-pi writes before the header. */
export function isTitle(value: unknown): boolean {
  return isObject(value) && value['type'] === 'title';
}

function noHeader(value: unknown, file: string, line: LineSpan): CtxError {
  const where = `${file}:${line.line}`;
  const type = isObject(value) && isLikeEntry(value) ? asString(value['type']) : null;
  if (type === null) return new CtxError('input', NOT_READ, { where, hint: NAME_A_SESSION });
  const what =
    type === 'session'
      ? 'the session header has no id'
      : `the first line must be a session header, not a "${type}" entry`;
  return new CtxError('input', what, {
    where,
    hint: `Pi refuses this file too; add a first line such as ${EXAMPLE_HEADER}`,
  });
}

/** Whether a line may be a header or an entry of Pi. Entries of version 1 have no parent. */
function isLikeEntry(value: JsonObject): boolean {
  return value['type'] === 'session' || 'parentId' in value || isObject(value['message']);
}

/** States that no reader knows a file. */
export const NOT_READ = 'neither a Pi session nor one of another agent that ctx reads';
const NAME_A_SESSION = 'list the sessions that ctx reads: ctx ls --agent all';
const ADD_THE_FORMAT = 'see docs/add-an-agent.md in the source of ctx to add the format';
const EXAMPLE_HEADER = '{"type":"session","version":3,"id":"…","timestamp":"…","cwd":"…"}';

/** A file that is not a session of Pi; by default its hint is how to add its format. */
interface ForeignKind {
  readonly what: string;
  readonly hint?: string | undefined;
}

/** The error for a file of another program. */
function foreignFile(file: string, { what, hint }: ForeignKind): CtxError {
  const isSession = what.endsWith('session');
  const said = what.startsWith('compressed')
    ? `the file is ${what}`
    : `this looks like ${what}, ${isSession ? 'in a format that ctx does not read' : 'not a session'}`;
  const otherwise = isSession ? ADD_THE_FORMAT : NAME_A_SESSION;
  return new CtxError('input', said, { where: file, hint: hint?.replace('FILE', shellWord(file)) ?? otherwise });
}

/** The error for a file without a header. `size` is its size, and the first of the problems its likely reason. */
export function notASession(file: string, size: number, [problem]: readonly Problem[]): CtxError {
  if (size === 0) return new CtxError('input', 'the file is empty', { where: file, hint: NAME_A_SESSION });
  const reason = problem ? ` (line ${problem.line}: ${problem.message})` : '';
  return new CtxError('input', `not a Pi session${reason}`, { where: file, hint: NAME_A_SESSION });
}

const EXPORT_IT = 'export the session, and read that: opencode export ID > session.json';
const READ_TRANSCRIPT = 'read the transcript of Claude Code in .claude/projects, in the folder of this name';

/** A line of a transcript, or a row of its database. */
const CURSOR =
  /^\s*\{(?:"timestamp":"[^"]*",)?"role":"(?:user|assistant)",(?:"model":"[^"]*",)?"message":|"(?:composerData|bubbleId):/;

/** Keys in the first lines of other programs' files that Pi does not write, and what to do instead. */
const OTHERS: readonly (readonly [what: string, sign: RegExp, hint?: string])[] = [
  ['a Claude Cowork session', /"cliSessionId":/, READ_TRANSCRIPT],
  ['an opencode session', /"(?:sessionID|messageID|projectID)":\s?"/, EXPORT_IT],
  ['a Cursor session', CURSOR],
  ['a NAC session', /"logical_id":\s?"session:/],
  [
    'a Claude Code session',
    /"(?:parentUuid|leafUuid|isSidechain)":|"type":\s?"(?:file-history-snapshot|queue-operation)"/,
  ],
  ['a Codex session', /"type":\s?"(?:session_meta|response_item|event_msg|turn_context)"/],
  ['a Gemini CLI session', /"projectHash":|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)":/],
  ['a Kimi CLI session', /"protocol_version":/],
  ['a Kiro session', /"version":\s?"v1",\s?"kind":/],
  ['a Hermes session', /"session_start":|"prompt_index":/],
];

/** Whether a damaged file is a session of Pi. */
const OF_PI = /\{\s*"type"\s*:\s*"session"/;
const MARKDOWN = /^\s*(?:#{1,6} |```|---\r?\n|\[!\[|<!--)/;
const BEGINS_JSON = /^[\s\ufeff\0]*(?:[{["\d]|(?:null|true|false)\s|$)/;
const BYTES = 4096;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Throws a CtxError (input) for a file of another program. */
export function refuseForeign(source: ByteSource, file: string): void {
  const what = foreignKind(source);
  if (what !== null) throw foreignFile(file, what);
}

/** The kind of a file that is not a session, from its first lines; null if it is unknown. */
function foreignKind(source: ByteSource): ForeignKind | null {
  const compressed = compressedKind(source);
  if (compressed) return compressed;
  const beginning = decoder.decode(source.read(0, Math.min(BYTES, source.size)), { stream: true });
  decoder.decode();
  if (beginning.trim() === '' || OF_PI.test(beginning)) return null;
  if (BEGINS_JSON.test(beginning)) {
    const [what, , hint] = OTHERS.find(([, sign]) => sign.test(beginning)) ?? [];
    return what === undefined ? null : { what, hint };
  }
  if (beginning.includes('{"type":')) return null;
  if (beginning.startsWith('SQLite format 3\0')) return { what: 'an SQLite database', hint: OF_DATABASE };
  if (/[\0\ufffd]/.test(beginning)) return { what: 'a binary file' };
  return { what: MARKDOWN.test(beginning) ? 'Markdown' : 'plain text' };
}

const OF_DATABASE = 'opencode keeps its sessions in one; save one as a file: opencode export ID > session.json';

/** A compressed file, as Codex writes old rollouts. */
function compressedKind(source: ByteSource): ForeignKind | null {
  const begin = Buffer.from(source.read(0, Math.min(4, source.size))).toString('hex');
  const [, program] = COMPRESSED.find(([magic]) => begin.startsWith(magic)) ?? [];
  return program === undefined
    ? null
    : { what: `compressed with ${program}`, hint: `decompress it: ${program} -dc FILE | ctx show -` };
}

const COMPRESSED = [
  ['28b52ffd', 'zstd'],
  ['1f8b', 'gzip'],
] as const;

/** The header and the first facts of a session, from its first bytes. */
export interface Peek {
  readonly id: string;
  readonly cwd: string | null;
  /** The time at which the session began, as the header has it. */
  readonly timestamp: string | null;
  /** The session file that it was forked from, by its name at that time. */
  readonly parentSession: string | null;
}

/**
 * The header in the first bytes of a file: as in the strict reader, the first line that parses and is not a title.
 * `no-session` if there is none; null if the bytes are not sufficient.
 */
export function peek(bytes: Uint8Array, isWholeFile: boolean): Peek | 'no-session' | null {
  const lines = decoder.decode(bytes).split('\n');
  // The last piece may be half a line.
  if (!isWholeFile) lines.pop();
  for (const line of lines) {
    const value = parseJson(line);
    if (!value || isTitle(value)) continue;
    const found = headerIn(value, { line: 0, offset: 0, length: 0 });
    if (!found) return 'no-session';
    const { id, cwd, timestamp, fields } = found.header;
    return { id, cwd, timestamp, parentSession: parentSessionOf(fields) };
  }
  return isWholeFile ? 'no-session' : null;
}

/** The name of the field in version 1. */
export function parentSessionOf(header: JsonObject): string | null {
  return asString(header['parentSession']) ?? asString(header['branchedFrom']);
}
