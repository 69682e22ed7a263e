/** A format of compressed files, which are read as their content. */
export interface Compression {
  readonly name: string;
  /** The end of the names of such files. */
  readonly ending: string;
  /** Whether a file that begins with these bytes is of this format. */
  isBeginning(bytes: Uint8Array): boolean;
  /** The content of a whole file; throws for a damaged one, and for more than `most` bytes. */
  decompress(bytes: Uint8Array, most: number): Uint8Array;
  /** Decompresses the first bytes of a file as far as possible. Throws as `decompress` does. */
  decompressFirst(bytes: Uint8Array, most: number): Uint8Array;
  /** The command that decompresses a file. */
  readonly byHand: string;
  /** The command that reports the damage of a file. */
  readonly test: string;
}
