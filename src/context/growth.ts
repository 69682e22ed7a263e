import type { RecordedRequest, SizeStep } from './size-step.js';

/** The number of requests that growth is measured on. */
export const MOST_REQUESTS = 40;
/** Lines of more bytes than that are not read for it. */
export const MOST_BYTES = 400_000;
/** A factor beyond these is noise: providers counted 0.9 to 2.1 tokens for each estimated one. */
const LEAST_FACTOR = 0.25;
const LARGEST_FACTOR = 8;
/** Less growth, in estimated tokens, tells nothing. */
const LEAST_GROWTH = 500;
/** Growth must be this share of a change for its factor to be used on the change. */
const LEAST_SHARE = 0.25;

/** The size of a context as it was estimated, and as a provider counted it. */
export interface SizePoint {
  readonly estimated: number;
  readonly counted: number;
}

interface Sample {
  readonly request: RecordedRequest;
  /** Estimated tokens of all that was appended before the answer, and after it. */
  readonly before: number;
  readonly after: number;
  /** Of all lines up to the answer. */
  readonly bytes: number;
  /** Samples with the same number have only appended messages between them. */
  readonly run: number;
}

/** How recorded prompts grow with the estimate, over the last requests of a path. */
export class Growth {
  private samples: Sample[] = [];
  private estimated = 0;
  private bytes = 0;
  private run = 0;

  take(step: SizeStep): void {
    if (step.kind === 'change') {
      this.run += 1;
      return;
    }
    const before = this.estimated;
    this.estimated += step.tokens;
    this.bytes += step.bytes;
    if (step.request === null) return;
    const { bytes, run } = this;
    this.samples.push({ request: step.request, before, after: this.estimated, bytes, run });
    if (this.samples.length > MOST_REQUESTS + 1) this.samples.shift();
  }

  /** Counted tokens for each estimated one; null where the requests do not tell. */
  factor(): number | null {
    let [counted, estimated] = [0, 0];
    for (const [before, sample] of this.pairs()) {
      counted += sample.request.prompt - before.request.prompt;
      estimated += sample.before - before.before;
    }
    return estimated < LEAST_GROWTH ? null : plausible(counted / estimated);
  }

  /** The median error of the rule on these requests, as a share of each prompt; null where there are none. */
  error(factor: number): number | null {
    const errors = this.pairs().map(([before, { before: estimated, request }]) => {
      const predicted = before.request.total + factor * (estimated - before.after);
      return Math.abs(predicted - request.prompt) / request.prompt;
    });
    return errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? null;
  }

  /** Requests of one model, each with the one before it, between which messages were only appended. */
  private pairs(): readonly (readonly [before: Sample, sample: Sample])[] {
    const first = (this.samples.at(-1)?.bytes ?? 0) - MOST_BYTES;
    return this.samples.flatMap((sample, at) => {
      const before = this.samples[at - 1];
      const isNext = before?.run === sample.run && before.request.model === sample.request.model;
      return isNext && before.bytes >= first ? [[before, sample] as const] : [];
    });
  }
}

/** Counted tokens for each estimated one between two points; null where they are too close for a change of `tokens`. */
export function factorBetween(first: SizePoint, last: SizePoint, tokens: number): number | null {
  const grown = last.estimated - first.estimated;
  if (grown < Math.max(LEAST_GROWTH, Math.abs(tokens) * LEAST_SHARE)) return null;
  return plausible((last.counted - first.counted) / grown);
}

function plausible(factor: number): number | null {
  return factor >= LEAST_FACTOR && factor <= LARGEST_FACTOR ? factor : null;
}
