import { CtxError, type Problem } from '#base/errors.js';
import { asString, isObject, type JsonObject } from '#base/json.js';
import { toShellWord } from '#base/shell.js';
import type { ByteSource } from './byte-source.js';
import { PI_TYPES } from './line-scanner.js';
import type { LineSpan } from './lines.js';
import { hasPiLine, LIST_SESSIONS_HINT, refuseOtherFile, UNKNOWN_FORMAT } from './other-files.js';

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
export interface LocatedHeader {
  readonly header: Header;
  readonly headerSpan: LineSpan;
}

/**
 * Reads the header: the first line that parses. `damaged` is the problem of an earlier line. Throws a CtxError (input)
 * for any other line.
 */
export function readHeader(value: unknown, line: LineSpan, from: HeaderSource): LocatedHeader {
  const first = parseHeader(value, line);
  if (first) return first;
  const { source, file, damaged } = from;
  refuseOtherFile(source, file);
  throw damaged ? buildNotASessionError(source, file, [damaged]) : buildNoHeaderError(value, line, from);
}

/** The file that a header is read from. */
interface HeaderSource {
  readonly source: ByteSource;
  readonly file: string;
  readonly damaged: Problem | undefined;
}

/** null for a value that Pi does not accept as a header. */
export function parseHeader(value: unknown, line: LineSpan): LocatedHeader | null {
  if (!isObject(value) || value.type !== 'session' || typeof value.id !== 'string') return null;
  const version = value.version ?? 1;
  const header: Header = {
    id: value.id,
    version: typeof version === 'object' ? Number.NaN : Number(version),
    timestamp: asString(value.timestamp),
    cwd: asString(value.cwd),
    fields: value,
  };
  return { header, headerSpan: { line: line.line, offset: line.offset, length: line.length } };
}

/** The version of a header in words; a file may have any value there. */
export function describeVersion(version: number): string {
  return Number.isNaN(version) ? 'an unknown version' : `version ${version}`;
}

function buildNoHeaderError(value: unknown, line: LineSpan, { source, file }: HeaderSource): CtxError {
  const where = `${file}:${line.line}`;
  const type = isObject(value) ? asString(value.type) : null;
  const what = describeFirstLine(type);
  if (what === null && !hasPiLine(source)) return buildUnknownFormatError(where);
  return new CtxError('input', what ?? 'the first line is not a session header', { where, hint: describeRepair(file) });
}

/** Describes the fault of a first line by its type. null for a type that Pi does not write, since an extension may. */
function describeFirstLine(type: string | null): string | null {
  if (type === 'session') return 'the session header has no id';
  if (type === null || !PI_TYPES.includes(type)) return null;
  return `the first line must be a session header, not a "${type}" entry`;
}

/** Builds the error for a file without a line of a known agent. */
export function buildUnknownFormatError(where: string): CtxError {
  return new CtxError('input', UNKNOWN_FORMAT, { where, hint: LIST_SESSIONS_HINT });
}

/** How to give a damaged session of Pi a header that Pi reads. */
function describeRepair(file: string): string {
  return `repair it in a new file: ctx repair ${toShellWord(file)} --output repaired.jsonl`;
}

/** The error for a file without a header. The first of the problems is its likely reason. */
export function buildNotASessionError(source: ByteSource, file: string, [problem]: readonly Problem[]): CtxError {
  if (source.size === 0) return new CtxError('input', 'the file is empty', { where: file, hint: LIST_SESSIONS_HINT });
  const reason = problem ? ` (line ${problem.line}: ${problem.message})` : '';
  const hint = hasPiLine(source) ? describeRepair(file) : LIST_SESSIONS_HINT;
  return new CtxError('input', `not a Pi session${reason}`, { where: file, hint });
}

/** The name of the field in version 1. */
export function parentSessionOf(header: JsonObject): string | null {
  return asString(header.parentSession) ?? asString(header.branchedFrom);
}
