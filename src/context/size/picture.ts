/** The size of a picture in bytes, and in pixels where its first bytes tell it. */
export interface Picture {
  /** The bytes of the file, not of its base64 text. */
  readonly bytes: number;
  readonly width: number | null;
  readonly height: number | null;
}

/** Reads the size of a PNG, GIF, JPEG or WebP picture; of other ones only the number of bytes is known. */
export function readPicture(base64: string): Picture {
  const bytes = Math.max(0, Math.floor((base64.length * 3) / 4) - countPadding(base64));
  const beginning = Buffer.from(base64.slice(0, MOST_DECODED), 'base64');
  for (const read of READERS) {
    const size = read(beginning);
    if (size) return { bytes, ...size };
  }
  return { bytes, width: null, height: null };
}

function countPadding(base64: string): number {
  if (base64.endsWith('==')) return 2;
  return base64.endsWith('=') ? 1 : 0;
}

/**
 * The number of base64 characters to read: a small copy of the picture and a colour profile may precede the size of a
 * JPEG.
 */
const MOST_DECODED = 174_760;

/** In pixels. */
type Size = Readonly<Record<'width' | 'height', number>>;

const READERS: readonly ((data: Buffer) => Size | null)[] = [readPngSize, readGifSize, readJpegSize, readWebpSize];

function readPngSize(data: Buffer): Size | null {
  const isPng = data.length >= 24 && data.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n';
  return isPng ? { width: data.readUInt32BE(16), height: data.readUInt32BE(20) } : null;
}

function readGifSize(data: Buffer): Size | null {
  const isGif = data.length >= 10 && data.toString('latin1', 0, 4) === 'GIF8';
  return isGif ? { width: data.readUInt16LE(6), height: data.readUInt16LE(8) } : null;
}

/** Steps from segment to segment until one describes a frame. */
function readJpegSize(data: Buffer): Size | null {
  if (data.length < 4 || data.readUInt16BE(0) !== 0xff_d8) return null;
  for (let at = 2; at + 9 <= data.length && data[at] === 0xff; at += 2 + data.readUInt16BE(at + 2)) {
    const marker = data[at + 1] ?? 0;
    const isFrame = marker >= 0xc0 && marker <= 0xcf && !NO_FRAMES.has(marker);
    if (isFrame) return { width: data.readUInt16BE(at + 7), height: data.readUInt16BE(at + 5) };
  }
  return null;
}

/** Tables among the markers of frames. */
const NO_FRAMES: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

function readWebpSize(data: Buffer): Size | null {
  if (data.length < 30 || data.toString('latin1', 0, 4) !== 'RIFF' || data.toString('latin1', 8, 12) !== 'WEBP')
    return null;
  switch (data.toString('latin1', 12, 16)) {
    case 'VP8X':
      return { width: data.readUIntLE(24, 3) + 1, height: data.readUIntLE(27, 3) + 1 };
    case 'VP8L': {
      const bits = data.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 };
    }
    case 'VP8 ':
      return { width: data.readUInt16LE(26) & 0x3fff, height: data.readUInt16LE(28) & 0x3fff };
    default:
      return null;
  }
}
