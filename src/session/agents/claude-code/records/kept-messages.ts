import type { Boundary } from './boundary.js';

/** The messages that a boundary keeps, by uuid; of a segment only its ends. */
export interface KeptMessages {
  readonly anchor: number;
  readonly uuids: readonly number[];
  readonly isSegment: boolean;
}

/** null if a boundary names nothing to keep. A list counts only if all of its messages are in the file. */
export function findKept({ messages, segment }: Boundary, has: (uuid: number) => boolean): KeptMessages | null {
  if (messages) {
    const isWhole = messages.uuids.length > 0 && messages.uuids.every(has);
    return isWhole ? { ...messages, isSegment: false } : null;
  }
  return segment && { anchor: segment.anchor, uuids: [segment.head, segment.tail], isSegment: true };
}
