import type { ImageBlock } from '#session/entry.js';
import { quoteValue } from '../define.js';

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
  const padding = countPadding(data);
  for (let start = 0; start < data.length; start += PIECE_CHARACTERS) {
    const piece = data.slice(start, start + PIECE_CHARACTERS);
    // The decoder skips invalid characters, so there are fewer bytes.
    const missing = start + piece.length === data.length ? padding : 0;
    if (scratch.write(piece, 'base64') !== (piece.length / 4) * 3 - missing) return false;
  }
  return true;
}

function countPadding(data: string): number {
  if (data.endsWith('==')) return 2;
  return data.endsWith('=') ? 1 : 0;
}

/** The media types that all providers accept. */
export const ACCEPTED_IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/** The reason why a provider refuses an image by its data or its media type; null if it does not. */
export function describeFormatFault(
  { data, mimeType }: ImageBlock,
  accepted: readonly string[] = ACCEPTED_IMAGES,
): string | null {
  if (typeof mimeType !== 'string') return 'the image has no media type';
  if (!accepted.includes(mimeType)) return `images of type ${quoteValue(mimeType)} are not supported`;
  if (typeof data !== 'string' || data === '') return 'the image has no data';
  if (!isBase64(data)) return 'the data of the image is not base64';
  const type = detectImageType(data);
  return type === null || type === mimeType
    ? null
    : `the media type of the image is ${mimeType}, but its data is ${type}`;
}
