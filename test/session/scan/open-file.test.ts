import { Buffer } from 'node:buffer';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openFile } from '#session/scan/open-file.js';

let folder: string;
beforeAll(() => (folder = fs.mkdtempSync(path.join(os.tmpdir(), 'ctx-open-file-'))));
afterAll(() => fs.rmSync(folder, { recursive: true }));

function written(name: string, size: number, step: number): { readonly file: string; readonly bytes: Buffer } {
  const file = path.join(folder, name);
  const bytes = Buffer.from(Uint8Array.from({ length: size }, (_, at) => (at * step + (at >> 8)) % 251));
  fs.writeFileSync(file, bytes);
  return { file, bytes };
}

it('two files that are open at once have the bytes that were asked for, in whatever order and way', async () => {
  const files = [written('one', 5000, 31), written('other', 7000, 17)];
  const step = fc.record({
    which: fc.nat(1),
    // Null: where the last step ended.
    start: fc.oneof(fc.constant(0), fc.constant(null), fc.nat(7000)),
    length: fc.oneof(fc.nat(20), fc.nat(7000)),
    isCopied: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
      // The blocks of earlier files are used again.
      const sources = await Promise.all(files.map(({ file }) => openFile(file)));
      let end = 0;
      for (const { which, start, length, isCopied } of steps) {
        const [source, bytes] = [sources[which], files[which]?.bytes ?? Buffer.alloc(0)];
        const from = Math.min(start ?? end, bytes.length);
        const to = Math.min(from + length, bytes.length);
        end = to;
        const copy = Buffer.alloc(to - from);
        if (isCopied) source?.readInto(copy, from);
        const read = isCopied ? copy : Buffer.from(source?.read(from, to) ?? []);
        expect(read.equals(bytes.subarray(from, to))).toBe(true);
      }
      for (const source of sources) source.close();
    }),
  );
});

it('a small file that was read in order is not read again', async () => {
  const { file, bytes } = written('small', 3000, 7);
  const source = await openFile(file);
  const [first, rest] = [Buffer.alloc(1000), Buffer.alloc(2500)];
  source.readInto(first, 0);
  expect(Buffer.from(source.read(995, 1005)).equals(bytes.subarray(995, 1005))).toBe(true);
  source.readInto(rest, 500);
  fs.truncateSync(file, 0);
  expect(Buffer.from(source.read(10, 3000)).equals(bytes.subarray(10))).toBe(true);
  source.readInto(first, 1500);
  expect(first.equals(bytes.subarray(1500, 2500))).toBe(true);
  source.close();
  expect(() => source.read(0, 10)).toThrow('EBADF');
});
