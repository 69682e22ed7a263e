import { Buffer } from 'node:buffer';
import { describeFormatFault, detectImageType } from '#analysis/check/provider/image-data.js';
import {
  type ImageLimits,
  listImages,
  listRejectedImages,
  type RejectedImage,
} from '#analysis/check/provider/image-limits.js';
import { asObject, asString } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';

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
  const { limits, areAllRefused, areFormatsChecked } = demands;
  const unfit: RejectedImage[] = [];
  const others = messages.map((message, at): LlmMessage => {
    if (message.role === 'assistant') return message;
    const found = Array.from(listImages(message), ({ image, at: place }) => {
      const unfitReason = areFormatsChecked ? describeUnfit(image) : null;
      const why = areAllRefused ? 'as --drop says' : unfitReason;
      return why === null ? null : { message: at, at: place, why };
    }).filter((each) => each !== null);
    unfit.push(...found);
    const gone = new Set(found.map(({ at: place }) => place));
    // The places of the others stay the same.
    const content: unknown = message.content;
    return gone.size === 0 || !Array.isArray(content)
      ? message
      : { ...message, content: content.map((block: unknown, place) => (gone.has(place) ? null : block)) };
  });
  return [...unfit, ...listRejectedImages(others, limits)];
}

function describeUnfit(image: Parameters<typeof describeFormatFault>[0]): string | null {
  const fault = describeFormatFault(image);
  if (fault !== null) return fault;
  return detectImageType(asString(image.data) ?? '') === null ? 'the data is not an image of any known type' : null;
}

/** The note that replaces an image, and the file with it. */
export function noteImage(
  block: unknown,
  why: string,
  number: number,
): { readonly image: SavedImage; readonly note: unknown } {
  const { data, mimeType } = asObject(block);
  const text = asString(data) ?? '';
  const type = detectImageType(text) ?? asString(mimeType) ?? '';
  const name = `image-${number}.${EXTENSIONS[type] ?? 'bin'}`;
  const note = { type: 'text', text: `[Image left out: ${why}. It is saved beside this session as ${name}.]` };
  return { image: { name, bytes: Buffer.from(text, 'base64') }, note };
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
