import * as z from 'zod/mini';
import type { JsonObject } from '#base/json.js';
import { formatCount as inNumbers } from '#base/numbers.js';
import { option } from '#base/schema.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { SentMessage } from '#context/replay/message-list.js';
import type { Session } from '#session/session.js';
import { defineRule, type Hit, quoteValue } from '../define.js';
import { assistant, HEADER, textContent, user } from '../example.js';
import {
  countMessageBytes,
  describeFaultAmongMany,
  describeSizeFault,
  findSessionImageLimits,
  listImages,
} from './image-limits.js';
import { locateBlock } from './message.js';

/** The base64 text with which a file of each media type begins. */
const BEGINNINGS: readonly (readonly [type: string, isIt: (data: string) => boolean])[] = [
  ['image/png', (data) => data.startsWith('iVBORw0KGgo')],
  ['image/jpeg', (data) => data.startsWith('/9j/')],
  ['image/gif', (data) => data.startsWith('R0lGOD')],
  ['image/webp', (data) => data.startsWith('UklGR') && data.startsWith('RUJQ', 12)],
  ['image/bmp', (data) => data.startsWith('Qk')],
  ['image/tiff', (data) => data.startsWith('SUkqA') || data.startsWith('TU0AK')],
  ['application/pdf', (data) => data.startsWith('JVBERi')],
  ['image/svg+xml', (data) => data.startsWith('PHN2Zy') || data.startsWith('PD94bWw')],
];

/** The media type of the data by its first characters; null for an unknown format. */
export function detectImageType(data: string): string | null {
  return BEGINNINGS.find(([, isIt]) => isIt(data))?.[0] ?? null;
}

/** Limits the memory for decoding. Both sizes are a whole number of base64 groups. */
const PIECE_CHARACTERS = 65_536;
const scratch = Buffer.alloc((PIECE_CHARACTERS / 4) * 3);

/** Whether a text is base64 as providers accept it: padded, without whitespace. */
export function isBase64(data: string): boolean {
  if (data === '' || data.length % 4 !== 0 || data.includes('-') || data.includes('_')) return false;
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0;
  for (let start = 0; start < data.length; start += PIECE_CHARACTERS) {
    const piece = data.slice(start, start + PIECE_CHARACTERS);
    // The decoder skips invalid characters, so there are fewer bytes.
    const missing = start + piece.length === data.length ? padding : 0;
    if (scratch.write(piece, 'base64') !== (piece.length / 4) * 3 - missing) return false;
  }
  return true;
}

/** The smallest PNG image, for examples. */
export const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const QUESTION = user('u1', null, 'Draw a dot.');
const PICTURE = { type: 'image', data: PIXEL, mimeType: 'image/png' };

export const imageInAnswer = defineRule({
  name: 'image-in-answer',
  severity: 'warning',
  summary: 'An image is in an answer, where it is not sent',
  help:
    'No provider accepts images in an assistant message. Pi silently drops the image, so the model does not see ' +
    'it.\n\n' +
    'Put the image into a user message instead.',
  example: {
    fires: [HEADER, QUESTION, assistant('a1', 'u1', [textContent('Here.'), PICTURE])],
    silent: [
      HEADER,
      QUESTION,
      assistant('a1', 'u1', [textContent('Here.')]),
      user('u2', 'a1', [textContent('This one?'), PICTURE]),
    ],
  },
  looksAt: 'request',
  watch: (_options, session) => ({
    *see({ message, from }) {
      if (message.role !== 'assistant' || isFailedAnswer(message)) return;
      for (const { at } of listImages(message))
        yield {
          message: 'an image in an answer is not sent',
          ...locateBlock(session, from, at),
          fix: 'put the image into a user message',
        };
    },
  }),
});

export const unreadableImage = defineRule({
  name: 'unreadable-image',
  severity: 'warning',
  summary: 'The data of an image has an unknown format',
  help:
    'The data is base64, but not of a known file format, so the provider will likely reject the request because it ' +
    'cannot read the image. The beginning was cut off, or the data is not an image.\n\n' +
    'Replace the content of the message by a `context_edit` without the image.',
  example: { fires: asking('aGVsbG8='), silent: asking(PIXEL) },
  looksAt: 'request',
  watch: (_options, session) => ({
    see: (sent) =>
      faultyImages(session, sent, ({ data, mimeType }) =>
        typeof data !== 'string' || detectImageType(data) !== null || !isBase64(data)
          ? null
          : `the data is not an image of type ${quoteValue(mimeType)}, or of any other known type`,
      ),
  }),
});

function asking(data: string, mimeType = 'image/png'): readonly JsonObject[] {
  return [HEADER, user('u1', null, [textContent('What is this?'), { type: 'image', data, mimeType }])];
}

/** Yields a hit for each image with a fault. Those in answers are not sent. */
function* faultyImages(
  session: Session,
  { message, from }: SentMessage,
  faultIn: (image: JsonObject) => string | null,
): Generator<Hit> {
  if (message.role === 'assistant') return;
  for (const { image, at } of listImages(message)) {
    const fault = faultIn(image);
    const fix = 'replace the content of the message by a `context_edit`';
    if (fault !== null) yield { message: fault, ...locateBlock(session, from, at), fix };
  }
}

const acceptedImages = z.strictObject({
  mediaTypes: option(
    z.array(z.string()),
    ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
    'The media types that the provider accepts',
  ),
  maxBytes: z.optional(
    z
      .int()
      .check(
        z.positive(),
        z.describe('The maximum length of the base64 text of an image; by default that of the model.'),
      ),
  ),
  maxPixels: z.optional(
    z.int().check(z.positive(), z.describe('The maximum pixels of a side of an image; by default that of the model.')),
  ),
});

type Options = z.infer<typeof acceptedImages>;

export const unsupportedImage = defineRule<Options>({
  name: 'unsupported-image',
  severity: 'error',
  summary: 'An image has a format or size that providers reject',
  help:
    'Providers accept PNG, JPEG, GIF and WebP images as plain base64 text, up to a maximum size, and reject the whole ' +
    'request if the data does not match the media type. Claude takes 5 MB and 8,000 pixels a side, and only 2,000 ' +
    'pixels in a request with more than 20 images; OpenAI takes 20 MB. The model of the next request decides. Agents ' +
    'send images as they are stored, so every further request fails.\n\n' +
    '`ctx repair` replaces such an image by a line of text, with a `context_edit` that `ctx revert` undoes.',
  options: acceptedImages,
  example: { fires: asking(PIXEL, 'image/jpeg'), silent: asking(PIXEL) },
  looksAt: 'request',
  watch(wanted, session) {
    const known = findSessionImageLimits(session);
    const limits = { ...known, bytes: wanted.maxBytes ?? known.bytes, pixels: wanted.maxPixels ?? known.pixels };
    const among: Hit[] = [];
    let images = 0;
    return {
      *see(sent) {
        if (sent.message.role === 'assistant') return;
        for (const { image, at } of listImages(sent.message)) {
          images += 1;
          const place = locateBlock(session, sent.from, at);
          const fault = faultOf(image, wanted) ?? describeSizeFault(image, limits);
          if (fault !== null) yield { message: fault, ...place, fix: REPAIR };
          const beside = fault === null ? describeFaultAmongMany(image, limits) : null;
          if (beside !== null) among.push({ message: beside, ...place, fix: REPAIR });
        }
      },
      *end() {
        if (limits.many !== null && images > limits.many) yield* among;
      },
    };
  },
});

const REPAIR = 'ctx repair replaces it by a line of text';

function faultOf({ data, mimeType }: JsonObject, { mediaTypes }: Options): string | null {
  if (typeof mimeType !== 'string') return 'the image has no media type';
  if (!mediaTypes.includes(mimeType)) return `images of type ${quoteValue(mimeType)} are not supported`;
  if (typeof data !== 'string' || data === '') return 'the image has no data';
  if (!isBase64(data)) return 'the data of the image is not base64';
  const type = detectImageType(data);
  return type === null || type === mimeType
    ? null
    : `the media type of the image is ${mimeType}, but its data is ${type}`;
}

const imageCount = z.strictObject({
  most: z.optional(
    z
      .int()
      .check(
        z.nonnegative(),
        z.describe('The maximum number of images in a request; by default that of the model, 100 for Claude.'),
      ),
  ),
});

export const tooManyImages = defineRule<z.infer<typeof imageCount>>({
  name: 'too-many-images',
  severity: 'warning',
  summary: 'A request contains more images than providers accept',
  help:
    'Providers limit the number of images in a request (Claude: 100, OpenAI: 500), and agents send all images of the ' +
    'context. Beyond the limit, every further request fails.\n\n' +
    'Compact, or prune with the strategy `images`. `ctx repair` replaces the oldest images by lines of text.',
  options: imageCount,
  example: {
    fires: [HEADER, user('u1', null, [PICTURE, PICTURE])],
    silent: [HEADER, user('u1', null, [PICTURE])],
    options: { most: 1 },
  },
  looksAt: 'request',
  watch({ most: limit }, session) {
    const most = limit ?? findSessionImageLimits(session).images;
    let count = 0;
    return {
      see({ message, from }) {
        if (message.role === 'assistant') return [];
        for (const { at } of listImages(message)) {
          count += 1;
          if (count !== most + 1) continue;
          const what = `from here on the request contains more than ${most} ${most === 1 ? 'image' : 'images'}`;
          return [
            {
              message: what,
              ...locateBlock(session, from, at),
              fix: 'ctx prune --strategy images replaces old images, and ctx repair the oldest',
            },
          ];
        }
        return [];
      },
    };
  },
});

const requestSize = z.strictObject({
  bytes: z.optional(
    z
      .int()
      .check(
        z.positive(),
        z.describe('The maximum bytes of the messages of a request; by default that of the model, 32 MB for Claude.'),
      ),
  ),
});

export const requestTooLarge = defineRule<z.infer<typeof requestSize>>({
  name: 'request-too-large',
  severity: 'error',
  summary: 'A request has more bytes than providers accept',
  help:
    'Providers limit the bytes of a request, images as base64 text included: Claude 32 MB (20 on Bedrock, 30 on ' +
    'Vertex), OpenAI 50 MB, Gemini 20 MB. The context window may be far from full: an image of 4 MB has hardly more ' +
    'than a thousand tokens. The texts and images of the messages are counted, not the names around them.\n\n' +
    'Compact, or prune with the strategy `images`. `ctx repair` replaces the oldest images by lines of text.',
  options: requestSize,
  example: {
    fires: [HEADER, user('u1', null, [textContent('What are these?'), PICTURE, PICTURE])],
    silent: [HEADER, user('u1', null, [textContent('What is this?'), PICTURE])],
    options: { bytes: 200 },
  },
  looksAt: 'request',
  watch({ bytes: limit }, session) {
    const most = limit ?? findSessionImageLimits(session).requestBytes;
    let bytes = 0;
    return {
      see({ message, from }) {
        const before = bytes;
        bytes += countMessageBytes(message);
        if (before > most || bytes <= most) return [];
        return [
          {
            message: `from here on the messages of the request have more than ${inNumbers(most)} bytes`,
            at: { line: from.line, id: from.entryId },
            fix: 'ctx prune --strategy images replaces old images, and ctx repair the oldest',
          },
        ];
      },
    };
  },
});
