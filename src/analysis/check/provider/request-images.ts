import { asString } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import type { LlmMessage } from '#context/replay/content.js';
import { type Picture, readPicture } from '#context/size/picture.js';
import type { ImageBlock } from '#session/entry.js';
import type { ImageLimits } from './image-limits.js';
import { countMessageBytes } from './message-bytes.js';
import { contentListOf, readBlock } from './message.js';

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

/** An image of a request that its provider refuses. */
export interface RejectedImage {
  /** The place of its message in the request. */
  readonly message: number;
  /** The place of its block in the message. */
  readonly at: number;
  readonly why: string;
}

/**
 * Lists the images that must go before a provider accepts a request: those that are too large, and the oldest of too
 * many. Images of answers are not sent.
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
  let bytes = sumBy(messages, countMessageBytes);
  const bytesOf = ({ image }: PlacedImage): number => asString(image.data)?.length ?? 0;
  for (const found of refused.keys()) bytes -= bytesOf(found);
  const left = all.filter((found) => !refused.has(found));
  for (const [nth, found] of left.entries()) {
    const tooMany = left.length - nth > limits.images;
    if (!tooMany && bytes <= limits.requestBytes) break;
    const most = tooMany ? pluralize(limits.images, 'image') : `${formatCount(limits.requestBytes)} bytes`;
    refused.set(found, `the request has more than ${most}`);
    bytes -= bytesOf(found);
  }
  return all.flatMap((found) => {
    const why = refused.get(found);
    return why === undefined ? [] : [{ message: found.message, at: found.at, why }];
  });
}
