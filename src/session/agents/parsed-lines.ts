import { CtxError, type Problem } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import type { ByteSource } from '../scan/byte-source.js';
import { buildLineProblem, DamageReader } from '../scan/damage.js';
import type { FieldLayout } from '../scan/field-layout.js';
import type { LineFields, ParsedPart } from '../scan/line-fields.js';
import { type LineSpan, type RawLine, readLines } from '../scan/lines.js';
import { type ParsedLine, parseLine } from '../scan/parse-line.js';
import { readLineFields } from '../scan/read-line-fields.js';
import { hasByteOrderMark, isBlankBytes, LineRecovery, type RecoveredPart } from '../scan/recover.js';
import { addDamagedLine, toLineSpan } from '../scan/scan.js';
import type { AgentLines } from './define.js';
import type { AgentRecord } from './native-records.js';

/** The lines of a file with an object; all others are sorted as damage or blanks. */
export class ParsedLines implements AgentLines {
  readonly parts: readonly number[];
  readonly blanks: LineSpan[] = [];
  readonly damaged: LineSpan[] = [];
  readonly problems: Problem[] = [];
  /** The bytes of all lines with an object. */
  objectBytes = 0;
  private readonly damage = new DamageReader();
  private readonly recovery: LineRecovery;

  /** `isDocument`: the whole file is one line. */
  constructor(
    private readonly source: ByteSource,
    private readonly file: string,
    private readonly isDocument: boolean,
  ) {
    this.parts = source.parts ?? [0];
    this.recovery = new LineRecovery(source.size);
  }

  *[Symbol.iterator](): Generator<AgentRecord> {
    for (const line of this.isDocument ? [this.wholeFile()] : readLines(this.source)) {
      for (const { offset, length, value } of this.partsOf(line)) {
        if (!value) continue;
        this.objectBytes += length;
        yield { line: line.line, offset, length, value };
      }
    }
  }

  private wholeFile(): RawLine {
    return { line: 1, offset: 0, length: this.source.size, terminated: true };
  }

  readFields(layout: FieldLayout, fixedTexts: readonly string[]): LineFields {
    const fields = readLineFields(this.source, layout, fixedTexts, (line, isAfterSound) => {
      if (isAfterSound) this.damage.end();
      return this.partsOf(line);
    });
    this.objectBytes = fields.objectBytes;
    return fields;
  }

  valueAt(span: LineSpan): JsonObject {
    const parsed = parseLine(this.source, { ...span, terminated: true });
    if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value;
    const where = `${this.file}:${span.line}`;
    throw new CtxError('input', 'the file changed while it was being read', { where, hint: 'run the command again' });
  }

  /** The problems of all lines; known after they were read. */
  listProblems(): readonly Problem[] {
    this.damage.end();
    return [...this.problems, ...this.damage.problems];
  }

  /** The line with its object, or its parts if it is damaged but has objects that can be read. */
  private partsOf(line: RawLine): readonly ParsedPart[] {
    const parsed = parseLine(this.source, line);
    const parts = parsed.kind === 'damaged' ? this.recover(line) : null;
    return parts ?? [{ offset: line.offset, length: line.length, value: this.sort(line, parsed) }];
  }

  /** The object of a line; null for a line without one, which is sorted. */
  private sort(line: RawLine, parsed: ParsedLine): JsonObject | null {
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
    if (parsed.kind === 'too-long' || !isObject(parsed.value)) {
      addDamagedLine(this, line, parsed.kind === 'too-long' ? 'line-too-long' : 'not-an-object');
      return null;
    }
    if (!parsed.validUtf8) this.problems.push(buildLineProblem('invalid-utf8', line));
    return parsed.value;
  }

  /** The parts of a damaged line; null if none has an object. */
  private recover(line: RawLine): readonly ParsedPart[] | null {
    const bytes = this.source.read(line.offset, line.offset + line.length);
    const parts = this.recovery.partsOf(bytes);
    if (parts === null) return null;
    this.damage.end();
    const problem = findPartsProblem(line, bytes, parts);
    if (problem) this.problems.push(problem);
    return parts.map(({ start, end, value }) => {
      const span = { line: line.line, offset: line.offset + start, length: end - start };
      if (value === null) {
        const spans = isBlankBytes(bytes.subarray(start, end)) ? this.blanks : this.damaged;
        spans.push(span);
      }
      return { ...span, value };
    });
  }
}

/** The damage of a line with objects that can be read; null if a byte order mark is all of it. */
function findPartsProblem(line: RawLine, bytes: Uint8Array, parts: readonly RecoveredPart[]): Problem | null {
  const lost = parts.filter(({ value }) => value === null);
  const isNul = lost.some(({ start, end }) => bytes.subarray(start, end).includes(0));
  if (isNul) return { ...buildLineProblem('nul-bytes', line), message: 'NUL bytes are beside an entry' };
  const objects = parts.length - lost.length;
  // Agents read a file that begins with a byte order mark.
  const isMarked = line.offset === 0 && hasByteOrderMark(bytes);
  return objects > 1 || lost.length > Number(isMarked) ? buildLineProblem('glued-lines', line) : null;
}
