import { Buffer, isUtf8 } from 'node:buffer';
import { LINE_SCANNER } from '../wasm/line-scanner.wasm.js';
import { type ByteSource } from './byte-source.js';
import { findNewlines } from './lines.js';

/** Names that the scanner recognises; other lines are left to JSON.parse. The order of the first ones matters there. */
const ENTRY_KEYS = [
  'id',
  'type',
  'usage',
  'message',
  'summary',
  'parentId',
  'targetId',
  'timestamp',
  'firstKeptEntryId',
];
const MESSAGE_KEYS = ['role', 'usage', 'isError', 'toolCallId', 'responseModel'];
export const PI_TYPES: readonly string[] = [
  'message',
  'compaction',
  'label',
  'context_edit',
  'branch_summary',
  'model_change',
  'thinking_level_change',
  'custom',
  'custom_message',
  'session_info',
  'usage',
  'context_transform',
  'ephemeral',
];
export const PI_ROLES: readonly string[] = [
  'user',
  'assistant',
  'toolResult',
  'system',
  'bashExecution',
  'custom',
  'branchSummary',
  'compactionSummary',
];

/** The beginning of most messages as Pi writes them, up to the role. Hashes replace the variable parts. */
const BEGINNING =
  '{"type":"message","id":"########","parentId":"########","timestamp":"########################","message":{"role":';

/** The memory layout of the scanner, shared with src/session/wasm/line-scanner.as.ts. */
const NAMES = 1024;
const NAME_BYTES = 32;
const BEGINNING_AT = 6144;
const BEGINNING_MASK_AT = 6400;
const RECORDS = 16_384;
const MOST_RECORDS = 8192;
const FOREIGN = 409_600;
const FOREIGN_WORDS = 2;
const INPUT = 1 << 19;
const PAGE = 1 << 16;
/** The scanner reads whole blocks, so also a little after the last line. */
const SLACK = 128;
const CHUNK = 1 << 20;
/** A longer line is not stored, and so not confirmed. */
const LONGEST_LINE = 2 ** 30;
const BRACE = 0x7b;
const NEWLINE = 0x0a;

/**
 * The size of a record: two numbers of eight bytes, length and time, then six of four bytes, then the shape in eight.
 */
export const WORDS_PER_RECORD = 12;
export const RECORD_WORD = {
  length: 0,
  time: 2,
  flags: 4,
  id: 5,
  parentId: 6,
  target: 7,
  usageStart: 8,
  usageLength: 9,
  shape: 10,
} as const;

/** The heads of consecutive whole lines, as the scanner writes them. Flags of 0: JSON.parse decides. */
export interface LineRecords {
  readonly count: number;
  readonly words: Uint32Array;
  /** A view of the same memory. */
  readonly doubles: Float64Array;
}

/** The flags of a record. Kinds of ids: 0 for none, 1 for null, 2 for eight hex digits. */
export const readFlag = {
  type: (flags: number): number => flags & 0xff,
  role: (flags: number): number => (flags >>> 8) & 0xff,
  parentId: (flags: number): number => (flags >>> 16) & 3,
  target: (flags: number): number => (flags >>> 18) & 3,
  /** 1 for a message whose `isError` is false, 2 where it is true; 0 if it is unknown. */
  outcome: (flags: number): number => (flags >>> 20) & 3,
  id: (flags: number): number => (flags >>> 22) & 3,
  /** 1 for a branch summary that is not empty. */
  hasSummary: (flags: number): number => (flags >>> 24) & 1,
  /** 1 for a message with a `responseModel`. */
  hasResponseModel: (flags: number): number => (flags >>> 25) & 1,
  /** 1 for a message that another agent added to the input by itself. */
  isAdded: (flags: number): number => (flags >>> 27) & 1,
};

type RecordFlags = Readonly<Record<Exclude<keyof typeof readFlag, 'hasResponseModel' | 'isAdded' | 'outcome'>, number>>;

/** The values of the flags. */
export function packFlags({ isAdded = 0, ...flags }: RecordFlags & { readonly isAdded?: number }): number {
  const { type, role, parentId, target, id, hasSummary } = flags;
  return type | (role << 8) | (parentId << 16) | (target << 18) | (id << 22) | (hasSummary << 24) | (isAdded << 27);
}

interface Exports {
  readonly records: { readonly value: number };
  readonly foreign: { readonly value: number };
  setNames(types: number, roles: number, seed: number): void;
  scan(from: number, to: number, withShapes: boolean): number;
}

/** Shapes are comparable only with the same seed. A random one prevents crafted collisions. */
const SEED = Math.floor(Math.random() * Number.MAX_SAFE_INTEGER);

/**
 * Reads lines without decoding them. It confirms a line only if JSON.parse would accept it and return exactly this
 * head; src/session/wasm/json-line.as.ts explains how. One scanner reads one file at a time.
 */
export class LineScanner {
  private readonly memory = new WebAssembly.Memory({ initial: (INPUT + 2 * CHUNK) / PAGE + 1 });
  private readonly exports: Exports;

  constructor(seed = SEED) {
    const module = new WebAssembly.Module(Buffer.from(LINE_SCANNER, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    // The module is compiled from the source next to it, which exports these.
    this.exports = exports as unknown as Exports;
    const table = new Uint8Array(this.memory.buffer);
    for (const [at, name] of [...ENTRY_KEYS, ...MESSAGE_KEYS, ...PI_TYPES, ...PI_ROLES].entries()) {
      const place = NAMES + at * NAME_BYTES;
      table[place] = name.length;
      for (let index = 0; index < name.length; index += 1) table[place + 1 + index] = name.charCodeAt(index);
    }
    for (let index = 0; index < BEGINNING.length; index += 1) {
      table[BEGINNING_AT + index] = BEGINNING.charCodeAt(index);
      table[BEGINNING_MASK_AT + index] = BEGINNING[index] === '#' ? 0 : 0xff;
    }
    this.exports.setNames(PI_TYPES.length, PI_ROLES.length, seed);
  }

  /**
   * Scans the lines from `start`, the beginning of a line, to the last newline before `end`. Yielded records are valid
   * until the next ones are requested. Their shapes are 0 unless they are wanted.
   */
  *scan(source: ByteSource, start: number, end: number, withShapes = false): Generator<LineRecords> {
    /** The number of bytes in memory: the beginning of a line whose newline has not been read yet. */
    let held = 0;
    for (let at = start; at < end;) {
      const size = Math.min(CHUNK, end - at);
      const bytes = this.room(held + size);
      source.readInto(bytes.subarray(held, held + size), at);
      at += size;
      const last = bytes.subarray(held, held + size).lastIndexOf(NEWLINE);
      const whole = last === -1 ? 0 : held + last + 1;
      held += size;
      yield* this.wholeLines(bytes, whole, withShapes);
      bytes.copyWithin(0, whole, held);
      held -= whole;
      if (held > CHUNK && (bytes[0] !== BRACE || held > LONGEST_LINE)) {
        const next = findNewlineFrom(source, at, end);
        if (next === -1) return;
        yield buildUnverifiedRecord(held + next + 1 - at);
        at = next + 1;
        held = 0;
      }
    }
  }

  private *wholeLines(bytes: Uint8Array, end: number, withShapes: boolean): Generator<LineRecords> {
    for (let at = 0; at < end;) {
      const next = this.exports.scan(INPUT + at, INPUT + end, withShapes) - INPUT;
      const records = this.records();
      this.doubtBadText(records, bytes);
      at = next;
      yield records;
    }
  }

  private records(): LineRecords {
    const { buffer } = this.memory;
    return {
      count: this.exports.records.value,
      words: new Uint32Array(buffer, RECORDS, MOST_RECORDS * WORDS_PER_RECORD),
      doubles: new Float64Array(buffer, RECORDS, (MOST_RECORDS * WORDS_PER_RECORD) / 2),
    };
  }

  /** Validates UTF-8, which the scanner does not check. Only lines with non-ASCII bytes can be invalid. */
  private doubtBadText({ words, doubles }: LineRecords, bytes: Uint8Array): void {
    const foreign = new Uint32Array(this.memory.buffer, FOREIGN, this.exports.foreign.value * FOREIGN_WORDS);
    for (let at = 0; at < foreign.length; at += FOREIGN_WORDS) {
      const record = (foreign[at] ?? 0) * WORDS_PER_RECORD;
      const start = (foreign[at + 1] ?? 0) - INPUT;
      if (!isUtf8(bytes.subarray(start, start + (doubles[record / 2] ?? 0)))) words[record + RECORD_WORD.flags] = 0;
    }
  }

  /** The memory for lines. A very long line makes it grow. */
  private room(size: number): Uint8Array {
    const missing = INPUT + size + SLACK - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(Math.max(missing, size) / PAGE));
    return new Uint8Array(this.memory.buffer, INPUT);
  }
}

/** A view of records in memory. */
export function viewRecords(words: Uint32Array, count: number): LineRecords {
  return { count, words, doubles: new Float64Array(words.buffer, words.byteOffset, words.length / 2) };
}

/** A record of a line with only its length known. */
export function buildUnverifiedRecord(length: number): LineRecords {
  const doubles = new Float64Array(WORDS_PER_RECORD / 2);
  doubles[0] = length;
  return { count: 1, words: new Uint32Array(doubles.buffer), doubles };
}

function findNewlineFrom(source: ByteSource, start: number, end: number): number {
  for (let at = start; at < end; at += CHUNK) {
    const [found] = findNewlines(source.read(at, Math.min(at + CHUNK, end)));
    if (found !== undefined) return at + found;
  }
  return -1;
}
