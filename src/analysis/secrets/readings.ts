import { findFirstPast } from '#base/lists.js';

/** A text decoded from the notations in which tools write it. */
export interface DecodedText {
  readonly text: string;
  /** Maps a range of it to the original text. */
  written(start: number, end: number): TextSpan;
}

/** A part of a text, by offsets in UTF-16 code units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

interface Change extends TextSpan {
  readonly reads: string;
}

/**
 * Lists the readings of a text: the unchanged text, the text without colours and escapes of JSON, URLs and HTML, and
 * the text with the lines joined that a terminal has broken. A reading without changes is left out.
 */
export function listReadings(text: string): readonly DecodedText[] {
  const plain: DecodedText = { text, written: (start, end) => ({ start, end }) };
  const decoded = applyReadingChanges(plain, listDecodings(text)) ?? plain;
  const joined = applyReadingChanges(decoded, findLineBreaks(decoded.text));
  const readings = joined ? [plain, decoded, joined] : [plain, decoded];
  return [...new Set(readings)];
}

/** A reading with changes, which are in order; null if there are none. */
export function applyReadingChanges(base: DecodedText, changes: readonly Change[]): DecodedText | null {
  if (changes.length === 0) return null;
  let text = '';
  let from = 0;
  const ends: number[] = [];
  for (const { start, end, reads } of changes) {
    text += base.text.slice(from, start) + reads;
    ends.push(text.length);
    from = end;
  }
  /** The position in the base of a position of the reading; also for its end. */
  const placeOf = (at: number): TextSpan => {
    const next = findFirstPast(ends.length, (index) => (ends[index] ?? 0) > at);
    const change = changes[next];
    if (change && at >= (ends[next] ?? 0) - change.reads.length) return change;
    const start = at - (ends[next - 1] ?? 0) + (changes[next - 1]?.end ?? 0);
    return { start, end: start + 1 };
  };
  return {
    text: text + base.text.slice(from),
    written: (start, end) => base.written(placeOf(start).start, placeOf(end - 1).end),
  };
}

/** A colour, or one character as escaped in JSON (also JSON in JSON), a URL or HTML. */
const NOTATION =
  // oxlint-disable-next-line no-control-regex -- colours begin with an escape character
  /(?:\u001b|\\{1,64}(?:u001[bB]|x1[bB]|033|e)|%1[bB])\[[0-9;?]{0,20}[A-Za-z]|\\{1,64}(?:u(?<unicode>[0-9a-fA-F]{4})|(?<control>[nrtbf])|(?<sign>["'`/]))|%(?:25){0,4}(?<percent>[2-7][0-9a-fA-F]|0[9aAdD])|&(?:amp;){0,4}(?:(?<entity>quot|apos|amp|lt|gt|nbsp)|#(?<decimal>\d{2,5})|#[xX](?<hex>[0-9a-fA-F]{2,4}));/g;

const CONTROLS: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };
const ENTITIES: Readonly<Record<string, string>> = { quot: '"', apos: "'", amp: '&', lt: '<', gt: '>', nbsp: ' ' };

function listDecodings(text: string): readonly Change[] {
  return Array.from(text.matchAll(NOTATION), ({ index, 0: whole, groups = {} }) => ({
    start: index,
    end: index + whole.length,
    reads: readOf(groups),
  }));
}

function readOf(groups: Readonly<Record<string, string | undefined>>): string {
  const { unicode, control, sign, percent, entity, decimal, hex } = groups;
  const code = unicode ?? percent ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return CONTROLS[control ?? ''] ?? sign ?? ENTITIES[entity ?? ''] ?? '';
}

/** The line breaks that a terminal or a mail added to a text: after a full line, inside text without blanks. */
function findLineBreaks(text: string): readonly Change[] {
  if (text.length < NARROWEST) return [];
  const lines = listLines(text);
  const fullLength = findFullLength(lines);
  const breaks: Change[] = [];
  for (const [at, line] of lines.entries()) {
    const next = lines[at + 1];
    if (!next) break;
    const length = line.end - line.start;
    const isFull = WIDTHS.has(length) || length === fullLength;
    const isLonger = length >= next.end - next.start;
    if (isFull && isLonger && isContinuation(text.slice(next.start, next.end), text.slice(line.start, line.end)))
      breaks.push({ start: line.end, end: next.start, reads: '' });
  }
  return breaks;
}

/** Finds the length of the longest lines, if at least two have it and a terminal may be as wide; null otherwise. */
function findFullLength(lines: readonly TextSpan[]): number | null {
  let longest = 0;
  let count = 0;
  for (const { start, end } of lines) {
    const length = end - start;
    if (length > longest) {
      longest = length;
      count = 1;
    } else if (length === longest) count += 1;
  }
  return count > 1 && longest >= NARROWEST ? longest : null;
}

/** The lines of a text, without their ends. */
function listLines(text: string): readonly TextSpan[] {
  const lines: TextSpan[] = [];
  let start = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', start)) {
    lines.push({ start, end: text[at - 1] === '\r' ? at - 1 : at });
    start = at + 1;
  }
  lines.push({ start, end: text.length });
  return lines;
}

/** Whether a line continues the text of the one before it, which a terminal has broken. */
function isContinuation(line: string, before: string): boolean {
  const isWithin = IS_TEXT.test(before.at(-1) ?? '') && IS_TEXT.test(line[0] ?? '');
  return isWithin && !isLineOfItsOwn(before, line);
}

/** Whether a line does not continue the previous one: it is an assignment, or both are part of a diff. */
function isLineOfItsOwn(before: string, line: string): boolean {
  return ASSIGNMENT.test(line) || (OF_DIFF.test(before) && OF_DIFF.test(line));
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z_.-]{2,60} ?[=:] ?[^=]/;
const OF_DIFF = /^[+-](?![+-])/;

const NARROWEST = 40;
/** Usual widths of terminals and mails, for which one full line is sufficient; other widths need two. */
const WIDTHS: ReadonlySet<number> = new Set([72, 76, 78, 79, 80, 100, 120, 132, 160, 200]);
const IS_TEXT = /[!-~]/;
