import type { LlmMessage } from '#context/replay/content.js';
import type { ReadingBlock } from '../reading/reading-block.js';
import { buildReadingBlocks } from '../reading/reading-blocks.js';
import { truncateBlock } from '../reading/shorten-blocks.js';
import { copyText, limitText, storedTextOf } from './stored-text.js';

/** The blocks of a message as it is stored, without images, and with texts of at most `most` bytes together. */
export function buildPageBlocks(message: LlmMessage, most: number): readonly ReadingBlock[] {
  const blocks = buildReadingBlocks(message, { isRecorded: true });
  // One text alone has all of the room.
  const isSimple = blocks.length === 1 || most === Infinity;
  const longest = isSimple ? most : findLengthLimit(Float64Array.from(blocks, measureBlock), most);
  return blocks.map((block) => {
    if (block.kind === 'image') return { ...block, data: undefined };
    if (block.kind === 'failure') return { ...block, text: copyText(block.text.slice(0, MOST_OF_AN_ERROR)) };
    return truncateBlock(block, (text) => storedTextOf(limitText(text, longest)));
  });
}

function measureBlock(block: ReadingBlock): number {
  return 'content' in block ? Buffer.byteLength(block.content.text) : 0;
}

const MOST_OF_AN_ERROR = 2000;

/**
 * The length limit per text at which all texts fit into `most`. The longest are truncated first, to the same length.
 * Infinity if all of them fit.
 */
export function findLengthLimit(lengths: Float64Array, most: number): number {
  const ascending = lengths.toSorted();
  let left = most;
  for (let at = 0; at < ascending.length; at += 1) {
    const share = left / (ascending.length - at);
    const length = ascending[at] ?? 0;
    if (length > share) return Math.floor(share);
    left -= length;
  }
  return Infinity;
}
