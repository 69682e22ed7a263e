import { diffTextLines, diffWords, isMostlySame, type TextPiece } from '../diff/text-diff.js';
import type { DiffLine, TextRun } from './reading-block.js';
import { joinRuns } from './runs.js';

/** The lines of a patch. In lines that replace others, the changed words are marked. */
export function readPatchLines(patch: string): DiffLine[] {
  const lines = patch.split('\n');
  const drawn: DiffLine[] = [];
  let at = 0;
  while (at < lines.length) {
    const removed = takeRun(lines, at, '-');
    const added = takeRun(lines, at + removed.length, '+');
    const length = removed.length + added.length;
    if (length === 0) drawn.push(toPlainLine(lines[at] ?? ''));
    else drawn.push(...buildChangedLines(removed, added));
    at += Math.max(1, length);
  }
  return drawn;
}

function takeRun(lines: readonly string[], from: number, sign: string): readonly string[] {
  for (let end = from; end < lines.length; end += 1) {
    if (!lines[end]?.startsWith(sign)) return lines.slice(from, end);
  }
  return lines.slice(from);
}

function toPlainLine(line: string): DiffLine {
  if (/^(?:@@|\*\*\* |diff |index )/.test(line)) return ['@', [line]];
  return [' ', line.length > 1 ? [line.replace(/^ /, '')] : []];
}

/** Comparing words takes quadratic time, and marks in a long change help less than its lines. */
const LONGEST_COMPARED = 4000;

function buildChangedLines(removed: readonly string[], added: readonly string[]): readonly DiffLine[] {
  const before = joinWithoutSigns(removed);
  const after = joinWithoutSigns(added);
  const isShort = before && after && before.length + after.length <= LONGEST_COMPARED;
  const words = isShort ? diffWords(before, after) : [];
  const isMarked = isShort && isMostlySame(words, Math.max(before.length, after.length));
  const side = (sign: '-' | '+', lines: readonly string[]): readonly DiffLine[] =>
    isMarked ? buildMarkedLines(sign, words) : lines.map((line) => [sign, line.length > 1 ? [line.slice(1)] : []]);
  return [...side('-', removed), ...side('+', added)];
}

function joinWithoutSigns(lines: readonly string[]): string {
  return lines.map((line) => line.slice(1)).join('\n');
}

function buildMarkedLines(sign: '-' | '+', words: readonly TextPiece[]): readonly DiffLine[] {
  const own = sign === '-' ? 'removed' : 'added';
  const lines: TextRun[][] = [[]];
  for (const { kind, text } of words) {
    if (kind !== own && kind !== 'same') continue;
    for (const [nth, part] of text.split('\n').entries()) {
      if (nth > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push(kind === 'same' ? part : [own, part]);
    }
  }
  return lines.map((runs) => [sign, joinRuns(runs)]);
}

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** Two texts as a patch without line numbers, because a tool call has only the replaced part of a file. */
export function buildTextPatch(before: string, after: string): string {
  // A replaced part often ends within a line, which is a difference only if there is no other.
  const differsBeforeEnd = endLine(before) !== endLine(after);
  const pieces = differsBeforeEnd ? diffTextLines(endLine(before), endLine(after)) : diffTextLines(before, after);
  const lines = pieces.flatMap(({ kind, text }) => splitLines(text).map((line) => SIGNS[kind] + line));
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(' ')),
  );
  const shown: string[] = [];
  for (const [at, line] of lines.entries()) {
    if (isShown[at]) shown.push(line);
    // The first of several lines that are left out.
    else if (at === 0 || isShown[at - 1]) shown.push('@@');
  }
  return shown.join('\n').replace(/\n@@$/, '');
}

function endLine(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** A line break at the end begins no new line. */
function splitLines(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}
