import { Buffer } from 'node:buffer';
import { describeFormatFault, detectImageType } from '#analysis/check/provider/image-data.js';
import type { ImageLimits } from '#analysis/check/provider/image-limits.js';
import { listImages, listRejectedImages, type RejectedImage } from '#analysis/check/provider/request-images.js';
import { asObject, asString } from '#base/json.js';
import { addTo } from '#base/maps.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';
import type { SentEntry } from './sent-entries.js';

/** An image that a copy lacks. */
export interface SavedImage {
  /** The name of its file. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

interface ImageDemands {
  readonly limits: ImageLimits;
  readonly areAllRefused: boolean;
  readonly areFormatsChecked: boolean;
}

/** The images that have to go before a provider takes a request, with the reason of each. */
export function listRefusedImages(messages: readonly LlmMessage[], demands: ImageDemands): readonly RejectedImage[] {
  const unfit: RejectedImage[] = [];
  const others: LlmMessage[] = [];
  for (const [number, message] of messages.entries()) {
    const images = message.role === 'assistant' ? [] : listUnfitImages(message, number, demands);
    unfit.push(...images);
    others.push(blankImages(message, new Set(images.map(({ at }) => at))));
  }
  return [...unfit, ...listRejectedImages(others, demands.limits)];
}

/** The images of a message that no request may have. `number`: the place of the message. */
function listUnfitImages(message: LlmMessage, number: number, demands: ImageDemands): readonly RejectedImage[] {
  const unfit: RejectedImage[] = [];
  for (const { image, at } of listImages(message)) {
    const why = findRefusal(image, demands);
    if (why !== null) unfit.push({ message: number, at, why });
  }
  return unfit;
}

function findRefusal(image: ImageBlock, { areAllRefused, areFormatsChecked }: ImageDemands): string | null {
  if (areAllRefused) return 'as --drop says';
  return areFormatsChecked ? describeUnfit(image) : null;
}

/** Replaces the blocks at some places by nothing, so that the places of the others stay the same. */
function blankImages(message: LlmMessage, places: ReadonlySet<number>): LlmMessage {
  const { content } = message;
  if (places.size === 0 || !Array.isArray(content)) return message;
  return { ...message, content: content.map((block: unknown, at) => (places.has(at) ? null : block)) };
}

type ImageBlock = Parameters<typeof describeFormatFault>[0];

function describeUnfit(image: ImageBlock): string | null {
  const fault = describeFormatFault(image);
  if (fault !== null) return fault;
  return detectImageType(asString(image.data) ?? '') === null ? 'the data is not an image of any known type' : null;
}

/** An image that a copy lacks, and the block that replaces it. */
export interface LeftOutImage extends SavedImage {
  /** The place of its block in the message. */
  readonly at: number;
  readonly why: string;
  readonly note: unknown;
}

/**
 * The refused images that an entry has, in their order, by the places of their messages. Their numbers count on from message
 * to message.
 */
export function leaveImagesOut(
  sent: readonly SentEntry[],
  refused: readonly RejectedImage[],
): ReadonlyMap<number, readonly LeftOutImage[]> {
  const inOrder = refused.toSorted((a, b) => a.message - b.message || a.at - b.at);
  const leftOut = new Map<number, LeftOutImage[]>();
  let number = 0;
  for (const image of inOrder) {
    const entry = sent[image.message];
    if (!entry?.holder) continue;
    number += 1;
    addTo(leftOut, image.message, buildLeftOutImage(listBlocks(entry.message)[image.at], image, number));
  }
  return leftOut;
}

/** The note that replaces an image, and the file with it. */
function buildLeftOutImage(block: unknown, { at, why }: RejectedImage, number: number): LeftOutImage {
  const { data, mimeType } = asObject(block);
  const text = asString(data) ?? '';
  const type = detectImageType(text) ?? asString(mimeType) ?? '';
  const name = `image-${number}.${EXTENSIONS[type] ?? 'bin'}`;
  const note = { type: 'text', text: `[Image left out: ${why}. It is saved beside this session as ${name}.]` };
  return { name, bytes: Buffer.from(text, 'base64'), at, why, note };
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/bmp': 'bmp',
  'image/tiff': 'tiff',
  'application/pdf': 'pdf',
  'image/svg+xml': 'svg',
};
