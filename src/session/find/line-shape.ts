import { Buffer } from 'node:buffer';
import { LINE_SHAPE } from '../wasm/line-shape.wasm.js';

/** The memory layout, shared with src/session/wasm/line-shape.as.ts. */
const FREE_FORM = 1024;
const NAME_BYTES = 16;
const INPUT = 2048;
const SLACK = 64;
const PAGE = 1 << 16;
const LONGEST_LINE = 1 << 20;

/** Fields with arbitrary content, which is not part of the shape. */
const FREE_FORMS = ['arguments', 'details', 'data', 'parameters'];

interface Exports {
  shapeOf(length: number, seed: bigint): number;
}

/**
 * Detects lines of the same shape: the same keys, kinds of values, and values of `type`, `role` and `op`. A result that
 * depends on nothing else is the same for all of them.
 */
export class LineShapes {
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil((INPUT + LONGEST_LINE + SLACK) / PAGE) });
  private readonly bytes = new Uint8Array(this.memory.buffer);
  private readonly exports: Exports;

  /** `seed`: shapes are comparable only with the same seed. A random one prevents crafted collisions. */
  constructor(private readonly seed: bigint) {
    const module = new WebAssembly.Module(Buffer.from(LINE_SHAPE, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    // The module is compiled from the source in src/session/wasm, which exports this.
    this.exports = exports as unknown as Exports;
    for (const [at, name] of FREE_FORMS.entries()) {
      this.bytes.set(Buffer.from(name), FREE_FORM + at * NAME_BYTES);
      this.bytes[FREE_FORM + at * NAME_BYTES + NAME_BYTES - 1] = name.length;
    }
  }

  /** The shape of a line of JSON as a number; 0 if the shape is not sufficient. */
  shapeOf(pieces: Iterable<Uint8Array>, length: number): number {
    if (length > LONGEST_LINE) return 0;
    let at = INPUT;
    for (const piece of pieces) {
      this.bytes.set(piece, at);
      at += piece.length;
    }
    return this.exports.shapeOf(length, this.seed);
  }
}
