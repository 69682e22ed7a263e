import { Buffer } from 'node:buffer';
import { runWithDeadline } from '#analysis/search/deadline.js';
import { SECRET_CLASSES } from '#analysis/secrets/define.js';
import { listSecretAnchors } from '#analysis/secrets/find-secrets.js';
import { findValueSecrets, maskSecret } from '#analysis/secrets/secrets-in-entry.js';
import { sumBy } from '#base/lists.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import { type RawLine, readLines } from '#session/scan/lines.js';
import type { RopePiece } from '../bytes/rope.js';
import { applyTextEdits, type TextEdit } from '../bytes/text-edit.js';
import { type ExactValue, ExactValueIndex, filterPossibleValues } from './exact-values.js';
import { FilePatches } from './file-patches.js';
import { readJsonString, readJsonTokens } from './json-tokens.js';
import { addLineEdits, findLineEdits } from './line-edits.js';
import { LineMarker, type MarkedLine } from './line-marker.js';
import { buildDamageTest, type LineText, listLinesToRedact, readLineText } from './line-text.js';
import { excludePlaceholders, isDistinctive, isPlaceholder, PLACEHOLDER_MARK, Placeholders } from './placeholders.js';
import type { RedactionListener, RedactionRules } from './redaction.js';
import { findTreatment, FORMAT_KEYS } from './token-treatment.js';
import { findByPatterns, joinOverlapping, toValueSpan, type ValueSpan } from './value-spans.js';

/**
 * Takes secrets out of sessions. A value that was found once is replaced wherever it occurs, and has the same placeholder
 * in all sessions of a run.
 */
export class Redactor {
  private readonly placeholders = new Placeholders();
  private readonly exact = new ExactValueIndex();
  /** The values that placeholders in file names replace. */
  private readonly inNames = new Map<string, string>();

  constructor(private readonly rules: RedactionRules) {
    for (const { value, kind } of rules.values) this.exact.add(value, kind, true);
  }

  /** The pieces of the file without its secrets. Throws a CtxError (input) for a line that is too long to be searched. */
  async redact(source: ByteSource, file: string, told: RedactionListener = {}): Promise<readonly RopePiece[]> {
    const { onReplaced = () => {}, onBatch } = told;
    const lines = listLinesToRedact(source, file);
    const subjects = [{ anchors: BUILT_IN }];
    await this.inBatches(new LineMarker(subjects, source).batchesOf(source, lines()), onBatch, (marked) => {
      if (marked.subjects?.has(0) !== false || this.rules.patterns.length > 0)
        this.learn(readLineText(source, marked.line, file));
    });
    const isDamaged = buildDamageTest(source, file);
    // A finder takes longer for many values than to look up each place of a line.
    const isLookedUp = this.exact.all.length > MANY_VALUES;
    const marks = new LineMarker(isLookedUp ? subjects : [...subjects, ...this.exact.all], source);
    const patches = new FilePatches();
    await this.inBatches(marks.batchesOf(source, lines()), onBatch, ({ line, subjects: held }) => {
      const isMarked = held?.size !== 0 || this.rules.patterns.length > 0 || isDamaged(line.offset);
      if (!isMarked && !isLookedUp) return;
      const read = readLineText(source, line, file);
      const values = read.kind === 'json' ? this.valuesOf(read.text, isLookedUp ? null : held) : [];
      if (isMarked || values.length > 0) this.patch({ read, line, values, patches, onReplaced });
    });
    return patches.end(source.size);
  }

  /** Numbers of placeholders that a text has from an earlier redaction are not given again. */
  reserve(text: string): void {
    this.placeholders.reserve(text);
  }

  /** Names of one object: none gets a placeholder that another one has. */
  names(all: readonly string[]): readonly string[] {
    this.reserve(all.join('\n'));
    return all.map((one) => this.name(one));
  }

  /** A text that is not of a session, such as the name of a file. */
  name(text: string): string {
    const spans = this.guarded(text.length, () => this.spansIn(text, '', this.exact.within(text)));
    return this.replaced(text, spans, (value, placeholder) => this.inNames.set(placeholder, value));
  }

  /** The text that `name` was given. */
  named(text: string): string {
    if (this.inNames.size === 0) return text;
    let original = text;
    for (const [placeholder, value] of this.inNames) original = original.replaceAll(placeholder, () => value);
    return original;
  }

  /** The first bytes of a file; the last line may be cut, and is left out then. */
  beginning(bytes: Uint8Array, file: string): Uint8Array {
    const source = toByteSource(bytes);
    const patches = new FilePatches();
    this.guarded(bytes.length, () => {
      for (const line of readLines(source)) {
        const read = readLineText(source, line, file);
        if (read.kind === 'damaged' && !line.terminated) patches.replace(line.offset, bytes.length, '');
        else {
          this.learn(read);
          const values = read.kind === 'json' ? this.valuesOf(read.text, null) : [];
          this.patch({ read, line, values, patches, onReplaced: () => {} });
        }
      }
    });
    const pieces = patches.end(bytes.length);
    return Buffer.concat(
      pieces.map((piece) => ('bytes' in piece ? piece.bytes : bytes.subarray(piece.from, piece.from + piece.length))),
    );
  }

  private async inBatches(
    batches: Iterable<readonly MarkedLine[]>,
    onBatch: RedactionListener['onBatch'],
    work: (marked: MarkedLine) => void,
  ): Promise<void> {
    for (const batch of batches) {
      const size = sumBy(batch, ({ line }) => line.length);
      this.guarded(size, () => {
        for (const marked of batch) work(marked);
      });
      onBatch?.();
      // Yields, so that an interrupt is noticed.
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  /** Patterns of the user's may never come to an end. */
  private guarded<Result>(bytes: number, work: () => Result): Result {
    return this.rules.patterns.length > 0 ? runWithDeadline('a --pattern', bytes, work) : work();
  }

  /** Collects values to replace wherever they occur. */
  private learn(read: LineText): void {
    if (read.kind !== 'json') return;
    const { text } = read;
    this.reserve(text);
    const mostValues = this.rules.values.length + MOST_LEARNED;
    for (const token of readJsonTokens(text)) {
      if (token.kind === 'number' || findTreatment(token) !== 'searched') continue;
      const isKey = token.kind === 'key';
      const value = isKey ? String(token.key) : readJsonString(text, token.start, token.end);
      for (const { plain, kind } of this.spansIn(value, isKey ? '' : token.key, []))
        if (isDistinctive(plain) && this.exact.all.length < mostValues) this.exact.add(plain, kind, false);
    }
  }

  private replaced(
    text: string,
    spans: readonly ValueSpan[],
    onReplaced: (value: string, placeholder: string) => void = () => {},
  ): string {
    const edits = spans.map(({ start, end, plain, kind }) => {
      const placeholder = this.placeholders.of(plain, kind);
      onReplaced(text.slice(start, end), placeholder);
      return { start, end, text: placeholder };
    });
    return applyTextEdits(text, edits);
  }

  private spansIn(text: string, key: string | number, values: readonly ExactValue[]): readonly ValueSpan[] {
    const spans = [
      ...this.exact.find(text, values),
      ...findValueSecrets(key, text).map((secret) => toValueSpan(text, secret)),
      ...findByPatterns(text, this.rules.patterns),
    ];
    const learned = values.filter(({ isGiven }) => !isGiven);
    return excludePlaceholders(text, joinOverlapping(text, spans), (name) =>
      learned.some(({ plain }) => name.includes(plain)),
    );
  }

  /** The values that a line may hold. Subject 0 is what rules find. */
  private valuesOf(text: string, subjects: ReadonlySet<number> | null): readonly ExactValue[] {
    if (subjects === null) return this.exact.within(text);
    const values = Array.from(subjects, (subject) => this.exact.all[subject - 1]).filter((one) => one !== undefined);
    return filterPossibleValues(text, values);
  }

  private patch({ read, line, values, patches, onReplaced }: Patching): void {
    if (read.kind === 'blank') return;
    if (read.kind === 'damaged') {
      if (isPlaceholder(read.text.trim())) return;
      const placeholder = this.placeholders.of(read.text, 'damaged line');
      patches.replace(line.offset, line.offset + read.length, placeholder);
      const masked = `${read.length} bytes`;
      onReplaced({ line: line.line, entryId: null, place: null, kind: 'damaged line', masked, placeholder });
      return;
    }
    const spansIn = (text: string, key: string | number): readonly ValueSpan[] => this.spansIn(text, key, values);
    const byRules = (text: string): readonly ValueSpan[] => this.spansIn(text, '', []);
    const shown = (key: string): string => (FORMAT_KEYS.has(key) ? key : this.replaced(key, spansIn(key, '')));
    const entryId = read.id === null ? null : this.replaced(read.id, spansIn(read.id, ''));
    const edits: TextEdit[] = [];
    for (const edit of findLineEdits(read.text, { exact: this.exact, values, spansIn, byRules, shown })) {
      const { span, isKept, needsQuotes, place, value, start, end } = edit;
      const placeholder = isKept ? null : this.placeholders.of(span.plain, span.kind);
      onReplaced({ line: line.line, entryId, place, kind: span.kind, masked: maskSecret(value), placeholder });
      if (placeholder !== null) edits.push({ start, end, text: needsQuotes ? `"${placeholder}"` : placeholder });
    }
    addLineEdits(read, line, edits, patches);
  }
}

const MANY_VALUES = 400;

/** Of what is found further down, only what the rules find is replaced: each value takes memory, and time on every line. */
const MOST_LEARNED = 5000;

interface Patching {
  readonly read: LineText;
  readonly line: RawLine;
  /** Those that the line may hold. */
  readonly values: readonly ExactValue[];
  readonly patches: FilePatches;
  readonly onReplaced: NonNullable<RedactionListener['onReplaced']>;
}

/** One of these is in every line in which a rule finds something, and in those of earlier redactions. */
const BUILT_IN: readonly string[] = [...new Set(SECRET_CLASSES.flatMap(listSecretAnchors)), PLACEHOLDER_MARK];
