import { sliceStart } from '#base/text.js';
import type { ReadingBlock } from './reading-block.js';

/** The lines and characters of a text that a reader sees at first. */
interface TextLimit {
  readonly lines: number;
  readonly characters: number;
}

const PROSE: TextLimit = { lines: Infinity, characters: 50_000 };
const NO_LIMIT: TextLimit = { lines: Infinity, characters: Infinity };

const LIMITS: Readonly<Partial<Record<ReadingBlock['kind'], TextLimit>>> = {
  text: PROSE,
  thinking: PROSE,
  argument: { lines: 30, characters: 6000 },
  diff: { lines: 120, characters: 12_000 },
  output: { lines: 20, characters: 4000 },
  unknown: { lines: 20, characters: 4000 },
};

/** A block whose text is no longer than its kind may be, and than `most` characters, with the size of the rest. */
export function shortenBlock(block: ReadingBlock, most: number): ReadingBlock {
  const { lines, characters } = LIMITS[block.kind] ?? NO_LIMIT;
  return truncateBlock(block, (text) => sliceStart(takeFirstLines(text, lines), Math.min(characters, most)));
}

/** A block with a part of its text, from the beginning, and the size of the rest. */
export function truncateBlock(block: ReadingBlock, startOfText: (text: string) => string): ReadingBlock {
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

function takeFirstLines(text: string, most: number): string {
  if (most === Infinity) return text;
  let end = -1;
  for (let line = 0; line < most; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}
