import { Buffer } from 'node:buffer';
import { formatTime } from '#base/time.js';
import { formatId } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import { PI_ROLES, PI_TYPES } from '#session/scan/line-scanner.js';
import type { OutlineRow } from '#session/tree/outline.js';
import { TREE_ROWS } from '#session/wasm/tree-rows.wasm.js';
import { formatJsonLine } from '#ui/doc/json.js';

/** Facts about the entries that their heads do not hold, by index. */
export interface TreeFacts {
  readonly heads: Heads;
  readonly labels: ReadonlyMap<number, string>;
  /** 1 for an entry on the path to the leaf. */
  readonly active: Uint8Array;
  readonly leaf: number | undefined;
  /** Avoids the fast path. The output is the same. */
  readonly isStrict: boolean;
}

/** The rows of a tree as `ctx/tree-entry` lines, from heads alone. Each piece is valid until the next. */
export function* treeJson(rows: Iterable<OutlineRow>, facts: TreeFacts): Generator<Uint8Array> {
  const writer = new RowWriter();
  let batch: OutlineRow[] = [];
  for (const row of rows) {
    batch.push(row);
    writer.add(facts.heads, row, stateOf(row.index, facts));
    if (!writer.isFull) continue;
    yield linesOf(batch, writer, facts);
    writer.clear();
    batch = [];
  }
  yield linesOf(batch, writer, facts);
}

function stateOf(index: number, { labels, active, leaf, isStrict }: TreeFacts): RowState {
  if (isStrict || labels.has(index)) return ROW_STATE.other;
  if (index === leaf) return ROW_STATE.leaf;
  return active[index] === 1 ? ROW_STATE.active : ROW_STATE.inactive;
}

function linesOf(batch: readonly OutlineRow[], writer: RowWriter, facts: TreeFacts): Uint8Array {
  const pieces: Uint8Array[] = [];
  for (let next = 0; next < batch.length; next += 1) {
    const { lines, end } = writer.linesFrom(next);
    if (next === 0 && end === batch.length) return lines;
    pieces.push(lines.slice());
    next = end;
    const row = batch[next];
    if (row) pieces.push(Buffer.from(formatJsonLine(entryOf(row, facts))));
  }
  return Buffer.concat(pieces);
}

/** `ctx/tree-entry`, see src/cli/commands/line-documents.ts. */
function entryOf({ index, depth, children }: OutlineRow, { heads, labels, active, leaf }: TreeFacts): object {
  return {
    schema: 'ctx/tree-entry',
    schemaVersion: 1,
    entryId: formatId(heads.idAt(index, 'id')),
    parentId: formatId(heads.idAt(index, 'parentId')),
    line: heads.lineAt(index),
    offset: heads.offsetAt(index),
    length: heads.lengthAt(index),
    type: heads.typeAt(index),
    role: heads.roleAt(index),
    time: formatTime(heads.timeAt(index)),
    depth,
    children,
    isActive: active[index] === 1,
    isLeaf: index === leaf,
    label: labels.get(index) ?? null,
    target: formatId(heads.idAt(index, 'target')),
  };
}

/** Offsets in the memory of the writer, equal to those of src/session/wasm/tree-rows.as.ts. */
const LENGTHS = 512;
const TEXTS = 1024;
const TEXT_BYTES = 64;
const ROWS = 8192;
const ROW_BYTES = 56;
const MOST_ROWS = 256;
const OUTPUT = 65_536;
/** The memory that the module requires. It has room for rows of 1,700 bytes; none is half as long. */
const PAGES = 8;

const ROW_WORDS = ROW_BYTES / 4;
const ROW_DOUBLES = ROW_BYTES / 8;
/** Behind the first words of the record of a line. */
const DOUBLE = { offset: 4 } as const;
const WORD = { line: 10, depth: 11, children: 12, state: 13 } as const;

const KEYS = ['parentId', 'line', 'offset', 'length', 'type', 'role', 'time', 'depth', 'children'];
/** The end of a row, by the facts about its entry; `other` rows are written without the module. */
const ROW_STATE = { inactive: 0, active: 1, leaf: 2, other: 3 } as const;
type RowState = (typeof ROW_STATE)[keyof typeof ROW_STATE];
const GO_ON = [
  ',"isActive":false,"isLeaf":false,"label":null,"target":',
  ',"isActive":true,"isLeaf":false,"label":null,"target":',
  ',"isActive":true,"isLeaf":true,"label":null,"target":',
];
const PIECES = [
  '{"schema":"ctx/tree-entry","schemaVersion":1,"entryId":',
  ...KEYS.map((key) => `,"${key}":`),
  ...GO_ON,
  '}\n',
  'null',
  ...[...PI_TYPES, ...PI_ROLES].map((name) => `"${name}"`),
];

interface Exports {
  readonly end: { readonly value: number };
  setNames(types: number, roles: number): void;
  write(from: number, to: number): number;
}

/** Writes `ctx/tree-entry` lines from numbers alone, which is faster than building objects and texts. */
class RowWriter {
  private readonly exports: Exports;
  private readonly bytes: Uint8Array;
  private readonly words: Uint32Array;
  private readonly doubles: Float64Array;
  private count = 0;

  constructor() {
    const memory = new WebAssembly.Memory({ initial: PAGES });
    const { buffer } = memory;
    const module = new WebAssembly.Module(Buffer.from(TREE_ROWS, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    // The module is compiled from the source in src/session/wasm, which exports these.
    this.exports = exports as unknown as Exports;
    this.bytes = new Uint8Array(buffer);
    this.words = new Uint32Array(buffer, ROWS, MOST_ROWS * ROW_WORDS);
    this.doubles = new Float64Array(buffer, ROWS, MOST_ROWS * ROW_DOUBLES);
    for (const [at, piece] of PIECES.entries()) {
      this.bytes[LENGTHS + at] = piece.length;
      for (let index = 0; index < piece.length; index += 1)
        this.bytes[TEXTS + at * TEXT_BYTES + index] = piece.charCodeAt(index);
    }
    this.exports.setNames(PI_TYPES.length, PI_ROLES.length);
  }

  get isFull(): boolean {
    return this.count === MOST_ROWS;
  }

  /** Takes one more row. */
  add(heads: Heads, { index, depth, children }: OutlineRow, state: RowState): void {
    const at = this.count * ROW_WORDS;
    heads.copyTo(this.words, at, index);
    this.doubles[this.count * ROW_DOUBLES + DOUBLE.offset] = heads.offsetAt(index);
    this.words[at + WORD.line] = heads.lineAt(index);
    this.words[at + WORD.depth] = depth;
    this.words[at + WORD.children] = children;
    this.words[at + WORD.state] = state;
    this.count += 1;
  }

  /** The lines of the rows from `row` up to the first `other` row, valid until the next call. */
  linesFrom(row: number): { readonly lines: Uint8Array; readonly end: number } {
    const end = this.exports.write(row, this.count);
    return { lines: this.bytes.subarray(OUTPUT, this.exports.end.value), end };
  }

  clear(): void {
    this.count = 0;
  }
}
