import { asString, isObject } from '#base/json.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import { type Picture, readPicture } from '#context/size/picture.js';
import type { ImageBlock } from '#session/entry.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { contentListOf, readBlock } from './message.js';

/** The limits of a provider for the images of a request; null where it has none. */
export interface ImageLimits {
  /** Bytes of the base64 text of an image. */
  readonly bytes: number | null;
  /** Pixels of a side. */
  readonly pixels: number | null;
  /** A request with more images than `many` limits each to `pixelsOfMany` pixels a side. */
  readonly many: number | null;
  readonly pixelsOfMany: number;
  /** The number of images in a request. */
  readonly images: number;
  /** Bytes of the whole request. */
  readonly requestBytes: number;
}

const MB = 1024 * 1024;

/**
 * The API of Claude: 8,000 pixels a side, 2,000 with more than 20 images, 5 MB for each, 32 MB in all
 * (platform.claude.com, "Vision" and "Errors"). The API itself takes 10 MB since 2026; Bedrock and Vertex still take 5.
 */
const ANTHROPIC: ImageLimits = {
  bytes: 5 * MB,
  pixels: 8000,
  many: 20,
  pixelsOfMany: 2000,
  images: 100,
  requestBytes: 32 * MB,
};

/** OpenAI shrinks large images itself: 20 MB for each, 500 in a request of at most 50 MB ("Images and vision"). */
const OPENAI: ImageLimits = {
  bytes: 20 * MB,
  pixels: null,
  many: null,
  pixelsOfMany: 0,
  images: 500,
  requestBytes: 50 * MB,
};

/** Gemini takes 20 MB of inline data in a request with up to 3,600 images ("Image understanding"). */
const GEMINI: ImageLimits = {
  bytes: null,
  pixels: null,
  many: null,
  pixelsOfMany: 0,
  images: 3600,
  requestBytes: 20 * MB,
};

/** The limits for a model. Those of an unknown provider are Anthropic's, which are the strictest. */
export function findImageLimits(model: ContextEnvelope['meta']['model']): ImageLimits {
  const provider = (model?.provider ?? '').toLowerCase();
  const name = (model?.modelId ?? '').toLowerCase();
  if (provider.includes('bedrock')) return { ...ANTHROPIC, requestBytes: 20 * MB };
  if (name.includes('claude')) return provider.includes('vertex') ? { ...ANTHROPIC, requestBytes: 30 * MB } : ANTHROPIC;
  if (name.startsWith('gemini') || provider.startsWith('google')) return GEMINI;
  if (/^(?:gpt|o\d|codex)/.test(name) || /^(?:openai|azure)/.test(provider)) return OPENAI;
  return ANTHROPIC;
}

/** The limits of the model that the next request of a session goes to. */
export function findSessionImageLimits(session: Session): ImageLimits {
  return findImageLimits(findSettings(session, activePath(session.tree)).model);
}

/** An image of a message, by the place of its block. */
export interface PlacedImage {
  readonly image: ImageBlock;
  readonly at: number;
}

/** The images of a message. */
export function* listImages(message: LlmMessage): Generator<PlacedImage> {
  const content = contentListOf(message);
  for (let at = 0; at < content.length; at += 1) {
    const block = readBlock(content[at]);
    if (block?.type === 'image') yield { image: block, at };
  }
}

/** The reason why a provider refuses an image by its size; null if it does not. */
export function describeSizeFault(
  image: ImageBlock,
  { bytes, pixels }: Pick<ImageLimits, 'bytes' | 'pixels'>,
): string | null {
  const data = asString(image.data) ?? '';
  if (bytes !== null && data.length > bytes) return `the image has ${data.length} bytes as base64, more than ${bytes}`;
  const picture = readPicture(data);
  const isLong = pixels !== null && measureLongestSide(picture) > pixels;
  return isLong
    ? `the image has ${formatPixels(picture)}, and no side may have more than ${formatCount(pixels)}`
    : null;
}

/** Whether the reason why an image is refused is its size in bytes. */
export function isAboutBytes(reason: string): boolean {
  return reason.includes(' bytes as base64');
}

/** The reason why an image is refused beside many others; null if it is not. */
export function describeFaultAmongMany(image: ImageBlock, { many, pixelsOfMany }: ImageLimits): string | null {
  const picture = readPicture(asString(image.data) ?? '');
  if (many === null || measureLongestSide(picture) <= pixelsOfMany) return null;
  return (
    `the image has ${formatPixels(picture)}, and in a request with more than ${pluralize(many, 'image')} ` +
    `no side may have more than ${formatCount(pixelsOfMany)}`
  );
}

function measureLongestSide({ width, height }: Picture): number {
  return Math.max(width ?? 0, height ?? 0);
}

function formatPixels({ width, height }: Picture): string {
  return `${formatCount(width ?? 0)} x ${formatCount(height ?? 0)} pixels`;
}

/** The bytes of a message in a request: its texts and images, without the names around them. */
export function countMessageBytes(message: LlmMessage): number {
  const { content } = message;
  if (typeof content === 'string') return Buffer.byteLength(content);
  let bytes = 0;
  for (const block of contentListOf(message)) {
    if (!isObject(block)) continue;
    const { type, data, text, thinking, arguments: args } = block;
    if (type === 'image') bytes += asString(data)?.length ?? 0;
    else if (type === 'toolCall') bytes += measureTexts(args);
    else bytes += Buffer.byteLength(asString(text) ?? asString(thinking) ?? '');
  }
  return bytes;
}

/** The length of the texts of a value, which may be nested to any depth. */
function measureTexts(value: unknown): number {
  let length = 0;
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null) for (const item of Object.values(next)) open.push(item);
  }
  return length;
}

/** An image of a request that its provider refuses. */
export interface RejectedImage {
  /** The place of its message in the request. */
  readonly message: number;
  /** The place of its block in the message. */
  readonly at: number;
  readonly why: string;
}

/**
 * The images that must go before a provider takes a request: those that are too large, and the oldest of too many. Those
 * of answers are not sent.
 */
export function listRejectedImages(messages: readonly LlmMessage[], limits: ImageLimits): readonly RejectedImage[] {
  const all = messages.flatMap((message, at) =>
    message.role === 'assistant' ? [] : Array.from(listImages(message), (found) => ({ ...found, message: at })),
  );
  const refused = new Map<PlacedImage, string>();
  const isMany = limits.many !== null && all.length > limits.many;
  for (const found of all) {
    const why = describeSizeFault(found.image, limits) ?? (isMany ? describeFaultAmongMany(found.image, limits) : null);
    if (why !== null) refused.set(found, why);
  }
  let bytes = messages.reduce((sum, message) => sum + countMessageBytes(message), 0);
  const bytesOf = ({ image }: PlacedImage): number => asString(image.data)?.length ?? 0;
  for (const found of refused.keys()) bytes -= bytesOf(found);
  const left = all.filter((found) => !refused.has(found));
  for (const [nth, found] of left.entries()) {
    const tooMany = left.length - nth > limits.images;
    if (!tooMany && bytes <= limits.requestBytes) break;
    refused.set(
      found,
      tooMany
        ? `the request has more than ${pluralize(limits.images, 'image')}`
        : `the request has more than ${formatCount(limits.requestBytes)} bytes`,
    );
    bytes -= bytesOf(found);
  }
  return all.flatMap((found) => {
    const why = refused.get(found);
    return why === undefined ? [] : [{ message: found.message, at: found.at, why }];
  });
}
