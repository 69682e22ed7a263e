import { Buffer } from 'node:buffer';
import { runWithDeadline } from '#analysis/search/deadline.js';
import { SECRET_CLASSES } from '#analysis/secrets/define.js';
import { listSecretAnchors } from '#analysis/secrets/find-secrets.js';
import { findValueSecrets, maskSecret } from '#analysis/secrets/secrets-in-entry.js';
import { sumBy } from '#base/lists.js';
import type { RecordMembers } from '#session/agents/record-members.js';
import { type ByteSource, toByteSource } from '#session/scan/byte-source.js';
import { type RawLine, readLines } from '#session/scan/lines.js';
import type { RopePiece } from '../bytes/rope.js';
import { applyTextEdits, type TextEdit } from '../bytes/text-edit.js';
import { type ExactValue, ExactValueIndex, filterPossibleValues } from './exact-values.js';
import { FilePatches } from './file-patches.js';
import { readJsonString, readJsonTokens } from './json-tokens.js';
import { addLineEdits, findLineEdits, type LineSearch } from './line-edits.js';
import { LineMarker, type MarkedLine } from './line-marker.js';
import { buildDamageTest, type LineText, listLinesToRedact, readLineText } from './line-text.js';
import { findPersonalData, isPersonalKind } from './personal-data.js';
import { excludePlaceholders, isDistinctive, isPlaceholder, PLACEHOLDER_MARK, Placeholders } from './placeholders.js';
import type { RedactionListener, RedactionRules } from './redaction.js';
import { findTreatment, PI_MEMBERS } from './token-treatment.js';
import { findByPatterns, joinOverlapping, toValueSpan, type ValueSpan } from './value-spans.js';

/**
 * Replaces the secrets of sessions. A value that was found once is replaced wherever it occurs, and has the same
 * placeholder in all sessions of a run.
 */
export class Redactor {
  private readonly placeholders = new Placeholders();
  private readonly exact = new ExactValueIndex();
  /** The values that placeholders in file names replace. */
  private readonly inNames = new Map<string, string>();

  /** `members`: what the records of the session hang on; those of Pi by default. */
  constructor(
    private readonly rules: RedactionRules,
    private readonly members: RecordMembers = PI_MEMBERS,
  ) {
    for (const { value, kind } of rules.values) this.exact.add(value, kind, true);
  }

  /**
   * The pieces of the file without its secrets. Throws a CtxError (input) for a line that is too long to be searched.
   */
  async redact(source: ByteSource, file: string, listener: RedactionListener = {}): Promise<readonly RopePiece[]> {
    await this.learnAll(source, file, listener);
    return this.patchAll(source, file, listener);
  }

  /** Collects the values of a file to replace wherever they occur. */
  private async learnAll(source: ByteSource, file: string, { onBatch }: RedactionListener): Promise<void> {
    const lines = listLinesToRedact(source, file);
    const marks = new LineMarker([RULE_SUBJECT], source);
    await this.runInBatches(marks.readBatches(source, lines), onBatch, ({ line, subjects }) => {
      const isMarked = subjects?.has(0) !== false;
      // A pattern may be anywhere.
      if (isMarked || this.rules.patterns.length > 0) this.learn(readLineText(source, line, file));
    });
  }

  /** Replaces the secrets of a file, line by line. */
  private async patchAll(source: ByteSource, file: string, listener: RedactionListener): Promise<readonly RopePiece[]> {
    const { onReplaced = () => {}, onBatch } = listener;
    const lines = listLinesToRedact(source, file);
    const isDamaged = buildDamageTest(source, file);
    // A pattern or an address may be anywhere.
    const isAnywhere = this.rules.patterns.length > 0 || this.rules.isPersonal === true;
    const isLookedUp = this.exact.all.length > MANY_VALUES;
    const marks = new LineMarker(isLookedUp ? [RULE_SUBJECT] : [RULE_SUBJECT, ...this.exact.all], source);
    const patches = new FilePatches();
    await this.runInBatches(marks.readBatches(source, lines), onBatch, ({ line, subjects }) => {
      const isMarked = subjects?.size !== 0 || isAnywhere || isDamaged(line.offset);
      if (!isMarked && !isLookedUp) return;
      const read = readLineText(source, line, file);
      const values = read.kind === 'json' ? this.listPossibleValues(read.text, isLookedUp ? null : subjects) : [];
      if (isMarked || values.length > 0) this.patchLine({ read, line, values, patches, onReplaced });
    });
    return patches.finish(source.size);
  }

  /** Numbers of placeholders that a text has from an earlier redaction are not given again. */
  reserve(text: string): void {
    this.placeholders.reserve(text);
  }

  /** Redacts names that are shown together, so that no two of them get the same placeholder. */
  redactNames(all: readonly string[]): readonly string[] {
    this.reserve(all.join('\n'));
    return all.map((one) => this.redactName(one));
  }

  /** Redacts a text outside a session, such as the name of a file. */
  redactName(text: string): string {
    // The user sees these names, and the files are opened by them. They are masked where they are written.
    const spans = this.findTextSpans(text).filter(({ kind }) => !isPersonalKind(kind));
    return this.replaceSpans(text, spans, (value, placeholder) => this.inNames.set(placeholder, value));
  }

  /** Masks a text that is written into a file to pass on, such as the name of the session. */
  maskText(text: string): string {
    return this.replaceSpans(text, this.findTextSpans(text));
  }

  /** The text that `redactName` was called with. */
  restoreName(text: string): string {
    if (this.inNames.size === 0) return text;
    let original = text;
    for (const [placeholder, value] of this.inNames) original = original.replaceAll(placeholder, () => value);
    return original;
  }

  /** Redacts the first bytes of a file. An incomplete last line is left out. */
  redactBeginning(bytes: Uint8Array, file: string): Uint8Array {
    const source = toByteSource(bytes);
    const patches = new FilePatches();
    this.runGuarded(bytes.length, () => {
      for (const line of readLines(source)) {
        const read = readLineText(source, line, file);
        if (read.kind === 'damaged' && !line.terminated) patches.replace(line.offset, bytes.length, '');
        else {
          this.learn(read);
          const values = read.kind === 'json' ? this.listPossibleValues(read.text, null) : [];
          this.patchLine({ read, line, values, patches, onReplaced: () => {} });
        }
      }
    });
    const pieces = patches.finish(bytes.length);
    return Buffer.concat(
      pieces.map((piece) => ('bytes' in piece ? piece.bytes : bytes.subarray(piece.from, piece.from + piece.length))),
    );
  }

  private async runInBatches(
    batches: Iterable<readonly MarkedLine[]>,
    onBatch: RedactionListener['onBatch'],
    work: (marked: MarkedLine) => void,
  ): Promise<void> {
    for (const batch of batches) {
      const size = sumBy(batch, ({ line }) => line.length);
      this.runGuarded(size, () => {
        for (const marked of batch) work(marked);
      });
      onBatch?.();
      // Yields, so that an interrupt is noticed.
      await new Promise((resolve) => void setImmediate(resolve));
    }
  }

  /** The patterns of the user may never come to an end. */
  private runGuarded<Result>(bytes: number, work: () => Result): Result {
    return this.rules.patterns.length > 0 ? runWithDeadline('a --pattern', bytes, work) : work();
  }

  /** Collects values to replace wherever they occur. */
  private learn(read: LineText): void {
    if (read.kind !== 'json') return;
    const { text } = read;
    this.reserve(text);
    const mostValues = this.rules.values.length + MOST_LEARNED;
    for (const token of readJsonTokens(text, this.members)) {
      if (token.kind === 'number' || findTreatment(token, this.members) !== 'searched') continue;
      const isKey = token.kind === 'key';
      const value = isKey ? String(token.key) : readJsonString(text, token.start, token.end);
      for (const { plain, kind } of this.findSpans(value, isKey ? '' : token.key, []))
        if (isDistinctive(plain) && !isPersonalKind(kind) && this.exact.all.length < mostValues)
          this.exact.add(plain, kind, false);
    }
  }

  private replaceSpans(
    text: string,
    spans: readonly ValueSpan[],
    onReplaced: (value: string, placeholder: string) => void = () => {},
  ): string {
    const edits = spans.map(({ start, end, plain, kind }) => {
      const placeholder = this.placeholders.assign(plain, kind);
      onReplaced(text.slice(start, end), placeholder);
      return { start, end, text: placeholder };
    });
    return applyTextEdits(text, edits);
  }

  /** Finds the spans of a text outside a session. */
  private findTextSpans(text: string): readonly ValueSpan[] {
    return this.runGuarded(text.length, () => this.findSpans(text, '', this.exact.findPossible(text)));
  }

  private findSpans(text: string, key: string | number, values: readonly ExactValue[]): readonly ValueSpan[] {
    const spans = [
      ...this.exact.find(text, values),
      ...findValueSecrets(key, text).map((secret) => toValueSpan(text, secret)),
      ...findByPatterns(text, this.rules.patterns),
      ...(this.rules.isPersonal ? findPersonalData(text) : []),
    ];
    const learned = values.filter(({ isGiven }) => !isGiven);
    return excludePlaceholders(text, joinOverlapping(text, spans), (name) =>
      learned.some(({ plain }) => name.includes(plain)),
    );
  }

  /** The values that a line may hold. Subject 0 is what rules find. */
  private listPossibleValues(text: string, subjects: ReadonlySet<number> | null): readonly ExactValue[] {
    if (subjects === null) return this.exact.findPossible(text);
    const values = Array.from(subjects, (subject) => this.exact.all[subject - 1]).filter((one) => one !== undefined);
    return filterPossibleValues(text, values);
  }

  private patchLine({ read, line, values, patches, onReplaced }: Patching): void {
    if (read.kind === 'blank') return;
    if (read.kind === 'damaged') {
      if (isPlaceholder(read.text.trim())) return;
      const placeholder = this.placeholders.assign(read.text, 'damaged line');
      patches.replace(line.offset, line.offset + read.length, placeholder);
      const masked = `${read.length} bytes`;
      onReplaced({ line: line.line, entryId: null, place: null, kind: 'damaged line', masked, placeholder });
      return;
    }
    const findSpans: LineSearch['findSpans'] = (text, key) => this.findSpans(text, key, values);
    const redactText = (text: string): string => this.replaceSpans(text, findSpans(text, ''));
    const search: LineSearch = {
      members: this.members,
      exact: this.exact,
      values,
      findSpans,
      findByRules: (text) => this.findSpans(text, '', []),
      redactKey: (key) => (this.members.isOfFormat(key) ? key : redactText(key)),
    };
    const entryId = read.id === null ? null : redactText(read.id);
    const edits: TextEdit[] = [];
    for (const edit of findLineEdits(read.text, search)) {
      const { span, isKept, needsQuotes, place, value, start, end } = edit;
      const placeholder = isKept ? null : this.placeholders.assign(span.plain, span.kind);
      onReplaced({ line: line.line, entryId, place, kind: span.kind, masked: maskSecret(value), placeholder });
      if (placeholder !== null) edits.push({ start, end, text: needsQuotes ? `"${placeholder}"` : placeholder });
    }
    addLineEdits(read, line, edits, patches);
  }
}

/** The number of values from which a lookup at each place of a line is faster than a finder. */
const MANY_VALUES = 400;

/**
 * Each value takes memory, and time on every line, so values that are found later are only replaced where a rule finds
 * them.
 */
const MOST_LEARNED = 5000;

interface Patching {
  readonly read: LineText;
  readonly line: RawLine;
  /** The values that the line may hold. */
  readonly values: readonly ExactValue[];
  readonly patches: FilePatches;
  readonly onReplaced: NonNullable<RedactionListener['onReplaced']>;
}

/** Every line in which a rule finds a secret, or with an earlier redaction, contains one of these. */
const RULE_ANCHORS: readonly string[] = [...new Set(SECRET_CLASSES.flatMap(listSecretAnchors)), PLACEHOLDER_MARK];

/** The subject 0 of a search for lines: what rules find. The values follow. */
const RULE_SUBJECT = { anchors: RULE_ANCHORS };
