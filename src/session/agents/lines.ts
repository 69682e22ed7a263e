import { CtxError, type Problem } from '#base/errors.js';
import { isObject, type JsonObject } from '#base/json.js';
import { type ByteSource, type LineSpan, linesOf, type RawLine } from '../scan/bytes.js';
import { DamageReader, lineProblem } from '../scan/damage.js';
import type { FieldLayout } from '../scan/fields.js';
import { LineTable } from '../scan/line-table.js';
import { parseLine } from '../scan/parse.js';
import { addLost, spanOf } from '../scan/scan.js';
import type { ForeignLine, ForeignLines } from './define.js';

interface FileForm {
  readonly isDocument: boolean;
  readonly beforeParsing?: (() => void) | undefined;
}

/** The lines of a file with an object; all others are sorted as damage or blanks. */
export class LinesOf implements ForeignLines {
  readonly blanks: LineSpan[] = [];
  readonly lost: LineSpan[] = [];
  private readonly damage = new DamageReader();
  readonly problems: Problem[] = [];

  constructor(
    private readonly source: ByteSource,
    private readonly file: string,
    private readonly form: FileForm,
  ) {}

  valueAt(span: LineSpan): JsonObject {
    const parsed = parseLine(this.source, { ...span, terminated: true });
    if (parsed.kind === 'value' && isObject(parsed.value)) return parsed.value;
    const where = `${this.file}:${span.line}`;
    throw new CtxError('input', 'the file changed while it was being read', { where, hint: 'run the command again' });
  }

  table(layout: FieldLayout, known: readonly string[]): LineTable {
    const table = new LineTable(this.source, layout, known);
    table.read((line, isAfterSound) => {
      if (isAfterSound) this.damage.end();
      return this.read(line);
    });
    return table;
  }

  /** The problems of all lines; known after they were read. */
  all(): readonly Problem[] {
    this.damage.end();
    return [...this.problems, ...this.damage.problems];
  }

  *[Symbol.iterator](): Generator<ForeignLine> {
    this.form.beforeParsing?.();
    if (this.form.isDocument) return yield* this.document();
    for (const line of linesOf(this.source)) {
      const value = this.read(line);
      if (value) yield { line: line.line, offset: line.offset, length: line.length, value };
    }
  }

  /** The whole file as one line. */
  private *document(): Generator<ForeignLine> {
    const { size } = this.source;
    const value = this.read({ line: 1, offset: 0, length: size, terminated: true });
    if (value) yield { line: 1, offset: 0, length: size, value };
  }

  private read(line: RawLine): JsonObject | null {
    const parsed = parseLine(this.source, line);
    if (parsed.kind === 'blank') {
      this.blanks.push(spanOf(line));
      return null;
    }
    if (parsed.kind === 'damaged') {
      this.lost.push(spanOf(line));
      this.damage.add(line, parsed.text);
      return null;
    }
    this.damage.end();
    if (parsed.kind === 'value' && isObject(parsed.value)) {
      if (!parsed.validUtf8) this.problems.push(lineProblem('invalid-utf8', line));
      return parsed.value;
    }
    addLost(this, line, parsed.kind === 'too-long' ? 'line-too-long' : 'not-an-object');
    return null;
  }
}
