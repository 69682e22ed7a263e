import { Buffer, isUtf8 } from 'node:buffer';
import { LINE_SKELETON } from '../wasm/line-skeleton.wasm.js';
import { type ByteSource, newlinesIn, type RawLine } from './bytes.js';

/** The memory layout, shared with src/session/wasm/line-skeleton.as.ts. */
const NAMES = 1024;
const NAME_BYTES = 32;
const RECORDS = 4096;
const RECORD_WORDS = 2;
const MOST_RECORDS = 8192;
const FOREIGN = 0x80000000;
const INPUT = 1 << 17;
/** A line longer than this is parsed as a whole. */
const CHUNK = 1 << 20;
const READ_BYTES = 1 << 18;
/** The scanner reads whole blocks, so also a little after the last line. */
const SLACK = 128;
const OUTPUT = INPUT + CHUNK + SLACK;
const PAGE = 1 << 16;
const NEWLINE = 0x0a;

/** A line, with its copy without long texts; null if only the whole line tells its value. */
export interface SkeletonLine extends RawLine {
  readonly skeleton: string | null;
}

interface Exports {
  readonly records: { readonly value: number };
  setNames(count: number): void;
  scan(from: number, to: number, out: number): number;
}

/**
 * Reads lines without decoding their long texts: the strings of some keys. If the copy of a line is JSON, then the
 * line is JSON in valid UTF-8, and its value differs only in these strings, which are empty in the copy.
 */
export class LineSkeletons {
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil((OUTPUT + CHUNK) / PAGE) });
  private readonly bytes = Buffer.from(this.memory.buffer);
  private readonly words = new Uint32Array(this.memory.buffer, RECORDS, MOST_RECORDS * RECORD_WORDS);
  private readonly exports: Exports;

  /** `keys`: at most 31 ASCII letters each. */
  constructor(keys: readonly string[]) {
    const module = new WebAssembly.Module(Buffer.from(LINE_SKELETON, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    // The module is compiled from the source in src/session/wasm, which exports these.
    this.exports = exports as unknown as Exports;
    for (const [at, key] of keys.entries()) {
      this.bytes[NAMES + at * NAME_BYTES] = key.length;
      this.bytes.write(key, NAMES + at * NAME_BYTES + 1, 'latin1');
    }
    this.exports.setNames(keys.length);
  }

  /** All lines of a file. */
  *lines(source: ByteSource): Generator<SkeletonLine> {
    const place = { line: 1, offset: 0 };
    /** The number of bytes in memory: the beginning of a line whose newline has not been read yet. */
    let held = 0;
    for (let at = 0; at < source.size;) {
      const size = Math.min(CHUNK - held, READ_BYTES, source.size - at);
      // What is read in this way counts as bytes to be parsed.
      this.bytes.set(source.read(at, at + size), INPUT + held);
      at += size;
      held += size;
      const end = this.bytes.subarray(INPUT, INPUT + held).lastIndexOf(NEWLINE) + 1;
      yield* this.wholeLines(place, end);
      this.bytes.copyWithin(INPUT, INPUT + end, INPUT + held);
      held -= end;
      if (held < CHUNK) continue;
      at = behindNewline(source, at);
      if (at === -1) break;
      yield next(place, at - place.offset, null);
      held = 0;
    }
    if (place.offset < source.size)
      yield { ...place, length: source.size - place.offset, terminated: false, skeleton: null };
  }

  private *wholeLines(place: Place, end: number): Generator<SkeletonLine> {
    for (let at = 0; at < end;) {
      const stop = this.exports.scan(INPUT + at, INPUT + end, OUTPUT) - INPUT;
      const count = this.exports.records.value * RECORD_WORDS;
      let copy = OUTPUT;
      for (let record = 0; record < count; record += RECORD_WORDS) {
        const [length, flags] = [this.words[record] ?? 0, this.words[record + 1] ?? 0];
        const copyEnd = copy + (flags & ~FOREIGN);
        yield next(place, length, this.copyOf({ at, length, isAscii: flags < FOREIGN, copy, copyEnd }));
        copy = copyEnd;
        at += length;
      }
      at = stop;
    }
  }

  private copyOf({ at, length, isAscii, copy, copyEnd }: Copied): string | null {
    if (copy === copyEnd) return null;
    if (isAscii) return this.bytes.toString('latin1', copy, copyEnd);
    return isUtf8(this.bytes.subarray(INPUT + at, INPUT + at + length))
      ? this.bytes.toString('utf8', copy, copyEnd)
      : null;
  }
}

interface Copied {
  readonly at: number;
  readonly length: number;
  readonly isAscii: boolean;
  readonly copy: number;
  readonly copyEnd: number;
}

interface Place {
  line: number;
  offset: number;
}

/** The line at a place, which moves behind it. */
function next(place: Place, length: number, skeleton: string | null): SkeletonLine {
  const { line, offset } = place;
  place.line += 1;
  place.offset += length;
  return { line, offset, length, terminated: true, skeleton };
}

function behindNewline(source: ByteSource, from: number): number {
  for (let at = from; at < source.size; at += CHUNK) {
    const [found] = newlinesIn(source.read(at, Math.min(at + CHUNK, source.size)));
    if (found !== undefined) return at + found + 1;
  }
  return -1;
}
