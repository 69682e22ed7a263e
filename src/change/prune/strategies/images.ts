import * as z from 'zod/mini';
import { cut, oneLine, textOf } from '#analysis/facts/text.js';
import type { ToolUse } from '#analysis/facts/tool-uses.js';
import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { option } from '#base/schema.js';
import type { LlmMessage } from '#context/replay/content.js';
import { defineStrategy } from '../define.js';
import { ageOf, type History, type Item } from '../history.js';
import { shorter, turnsOld, whereIs, withBlocks } from '../notes.js';
import { nameOfUse } from '../tool-kinds.js';

const options = z.strictObject({
  afterTurns: option(z.int().check(z.positive()), 3, 'Minimum age of an image in turns (the newest turn is 0)'),
});

export default defineStrategy<z.infer<typeof options>>({
  name: 'images',
  summary: 'Replace images of older turns by a description',
  help:
    'An image costs tokens in every request, long after the model has seen it. This strategy replaces each image ' +
    'that is at least `afterTurns` turns old by a line of text: its turn; its source (the user, an extension, or a tool ' +
    'with its file or command); what the conversation says of it; media type, width and height, bytes, time; and the ' +
    'command that prints the entry with the image. The other blocks of the message are kept.\n\n' +
    'What the conversation says of an image is the text of the message that contains it. If that has none, as the ' +
    'result of a tool, it is the beginning of the next answer.\n\n' +
    'It covers messages of the user and of extensions, and tool results. Only the beginning of an image is decoded.',
  options,
  *propose(history, { afterTurns }) {
    const uses = new Map(history.uses.map((use) => [use.resultAt, use]));
    for (const item of history.items) {
      const age = ageOf(history, item);
      if (item.message.role === 'assistant' || item.isFrozen || age < afterTurns) continue;
      const pictures = objectsIn(item.message['content']).filter(isPicture).length;
      if (pictures === 0) continue;
      const change = shorter(item, withoutPictures(history, item, uses.get(item.at)));
      const what = pictures === 1 ? 'an image' : `${pictures} images`;
      if (change) yield { changes: [change], reason: `${what}, ${turnsOld(age)}` };
    }
  },
});

function isPicture(block: unknown): block is JsonObject {
  return isObject(block) && block['type'] === 'image';
}

function withoutPictures(history: History, item: Item, use: ToolUse | undefined): LlmMessage {
  const { message, turnNumber } = item;
  const said = wordsAbout(history, item);
  const about = `[Image at Turn ${turnNumber}: ${senderOf(item, use)}${said === null ? '' : `, ${said}`}`;
  return withBlocks(message, (block) => {
    if (!isPicture(block)) return block;
    const facts = [kindOf(block), ...timeIn(message)].join(', ');
    return { type: 'text', text: `${about}; ${facts}; ${whereIs(item)}]` };
  });
}

/** The words of the conversation about the pictures of a message: its own, else those of the next answer. */
function wordsAbout({ items }: History, { at, message, kind }: Item): string | null {
  const own = kind === 'toolResult' ? '' : oneLine(textOf(message));
  if (own !== '') return JSON.stringify(cut(own, LONGEST_WORDS));
  const answer = items.slice(at + 1).find((item) => item.kind !== 'toolResult');
  const words = answer?.kind === 'assistant' ? oneLine(textOf(answer.message)) : '';
  return words === '' ? null : `of which the assistant said ${JSON.stringify(cut(words, LONGEST_WORDS))}`;
}

const LONGEST_WORDS = 160;

function senderOf({ kind }: Item, use: ToolUse | undefined): string {
  if (use) return `from ${nameOfUse(use)}`;
  return kind === 'custom' ? 'from an extension' : 'from the user';
}

function timeIn({ timestamp }: LlmMessage): readonly string[] {
  if (typeof timestamp !== 'number' || !(Math.abs(timestamp) <= LAST_DATE)) return [];
  return [`${new Date(timestamp).toISOString().slice(0, -8).replace('T', ' ')} UTC`];
}

/** The last millisecond that a Date can represent. */
const LAST_DATE = 8_640_000_000_000_000;

function kindOf({ mimeType, data }: JsonObject): string {
  const named = asString(mimeType) ?? '';
  const type = /^[\w.+-]{1,40}\/[\w.+-]{1,40}$/.test(named) ? named : 'of unknown type';
  if (typeof data !== 'string') return `${type}, without data`;
  const { width, height, bytes } = pictureIn(data);
  const size = width === null ? [] : [`${width} x ${height} pixels`];
  return [type, ...size, `${bytes} bytes`].join(', ');
}

/** Type and size of a picture, from its first bytes. */
export interface Picture {
  /** Of the file, not of its base64 text. */
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
}

/** Reads the size of a PNG, GIF, JPEG or WebP picture; of other ones only the number of bytes is known. */
export function pictureIn(base64: string): Picture {
  const padding = base64.endsWith('==') ? 2 : base64.endsWith('=') ? 1 : 0;
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
  const beginning = Buffer.from(base64.slice(0, MOST_DECODED), 'base64');
  for (const read of READERS) {
    const size = read(beginning);
    if (size) return { bytes, width: size[0], height: size[1] };
  }
  return { bytes, width: null, height: null };
}

/** In front of the size of a JPEG there may be a small copy of the picture and a colour profile. */
const MOST_DECODED = 174_760;

type Size = readonly [width: number, height: number];

const READERS: readonly ((data: Buffer) => Size | null)[] = [sizeOfPng, sizeOfGif, sizeOfJpeg, sizeOfWebp];

function sizeOfPng(data: Buffer): Size | null {
  const isPng = data.length >= 24 && data.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n';
  return isPng ? [data.readUInt32BE(16), data.readUInt32BE(20)] : null;
}

function sizeOfGif(data: Buffer): Size | null {
  const isGif = data.length >= 10 && data.toString('latin1', 0, 4) === 'GIF8';
  return isGif ? [data.readUInt16LE(6), data.readUInt16LE(8)] : null;
}

/** Steps from segment to segment until one describes a frame. */
function sizeOfJpeg(data: Buffer): Size | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xff_d8) return null;
  for (let at = 2; at + 9 <= data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
    if (isFrame) return [data.readUInt16BE(at + 7), data.readUInt16BE(at + 5)];
  }
  return null;
}

/** Tables among the markers of frames. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

function sizeOfWebp(data: Buffer): Size | null {
  if (data.length < 30 || data.toString('latin1', 0, 4) !== 'RIFF' || data.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8X':
      return [data.readUIntLE(24, 3) + 1, data.readUIntLE(27, 3) + 1];
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
    }
    case 'VP8 ':
      return [data.readUInt16LE(26) & 0x3fff, data.readUInt16LE(28) & 0x3fff];
    default:
      return null;
  }
}
