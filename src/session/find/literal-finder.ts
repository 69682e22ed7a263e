import { Buffer } from 'node:buffer';
import type { ByteSource } from '../scan/byte-source.js';
import { LITERAL_FINDER } from '../wasm/literal-finder.wasm.js';

/** The memory layout, shared with src/session/wasm/literal-finder.as.ts. */
const LITERAL = 1024;
const MOST_OF_A_LITERAL = 4096;
const INPUT = 8192;
const CHUNK = 1 << 19;
/** The finder reads this far after the last place where a match may begin. */
const BEHIND = MOST_OF_A_LITERAL + 16;
const PAGE = 1 << 16;

interface Exports {
  mayHold(bytes: number, literalBytes: number): number;
}

/** Finds sources that may hold a text, at several gigabytes a second. */
export class LiteralFinder {
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil((INPUT + CHUNK + 2 * BEHIND) / PAGE) });
  private readonly bytes = Buffer.from(this.memory.buffer);
  private readonly exports: Exports;

  constructor() {
    const module = new WebAssembly.Module(Buffer.from(LITERAL_FINDER, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    // The module is compiled from the source in src/session/wasm, which exports this.
    this.exports = exports as unknown as Exports;
  }

  /**
   * Whether a source has a text of printable ASCII characters, or an escape such as \u0061 that could encode one of
   * them. Of a text of more than 4,096 characters only the beginning counts.
   */
  mayHold(source: ByteSource, literal: string): boolean {
    const { bytes, exports } = this;
    const length = bytes.write(literal.slice(0, MOST_OF_A_LITERAL), LITERAL, 'latin1');
    for (let at = 0; at < source.size; at += CHUNK) {
      const size = Math.min(CHUNK + BEHIND, source.size - at);
      source.readInto(bytes.subarray(INPUT, INPUT + size), at);
      bytes.fill(0, INPUT + size, INPUT + size + BEHIND);
      if (exports.mayHold(Math.min(CHUNK, size), length) !== 0) return true;
    }
    return false;
  }
}
