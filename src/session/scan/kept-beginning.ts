/** The size up to which a file is kept from its scan, since reading it again takes longer. */
export const KEPT_BYTES = 1 << 22;

/** Blocks of closed files: new memory is slow. */
const blocks: Uint8Array[] = [];

/** The beginning of a small file, as far as it was read in order. */
export class KeptBeginning {
  private block: Uint8Array | null = null;
  private length = 0;

  /** Null for bytes that were not read. */
  at(start: number, end: number): Uint8Array | null {
    return end > this.length ? null : (this.block?.subarray(start, end) ?? null);
  }

  add(bytes: Uint8Array, start: number): void {
    if (start > this.length) return;
    this.block ??= blocks.pop() ?? new Uint8Array(KEPT_BYTES);
    this.block.set(bytes, start);
    this.length = Math.max(this.length, start + bytes.length);
  }

  /** Nothing is kept afterwards. */
  release(): void {
    if (this.block) blocks.push(this.block);
    this.block = null;
    this.length = 0;
  }
}
