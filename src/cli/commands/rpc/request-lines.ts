/** The most bytes of a request. */
export const LONGEST_REQUEST = 1 << 20;

const NEWLINE = 0x0a;

/** The lines of a stream, without those that are blank; null for one that is longer than a request may be. */
export async function* readRequestLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string | null> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  const add = (piece: Uint8Array): void => {
    length += piece.length;
    // The rest of a line that is too long is read and not kept.
    if (length > LONGEST_REQUEST) pieces = [];
    else pieces.push(piece);
  };
  const take = (): string | null => {
    const line = length > LONGEST_REQUEST ? null : new TextDecoder().decode(Buffer.concat(pieces)).trim();
    pieces = [];
    length = 0;
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      add(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== '') yield line;
    }
    // A stream may use its buffer again.
    add(chunk.slice(start));
  }
  const last = take();
  if (last !== '') yield last;
}
