import type { ExactValue, ExactValues, Span } from './exact-values.js';
import { placeOf, stringIn, type Token, tokensOf, writtenPlaces } from './json-tokens.js';
import { treatmentOf } from './treatment.js';

/** How a line is searched. */
export interface Search {
  readonly exact: ExactValues;
  /** Those that the line may hold. */
  readonly values: readonly ExactValue[];
  /** All stretches of a text that are to be replaced, in order. `key`: what the text is the value of. */
  spansIn(text: string, key: string | number): readonly Span[];
  /** The same of what rules and patterns find, whatever was found elsewhere. */
  byRules(text: string): readonly Span[];
  /** A key without secrets. */
  shown(key: string): string;
}

/** A stretch of a line as it is written, and what is to stand there. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly span: Span;
  /** What is replaced. */
  readonly value: string;
  /** `message.content[0].text` */
  readonly place: string;
  /** A number becomes a string. */
  readonly needsQuotes: boolean;
  /** The session hangs on it, so it stays. */
  readonly isKept: boolean;
}

/** What is to be replaced in a line, in order. The line has to be JSON. */
export function* editsIn(line: string, search: Search): Generator<Edit> {
  for (const token of tokensOf(line)) {
    const treatment = treatmentOf(token);
    if (treatment === 'opaque') continue;
    if (treatment === 'structure') yield* keptIn(line, token, search);
    else if (token.kind === 'number') yield* numberEdit(line, token, search);
    else yield* textEdits(line, token, search);
  }
}

function* textEdits(line: string, token: Token, search: Search): Generator<Edit> {
  const { kind, start, end, key } = token;
  const text = kind === 'key' ? String(key) : stringIn(line, start, end);
  const spans = search.spansIn(text, kind === 'key' ? '' : key);
  if (spans.length === 0) return;
  const written = writtenPlaces(line, start);
  const place = placeOf(token, search.shown);
  for (const span of spans) {
    const value = text.slice(span.start, span.end);
    yield { start: written(span.start), end: written(span.end), span, value, place, needsQuotes: false, isKept: false };
  }
}

/** Of a number all is replaced: what is left would not be one. */
function* numberEdit(line: string, token: Token, { exact, values, shown }: Search): Generator<Edit> {
  const { start, end } = token;
  const value = line.slice(start, end);
  const [span] = exact.find(value, givenOf(values));
  if (!span) return;
  const place = placeOf(token, shown);
  yield { start, end, span: { ...span, plain: value }, value, place, needsQuotes: true, isKept: false };
}

/** What cannot be replaced is reported. An id that only looks like something found elsewhere is no secret by that. */
function* keptIn(line: string, token: Token, { exact, values, byRules, shown }: Search): Generator<Edit> {
  const { kind, start, end } = token;
  if (kind !== 'text') return;
  const text = stringIn(line, start, end);
  const given = [...exact.find(text, givenOf(values))];
  for (const span of given.length > 0 ? given : byRules(text)) {
    const value = text.slice(span.start, span.end);
    yield { start, end, span, value, place: placeOf(token, shown), needsQuotes: false, isKept: true };
  }
}

function* givenOf(values: readonly ExactValue[]): Generator<ExactValue> {
  for (const value of values) if (value.isGiven) yield value;
}
