/** Random access to the bytes of a session, whose size is fixed while it is read. */
export interface ByteSource {
  readonly size: number;
  /** A file that can be reopened by its name, with the same content. */
  readonly canBeReopened?: boolean;
  /** The content of a compressed file, to which no program appends. */
  readonly isFixed?: boolean;
  /** Disables shortcuts: every line is parsed, with the same result. */
  readonly isStrict?: boolean;
  /** The bytes of the named file alone, where other files are read with it. Closed with the source. */
  readonly own?: ByteSource;
  /** The offsets at which the joined files begin; left out for a single file. */
  readonly parts?: readonly number[];
  /** The bytes from `start` up to `end` (exclusive). The view is valid until the next call. */
  read(start: number, end: number): Uint8Array;
  /** Copies the bytes from `start` on into the caller's memory. */
  readInto(target: Uint8Array, start: number): void;
  /** Releases its resources. Nothing can be read afterwards. */
  close(): void;
}

export function toByteSource(data: Uint8Array): ByteSource {
  return {
    size: data.byteLength,
    read: (start, end) => data.subarray(start, end),
    readInto: (target, start) => target.set(data.subarray(start, start + target.length)),
    close: () => {},
  };
}
