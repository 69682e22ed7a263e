import { CtxError } from '#base/errors.js';
import { asString, isObject, type JsonObject, parseJson } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { ByteSource } from './byte-source.js';
import { PI_TYPES } from './line-scanner.js';

/** A file that is not a session which ctx reads, by its beginning. */
export interface OtherFile {
  /** As a sentence names it: `a Droid session`, `the output of pi --mode json`. */
  readonly what: string;
  /** The advice to the user; by default how to add the format of a session, or how to list sessions. */
  readonly hint?: string | undefined;
  /** A program writes it beside its sessions, so a folder of sessions may contain it. */
  readonly isLog?: boolean | undefined;
  /** Guessed from its first characters, with which a damaged session may begin as well. */
  readonly isGuess?: boolean | undefined;
}

/** A kind of file that other programs write. */
interface KnownFile extends OtherFile {
  /**
   * Matches the outline of one of the first lines: its own keys and plain values, without those inside, since a tool
   * may be called with anything. Matches the beginning itself if no line is an object, as in an indented document.
   */
  readonly sign: RegExp;
}

const EXPORT_IT = 'export the session, and read that: opencode export ID > session.json';
const READ_TRANSCRIPT = 'read the transcript of Claude Code in .claude/projects, in the folder of this name';
const READ_SESSION_BESIDE = 'read the session beside it';
const READ_SESSION_OF_RUN = 'read the session file of that run; find it: ctx ls --agent all';

/** The events that `pi --mode json` prints after the header of its session. */
const EVENT_OF_PI =
  /"type":"(?:agent_(?:start|end|settled)|turn_(?:start|end)|message_(?:start|update|end)|tool_execution_(?:start|update|end)|(?:auto_)?(?:retry|compaction)_(?:start|end)|queue_update)"/;

/** A line of a transcript, or a row of its database. */
const CURSOR =
  /^\s*\{(?:"timestamp":"[^"]*",)?"role":"(?:user|assistant)",(?:"model":"[^"]*",)?"message":|"key":"(?:composerData|bubbleId):/;

const CLINE_DOCUMENT = /^\s*\{\s*"version":\s*\d+,\s*"updated_at":/;
const CLINE_MESSAGES =
  /^\s*\[\s*\{\s*(?:"ts":\s*\d+,\s*"type":\s*"(?:say|ask)"|"role":\s*"user",\s*"content":\s*\[\s*\{\s*"type":\s*"text",\s*"text":\s*"<task>)/;

/** In the order in which they are tried: a sign that is found in fewer files comes first. */
const KNOWN: readonly KnownFile[] = [
  { what: 'the output of pi --mode json', sign: EVENT_OF_PI, hint: READ_SESSION_OF_RUN },
  {
    what: 'the output of claude --output-format stream-json',
    sign: /(?=.*"type":"system")(?=.*"subtype":"init")(?=.*"session_id":)/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'the output of codex exec --json',
    sign: /"type":"(?:thread\.started|turn\.(?:started|completed)|item\.(?:started|completed))"/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'the output of gemini --output-format stream-json',
    sign: /(?=.*"type":"init")(?=.*"session_id":)/,
    hint: READ_SESSION_OF_RUN,
  },
  {
    what: 'a trajectory log of OpenClaw',
    sign: /"traceSchema":"openclaw-trajectory"/,
    hint: READ_SESSION_BESIDE,
    isLog: true,
  },
  {
    what: 'a workflow journal of Claude Code',
    sign: /^(?=.*"type":)(?=.*"agentId":)(?!.*"(?:uuid|parentUuid|sessionId)":)/,
    hint: 'read the sessions of its agents, in the folder beside it',
    isLog: true,
  },
  { what: 'the prompt history of Claude Code', sign: /(?=.*"display":)(?=.*"pastedContents":)/, isLog: true },
  { what: 'the prompt history of Codex', sign: /^\{"session_id":"[^"]*","ts":\d+,"text":/, isLog: true },
  { what: 'a Claude Cowork session', sign: /"cliSessionId":/, hint: READ_TRANSCRIPT },
  { what: 'a Copilot CLI session', sign: /(?=.*"type":"(?:session|user|assistant|tool|hook)\.[\w.]+")(?=.*"data":)/ },
  { what: 'a Droid session', sign: /"type":"session_start"/ },
  { what: 'an ATIF trajectory', sign: /"schema_version":\s*"ATIF-/ },
  {
    what: 'a VS Code chat session',
    sign: /"(?:requesterUsername|responderUsername)":|^\{"kind":[0-3],"[kv]":/,
  },
  { what: 'an Amp session', sign: /"id":\s*"T-[0-9a-f]{8}-/ },
  { what: 'a Cline session', sign: CLINE_DOCUMENT },
  { what: 'a Cline session', sign: CLINE_MESSAGES },
  { what: 'a Goose session', sign: /(?=[^]*"working_dir":)(?=[^]*"(?:message_count|total_tokens|conversation)":)/ },
  { what: 'a Continue session', sign: /"workspaceDirectory":/ },
  { what: 'an ACP log', sign: /(?=.*"jsonrpc":)(?=.*"method":"session\/\w+")/ },
  { what: 'an Aider chat history', sign: /^\s*# aider chat started at/ },
  { what: 'an opencode session', sign: /"(?:sessionID|messageID|projectID)":\s*"/, hint: EXPORT_IT },
  { what: 'a Cursor session', sign: CURSOR },
  { what: 'a NAC session', sign: /"logical_id":"session:/ },
  {
    what: 'a Claude Code session',
    sign: /"(?:parentUuid|leafUuid|isSidechain)":|"type":"(?:file-history-snapshot|queue-operation)"/,
  },
  { what: 'a Codex session', sign: /"type":"(?:session_meta|response_item|event_msg|turn_context)"/ },
  { what: 'a Kimi CLI session', sign: /"protocol_version":|"role":"_(?:checkpoint|usage|system_prompt)"/ },
  { what: 'a Kiro session', sign: /"version":"v1","kind":/ },
  { what: 'a Hermes session', sign: /"session_start":|"prompt_index":/ },
  {
    what: 'a Gemini CLI session',
    sign: /"projectHash":|^\s*\{\s*"(?:kind|lastUpdated|messages|sessionId|startTime)":/,
  },
];

/** The kinds of SQLite databases, by a word in the definitions of their tables. */
const DATABASES: readonly (OtherFile & { readonly sign: RegExp })[] = [
  {
    what: 'the database of opencode',
    sign: /CREATE TABLE ["'`[]?(?:part|session_message|session_v2)\b/i,
    hint: 'save a session of it as a file: opencode export ID > session.json',
  },
  { what: 'a database of Cursor', sign: /CREATE TABLE ["'`[]?cursorDiskKV\b/i },
  { what: 'a database of VS Code', sign: /CREATE TABLE ["'`[]?ItemTable\b/i },
  { what: 'the database of Goose', sign: /(?=[^]*\bworking_dir\b)(?=[^]*\b(?:extension_data|recipe_json)\b)/i },
  { what: 'the database of Kiro CLI', sign: /CREATE TABLE ["'`[]?conversations_v2\b/i },
];

/** The first bytes of a file that tell what it is. */
const BEGINNING_BYTES = 1 << 16;
/** The first characters that are searched where no line is an object. */
const GUESSED_CHARACTERS = 4096;
const MOST_LINES = 20;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The kind of a file that is not a session; null if it is one of Pi, damaged or not, or if the kind is unknown. */
function detectSource(source: ByteSource): OtherFile | null {
  return detectOtherFile(source.read(0, Math.min(BEGINNING_BYTES, source.size)));
}

/** Like {@link otherFileIn}, for the first bytes of a file. */
export function detectOtherFile(bytes: Uint8Array): OtherFile | null {
  const compressed = detectCompression(bytes);
  if (compressed) return compressed;
  const beginning = decoder.decode(bytes, { stream: true });
  decoder.decode();
  if (beginning.trim() === '') return null;
  if (beginning.startsWith(SQLITE)) return DATABASES.find(({ sign }) => sign.test(beginning)) ?? ANY_DATABASE;
  const lines = beginning
    .replace(/^\ufeff/, '')
    .split('\n', MOST_LINES)
    .flatMap(listObject);
  if (lines.some(isHeader)) return isOutputAfterHeader(lines) ? (KNOWN[0] ?? null) : null;
  const entries = lines.filter(isEntryOfPi);
  const signs = lines.filter((line) => !isEntryOfPi(line)).map(formatOutline);
  if (lines.length === 0 && !OF_PI.test(beginning)) signs.push(beginning.slice(0, GUESSED_CHARACTERS));
  const known = KNOWN.find(({ sign }) => signs.some((text) => sign.test(text)));
  if (known) return known;
  return entries.length > 0 || OF_PI.test(beginning) || BEGINS_JSON.test(beginning) ? null : guessFile(beginning);
}

const SQLITE = 'SQLite format 3\0';
const ANY_DATABASE: OtherFile = { what: 'an SQLite database' };
/** The beginning of a header, or of an entry of Pi, also in a damaged line. */
const OF_PI = new RegExp(`\\{\\s*"type"\\s*:\\s*"(?:session|${PI_TYPES.join('|')})"`);
const BEGINS_JSON = /^[\s\ufeff\0]*(?:[{["\d]|(?:null|true|false)\s|$)/;
const MARKDOWN = /^\s*(?:#{1,6} |```|---\r?\n|\[!\[|<!--)/;

function listObject(line: string): readonly JsonObject[] {
  const value = parseJson(line);
  return isObject(value) ? [value] : [];
}

function isHeader({ type }: JsonObject): boolean {
  return type === 'session';
}

/** Entries of version 1 have neither id nor parent. */
function isEntryOfPi(line: JsonObject): boolean {
  const { type, message } = line;
  return type === 'message' ? isObject(message) : PI_TYPES.includes(asString(type) ?? '') && 'timestamp' in line;
}

function isOutputAfterHeader(lines: readonly JsonObject[]): boolean {
  return isPiEvent(lines[lines.findIndex(isHeader) + 1]);
}

/** Tests whether a line is an event that Pi prints: no entry of Pi has such a type, and events have no id. */
export function isPiEvent(line: unknown): boolean {
  return isObject(line) && !('id' in line) && EVENT_OF_PI.test(formatOutline(line));
}

/** The JSON of an object without what is inside of its values. */
function formatOutline(line: JsonObject): string {
  return JSON.stringify(Object.fromEntries(Object.entries(line).map(([key, value]) => [key, emptyValue(value)])));
}

function emptyValue(value: unknown): unknown {
  return Array.isArray(value) ? [] : isObject(value) ? {} : value;
}

function guessFile(beginning: string): OtherFile {
  const what = /[\0\ufffd]/.test(beginning) ? 'a binary file' : MARKDOWN.test(beginning) ? 'Markdown' : 'plain text';
  return { what, isGuess: true };
}

/** A compressed file, as Codex writes old rollouts. */
function detectCompression(bytes: Uint8Array): OtherFile | null {
  const begin = Buffer.from(bytes.subarray(0, 4)).toString('hex');
  const [, program] = COMPRESSED.find(([magic]) => begin.startsWith(magic)) ?? [];
  return program === undefined
    ? null
    : { what: `compressed with ${program}`, hint: `decompress it: ${program} -dc FILE | ctx show -` };
}

const COMPRESSED = [
  ['28b52ffd', 'zstd'],
  ['1f8b', 'gzip'],
] as const;

/** States that no reader knows a file. */
export const UNKNOWN_FORMAT = 'neither a Pi session nor one of another agent that ctx reads';
export const LIST_SESSIONS_HINT = 'list the sessions that ctx reads: ctx ls --agent all';
const ADD_THE_FORMAT = 'see docs/contributing/add-an-agent.md in the source of ctx to add the format';

/** The error for a file that is not a session. */
function buildOtherFileError(file: string, { what, hint }: OtherFile): CtxError {
  const isSession = /(?:session|trajectory|history)$/.test(what);
  const said = what.startsWith('compressed')
    ? `the file is ${what}`
    : `this looks like ${what}, ${isSession ? 'in a format that ctx does not read' : 'not a session'}`;
  const otherwise = isSession ? ADD_THE_FORMAT : LIST_SESSIONS_HINT;
  return new CtxError('input', said, { where: file, hint: hint?.replace('FILE', toShellWord(file)) ?? otherwise });
}

/** Throws a CtxError (input) for a file that another program writes, and unless `isSession`, for text and the like. */
export function refuseOtherFile(source: ByteSource, file: string, { isSession = false } = {}): void {
  const other = detectSource(source);
  if (other && !(isSession && other.isGuess)) throw buildOtherFileError(file, other);
}

/** Tests whether the beginning of a file has a header or an entry of Pi, possibly in a damaged line. */
export function hasPiLine(source: ByteSource): boolean {
  const beginning = decoder.decode(source.read(0, Math.min(BEGINNING_BYTES, source.size)), { stream: true });
  decoder.decode();
  return OF_PI.test(beginning) || beginning.split('\n', MOST_LINES).flatMap(listObject).some(isEntryOfPi);
}
