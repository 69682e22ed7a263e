import type { EnvelopeContent } from '#context/replay/content.js';
import { EMPTY_ENVELOPE } from '#context/replay/empty-envelope.js';
import type { Hit, PathStep } from '../define.js';

interface Counted<Part> {
  /** How many changes pass in any case, and how many requests there should be for each beyond. */
  readonly most: number;
  readonly requestsEach: number;
  /** What is counted, as the subject of a sentence. */
  readonly what: string;
  partOf(content: EnvelopeContent): Part;
  isSame(before: Part, after: Part): boolean;
  readonly fix: string;
}

/** Counts how often a part of the request differs from what the request before it held. */
export function countChanges<Part>({ most, requestsEach, what, partOf, isSame, fix }: Counted<Part>): {
  step(step: PathStep): readonly Hit[];
  end(): readonly Hit[];
} {
  let current: Part = partOf(EMPTY_ENVELOPE);
  let sent = current;
  let changedBy: PathStep['head'] | null = null;
  let lastAt: PathStep['head'] | null = null;
  let changes = 0;
  let requests = 0;
  return {
    step({ head, change }) {
      if (change) {
        const now = partOf(change.after);
        if (now !== current) changedBy = head;
        current = now;
      }
      if (head.role !== 'assistant') return [];
      requests += 1;
      if (requests > 1 && !isSame(sent, current)) {
        changes += 1;
        lastAt = changedBy;
      }
      sent = current;
      return [];
    },
    end() {
      if (changes <= most || changes * requestsEach <= requests) return [];
      const message = `${what} changed ${changes} times in ${requests} requests, the last time here`;
      return [{ message, ...(lastAt && { at: lastAt }), fix }];
    },
  };
}
