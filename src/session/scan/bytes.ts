/** Random access to the bytes of a session, at a size that stays fixed while it is read. */
export interface ByteSource {
  readonly size: number;
  /** A file that can be opened again by its name, and then holds the same. */
  readonly canBeReopened?: boolean;
  /** Take no shortcuts: every line is to be parsed. What is found is the same. */
  readonly isDoubted?: boolean;
  /** The bytes from `start` up to `end` (exclusive). The view is valid until the next call. */
  read(start: number, end: number): Uint8Array;
  /** Fills a part of somebody's memory with the bytes from `start` on. */
  readInto(target: Uint8Array, start: number): void;
  /** Gives back what reading holds. Nothing can be read afterwards. */
  close(): void;
}

export function bytesIn(data: Uint8Array): ByteSource {
  return {
    size: data.byteLength,
    read: (start, end) => data.subarray(start, end),
    readInto: (target, start) => target.set(data.subarray(start, start + target.length)),
    close: () => {},
  };
}

/** A run of bytes of the file: whole lines, newlines included. */
export interface Span {
  readonly line: number;
  readonly offset: number;
  readonly length: number;
}
