import { sliceStart } from '#base/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { MESSAGE_TYPES } from '#context/replay/selection.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { truncateBlock } from '../reading/draw-blocks.js';
import type { ReadingBlock } from '../reading/model.js';
import { buildReadingBlocks } from '../reading/reading-blocks.js';
import type { StoredText } from './document.js';
import { storedTextOf } from './report-reader.js';

/** The blocks of a message as it is stored, without images, and with texts of at most `most` bytes together. */
export function buildPageBlocks(message: LlmMessage, most: number): readonly ReadingBlock[] {
  const blocks = buildReadingBlocks(message, { isRecorded: true });
  // One text alone has all of the room.
  const isSimple = blocks.length === 1 || most === Infinity;
  const longest = isSimple ? most : findLengthLimit(Float64Array.from(blocks, bytesOf), most);
  return blocks.map((block) => {
    if (block.kind === 'image') return { ...block, data: undefined };
    if (block.kind === 'failure') return { ...block, text: copyText(block.text.slice(0, MOST_OF_AN_ERROR)) };
    return truncateBlock(block, (text) => storedTextOf(limitText(text, longest)));
  });
}

function bytesOf(block: ReadingBlock): number {
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

/** Truncates a text to `most` bytes. A truncated text has its original length. */
export function limitText(text: string, most: number): StoredText {
  // No text has more bytes than this.
  if (text.length * 3 <= most) return text;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  const units = Math.floor((most / bytes) * text.length);
  return [copyText(sliceStart(text, units)), text.length];
}

/** A part of a text that does not keep the whole of it in memory: V8 copies it before it cuts it again. */
export function copyText(part: string): string {
  return ` ${part}`.slice(1);
}

/**
 * A session with empty messages, none parsed: for callers that only ask which messages are sent.
 * Messages that transforms or edits of the path may read stay unchanged.
 * `stored`: of each entry the message that it adds, -1 for none.
 */
export function stripTexts(session: Session, path: readonly Head[], stored: readonly number[]): Session {
  const { heads } = session.tree;
  const lastTransform = path.findLastIndex(({ type }) => type === 'context_transform');
  const lookedAt = new Set(path.slice(0, Math.max(0, lastTransform)).map(({ index }) => index));
  for (const { type, index } of path) if (type === 'context_edit') lookedAt.add(heads.targetAt(index));
  return {
    ...session,
    entry(head) {
      if (!MESSAGE_TYPES.has(head.type) || head.role === 'system' || lookedAt.has(head.index))
        return session.entry(head);
      const role = stored[head.index] === -1 ? null : (head.role ?? 'user');
      return { type: 'message', message: { role, content: '' } };
    },
  };
}
