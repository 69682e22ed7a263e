import { Buffer } from 'node:buffer';
import type { RecordMembers } from '#session/agents/record-members.js';
import type { RawLine } from '#session/scan/lines.js';
import { applyTextEdits, type TextEdit } from '../bytes/text-edit.js';
import type { ExactValue, ExactValueIndex } from './exact-values.js';
import type { FilePatches } from './file-patches.js';
import { buildOffsetMap, describePlace, type JsonToken, readJsonString, readJsonTokens } from './json-tokens.js';
import type { LineText } from './line-text.js';
import { findTreatment } from './token-treatment.js';
import type { ValueSpan } from './value-spans.js';

/** The way in which a line is searched. */
export interface LineSearch {
  readonly members: RecordMembers;
  readonly exact: ExactValueIndex;
  /** The values that the line may hold. */
  readonly values: readonly ExactValue[];
  /** All stretches of a text that are to be replaced, in order. `key`: what the text is the value of. */
  findSpans(text: string, key: string | number): readonly ValueSpan[];
  /** The stretches that rules and patterns find, whatever was found elsewhere. */
  findByRules(text: string): readonly ValueSpan[];
  /** A key without secrets. */
  redactKey(key: string): string;
}

/** A stretch of a raw line, and its replacement. */
export interface LineEdit {
  readonly start: number;
  readonly end: number;
  readonly span: ValueSpan;
  readonly value: string;
  /** `message.content[0].text` */
  readonly place: string;
  /** A number becomes a string. */
  readonly needsQuotes: boolean;
  /** The session hangs on it, so it stays. */
  readonly isKept: boolean;
}

/** Finds the edits of a line, in order. The line has to be JSON. */
export function* findLineEdits(line: string, search: LineSearch): Generator<LineEdit> {
  for (const token of readJsonTokens(line, search.members)) {
    const treatment = findTreatment(token, search.members);
    if (treatment === 'opaque') continue;
    if (treatment === 'structure') yield* listKeptSecrets(line, token, search);
    else if (token.kind === 'number') yield* listNumberEdits(line, token, search);
    else yield* listTextEdits(line, token, search);
  }
}

function* listTextEdits(line: string, token: JsonToken, search: LineSearch): Generator<LineEdit> {
  const { kind, start, end, key } = token;
  const text = kind === 'key' ? String(key) : readJsonString(line, start, end);
  const spans = search.findSpans(text, kind === 'key' ? '' : key);
  if (spans.length === 0) return;
  const written = buildOffsetMap(line, start);
  const place = describePlace(token, search.redactKey);
  for (const span of spans) {
    const value = text.slice(span.start, span.end);
    yield { start: written(span.start), end: written(span.end), span, value, place, needsQuotes: false, isKept: false };
  }
}

/** Lists the edit of a number, which is replaced whole: the digits around a secret would not be a number. */
function* listNumberEdits(
  line: string,
  token: JsonToken,
  { exact, values, redactKey }: LineSearch,
): Generator<LineEdit> {
  const { start, end } = token;
  const value = line.slice(start, end);
  const [span] = exact.find(
    value,
    values.filter(({ isGiven }) => isGiven),
  );
  if (!span) return;
  const place = describePlace(token, redactKey);
  yield { start, end, span: { ...span, plain: value }, value, place, needsQuotes: true, isKept: false };
}

/** Reports a secret that cannot be replaced: a value that is replaced elsewhere, or one that a rule finds. */
function* listKeptSecrets(
  line: string,
  token: JsonToken,
  { exact, values, findByRules, redactKey }: LineSearch,
): Generator<LineEdit> {
  const { kind, start, end } = token;
  if (kind !== 'text') return;
  const text = readJsonString(line, start, end);
  const verbatim = [...exact.find(text, values)];
  for (const span of verbatim.length > 0 ? verbatim : findByRules(text)) {
    const value = text.slice(span.start, span.end);
    yield { start, end, span, value, place: describePlace(token, redactKey), needsQuotes: false, isKept: true };
  }
}

/** Notes the edits of a line, which come in order, as stretches of the file. All other bytes stay. */
export function addLineEdits(
  read: Extract<LineText, { readonly kind: 'json' }>,
  line: RawLine,
  edits: readonly TextEdit[],
  patches: FilePatches,
): void {
  if (edits.length === 0) return;
  const { text, isUtf8 } = read;
  if (!isUtf8) {
    // Positions of characters are ambiguous in invalid UTF-8, so the line is written as readers decode it.
    patches.replace(line.offset, line.offset + line.length, applyTextEdits(text, edits));
    return;
  }
  const isAscii = text.length === line.length;
  let at = 0;
  let offset = line.offset;
  const offsetOf = (place: number): number => {
    offset += isAscii ? place - at : Buffer.byteLength(text.slice(at, place));
    at = place;
    return offset;
  };
  for (const { start, end, text: written } of edits) patches.replace(offsetOf(start), offsetOf(end), written);
}
