import { CtxError, sortByLine } from '#base/errors.js';
import { asObject, type JsonObject } from '#base/json.js';
import { retypeTransforms } from './carried-entries.js';
import { findUsage, type Head, UNKNOWN_PLACE } from './heads/head.js';
import { markLocalAnswers } from './local-answers.js';
import { migrateHeads } from './migrate.js';
import type { ByteSource } from './scan/byte-source.js';
import { type ScanOptions, scanSession } from './scan/incremental-scan.js';
import { type LineSpan, readInPieces } from './scan/lines.js';
import { memoizeLongLine } from './scan/memoize-long-line.js';
import { LONGEST_LINE_BYTES } from './scan/parse-line.js';
import type { Scan } from './scan/scan.js';
import type { Session } from './session.js';
import { listTreeProblems } from './tree/problems.js';
import { buildTree } from './tree/tree.js';

/** Reads a session of any version. Throws a CtxError (input) only if no session header comes first. */
export function readSession(source: ByteSource, file: string, reading: ScanOptions = {}): Session {
  return buildSession(scanSession(source, file, reading), source, file);
}

export function buildSession(scanned: Scan, source: ByteSource, file: string): Session {
  const readLine = memoizeLongLine(LONG_LINE_BYTES, (head: Head) => parseObject(source, head, file));
  if (scanned.header.version >= 3) retypeTransforms(scanned.heads, source, readLine);
  markLocalAnswers(scanned.heads, source, readLine);
  const { heads, entry } = migrateHeads(scanned, readLine);
  const tree = buildTree(heads);
  // The links of a partial file may lead to lines that were not read.
  const ofTree = scanned.isWhole ? listTreeProblems(tree, scanned.header.id) : [];
  const problems = sortByLine([...scanned.problems, ...ofTree]);
  return {
    file,
    header: scanned.header,
    scan: scanned,
    tree,
    problems,
    isStrict: source.isStrict ?? false,
    source,
    entry: (head) => entry(head, readLine(head)),
    bytes: (head) => readInPieces(source, head),
    usage(head) {
      if (head.usageLength === 0) return null;
      if (head.usageStart === UNKNOWN_PLACE) return findUsage(readLine(head));
      const { line, offset, usageStart, usageLength } = head;
      return parseObject(source, { line, offset: offset + usageStart, length: usageLength }, file);
    },
  };
}

/** The length from which a line takes so long to parse that its value is kept until the next long line. */
const LONG_LINE_BYTES = 16e6;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function parseObject(source: ByteSource, { offset, length, line }: LineSpan, file: string): JsonObject {
  if (length > LONGEST_LINE_BYTES) return {};
  const text = decoder.decode(source.read(offset, offset + length));
  try {
    const value: unknown = JSON.parse(text);
    return asObject(value);
  } catch {
    const where = `${file}:${line}`;
    throw new CtxError('input', 'the file changed while it was being read', { where, hint: 'run the command again' });
  }
}
