import { describe, expect, it } from 'vitest';
import { type Picture, readPicture } from '#context/size/picture.js';

type Part = string | readonly number[];

function bytesOf(parts: readonly Part[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part))),
  );
}

function sizeIn(bytes: Buffer): Pick<Picture, 'width' | 'height'> {
  const { bytes: count, ...size } = readPicture(bytes.toString('base64'));
  expect(count).toBe(bytes.length);
  return size;
}

const UNKNOWN = { width: null, height: null };
const PNG = ['\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 1, 0, 2, 0, 3, 0, 4]];
const JPEG = [
  [0xff, 0xd8],
  [0xff, 0xe0, 0, 4, 1, 2],
  [0xff, 0xc0, 0, 11, 8, 1, 44, 2, 88],
];
const SIZE = { width: 600, height: 300 };
const webp = (kind: string, ...rest: readonly Part[]): readonly Part[] => [
  'RIFF',
  'size',
  `WEBP${kind}`,
  'size',
  ...rest,
];

/** Each as short as it may be: all of it is read, and less says nothing. */
const SHORTEST: readonly (readonly [string, readonly Part[], object])[] = [
  ['PNG', PNG, { width: 0x1_0002, height: 0x3_0004 }],
  ['GIF 87', ['GIF87a', [0x58, 2, 0x2c, 1]], SIZE],
  ['GIF 89', ['GIF89a', [0x58, 2, 0x2c, 1]], SIZE],
  ['JPEG', JPEG, SIZE],
  ['JPEG without a header', [JPEG[0]!, JPEG[2]!], SIZE],
  ['WebP', webp('VP8 ', '......', [0x58, 0x42, 0x2c, 0x81]), SIZE],
  ['lossless WebP', webp('VP8L', [0x2f, 0x57, 0xc2, 0x4a, 0x10], '.....'), SIZE],
  ['extended WebP', webp('VP8X', '....', [0x57, 2, 0, 0x2b, 1, 0]), SIZE],
  ['large extended WebP', webp('VP8X', '....', [1, 2, 3, 4, 5, 6]), { width: 0x3_0202, height: 0x6_0505 }],
];

describe('the size of a picture', () => {
  it.each(SHORTEST)('is read of a %s, and of nothing less', (_name, parts, size) => {
    const whole = bytesOf(parts);
    expect(sizeIn(whole)).toEqual(size);
    expect(sizeIn(Buffer.concat([whole, Buffer.from('and so on')]))).toEqual(size);
    for (let length = 0; length < whole.length; length += 1) expect(sizeIn(whole.subarray(0, length))).toEqual(UNKNOWN);
  });

  it.each<readonly [string, readonly Part[]]>([
    ['another name', ['\x88PNG\r\n\x1a\n', ...PNG.slice(1)]],
    ['a text', ['GIF', [0x58, 2, 0x2c, 1], 'and so on']],
    ['another WebP', webp('VP8Y', '......................')],
    ['a sound', ['RIFF', 'size', 'WAVEVP8 ', 'size', '......', [0x58, 2, 0x2c, 1]]],
    ['no RIFF', ['RIFX', 'size', 'WEBPVP8 ', 'size', '......', [0x58, 2, 0x2c, 1]]],
    ['no JPEG', [[0xff, 0xd9], ...JPEG.slice(1)]],
    ['a JPEG whose segments are wrong', [JPEG[0]!, [0xfe, 0xe0, 0, 4, 1, 2], JPEG[2]!]],
  ])('is not read of %s', (_name, parts) => {
    expect(sizeIn(bytesOf(parts))).toEqual(UNKNOWN);
  });

  it('of a JPEG is that of its frame, whatever stands before it', () => {
    for (let marker = 1; marker <= 0xff; marker += 1) {
      const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
      const other = [0xff, marker, 0, 9, 8, 0, 7, 0, 9, 0, 0];
      expect(sizeIn(bytesOf([JPEG[0]!, other, JPEG[2]!]))).toEqual(isFrame ? { width: 9, height: 7 } : SIZE);
    }
  });

  it('is looked for in its beginning only', () => {
    const long = (length: number): readonly number[] => [
      0xff,
      0xe1,
      length >> 8,
      length & 0xff,
      ...Array<number>(length - 2).fill(0),
    ];
    const near = bytesOf([JPEG[0]!, long(0xffff), long(0xf000), JPEG[2]!]);
    expect(sizeIn(near)).toEqual(SIZE);
    expect(sizeIn(bytesOf([JPEG[0]!, long(0xffff), long(0xffff), JPEG[2]!]))).toEqual(UNKNOWN);
  });
});

it.each([0, 1, 2, 3, 4, 5, 100])('an image of %i bytes is described with its size', (length) => {
  expect(readPicture(Buffer.alloc(length).toString('base64'))).toEqual({ bytes: length, ...UNKNOWN });
});
