import { diffTextLines } from '#analysis/diff/text-diff.js';

/** Unchanged lines around a change. */
const CONTEXT = 3;

/** Two texts as a patch without line numbers, because a tool call has only the replaced part of a file. */
export function patchOf(before: string, after: string): string {
  const lines = diffTextLines(...sameEnds(before, after)).flatMap(({ kind, text }) =>
    linesIn(text).map((line) => SIGNS[kind] + line),
  );
  const isShown = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !line.startsWith(' ')),
  );
  return lines
    .flatMap((line, at) => (isShown[at] ? [line] : (isShown[at - 1] ?? at === 0) ? ['@@'] : []))
    .join('\n')
    .replace(/\n@@$/, '');
}

/** Both texts end with a line break, unless only that differs: a replaced part often ends within a line. */
function sameEnds(before: string, after: string): [before: string, after: string] {
  const [one, other] = [before, after].map((text) => (text.endsWith('\n') ? text : `${text}\n`));
  return one === undefined || other === undefined || one === other ? [before, after] : [one, other];
}

const SIGNS = { same: ' ', added: '+', removed: '-' } as const;

/** A line break at the end begins no new line. */
function linesIn(text: string): readonly string[] {
  return text.replace(/\n$/, '').split('\n');
}
