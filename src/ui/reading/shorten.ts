import { startOf } from '#base/words.js';
import type { ReadingBlock } from './model.js';

/** The lines and characters that a reader sees at first; prose has no limit of lines. */
const LIMITS: Readonly<Partial<Record<ReadingBlock['kind'], readonly [lines: number, characters: number]>>> = {
  text: [Infinity, 50_000],
  thinking: [Infinity, 50_000],
  argument: [30, 6000],
  diff: [120, 12_000],
  output: [20, 4000],
  unknown: [20, 4000],
};

/** A block whose text is no longer than its kind may be, and than `most` characters, with the size of the rest. */
export function shortenedBlock(block: ReadingBlock, most: number): ReadingBlock {
  const [lines, characters] = LIMITS[block.kind] ?? [Infinity, Infinity];
  return cutBlock(block, (text) => startOf(firstLines(text, lines), Math.min(characters, most)));
}

/** A block with a part of its text, from the beginning, and the size of the rest. */
export function cutBlock(block: ReadingBlock, startOfText: (text: string) => string): ReadingBlock {
  if (!('content' in block)) return block;
  const { text } = block.content;
  const shown = startOfText(text);
  const rest = text.slice(shown.length).replace(/\n$/, '');
  if (rest === '') return block;
  return {
    ...block,
    content: { ...block.content, text: shown },
    leftOut: { lines: rest.split('\n').length - (rest.startsWith('\n') ? 1 : 0), characters: rest.length },
  };
}

function firstLines(text: string, most: number): string {
  if (most === Infinity) return text;
  let end = -1;
  for (let line = 0; line < most; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}
