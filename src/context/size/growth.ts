import type { RecordedRequest, SizeStep } from './size-step.js';

/** The number of requests on which growth is measured. */
export const MOST_REQUESTS = 40;
/** The maximum number of bytes of lines read for it. */
export const MOST_BYTES = 400_000;
/** A factor beyond these is noise: providers counted 0.9 to 2.1 tokens for each estimated one. */
const LEAST_FACTOR = 0.25;
const LARGEST_FACTOR = 8;
/** A smaller growth, in estimated tokens, is not significant. */
const LEAST_GROWTH = 500;
/** Growth must be this share of a change for its factor to be used on the change. */
const LEAST_SHARE = 0.25;

/** The size of a context as estimated, and as counted by a provider. */
export interface SizePoint {
  readonly estimated: number;
  readonly counted: number;
}

interface Sample {
  readonly request: RecordedRequest;
  /** Estimated tokens of all appended messages before the answer, and after it. */
  readonly before: number;
  readonly after: number;
  /** The bytes of all lines up to the answer. */
  readonly bytes: number;
  /** Samples with the same number have only appended messages between them. */
  readonly run: number;
}

/** The growth of recorded prompts relative to the estimate, over the last requests of a path. */
export class Growth {
  private readonly samples: Sample[] = [];
  /** Sums over the pairs. */
  private readonly grown = { counted: 0, estimated: 0 };
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
    const { bytes, run, samples } = this;
    samples.push({ request: step.request, before, after: this.estimated, bytes, run });
    this.addPair(samples.length - 1, 1);
    while (samples.length > MOST_REQUESTS + 1 || (samples[0]?.bytes ?? bytes) < bytes - MOST_BYTES) {
      this.addPair(1, -1);
      samples.shift();
    }
  }

  /** Counted tokens per estimated one; null if the requests are not sufficient. */
  factor(): number | null {
    const { counted, estimated } = this.grown;
    return estimated < LEAST_GROWTH ? null : plausible(counted / estimated);
  }

  /** The median error of the rule on these requests, as a share of each prompt; null without requests. */
  error(factor: number): number | null {
    const errors = this.samples.flatMap(({ before: estimated, request }, at) => {
      const before = this.pairedWith(at);
      if (!before) return [];
      const predicted = before.request.total + factor * (estimated - before.after);
      return [Math.abs(predicted - request.prompt) / request.prompt];
    });
    return errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? null;
  }

  /** The request before the one at `at`, if both have the same model and only messages were appended between them. */
  private pairedWith(at: number): Sample | null {
    const [before, sample] = [this.samples[at - 1], this.samples[at]];
    if (!before || !sample) return null;
    return before.run === sample.run && before.request.model === sample.request.model ? before : null;
  }

  /** Adds the growth between a request and the previous one to the sums, or subtracts it. */
  private addPair(at: number, sign: 1 | -1): void {
    const [before, sample] = [this.pairedWith(at), this.samples[at]];
    if (!before || !sample) return;
    this.grown.counted += sign * (sample.request.prompt - before.request.prompt);
    this.grown.estimated += sign * (sample.before - before.before);
  }
}

/** Counted tokens per estimated one between two points; null if they are too close for a change of `tokens`. */
export function factorBetween(first: SizePoint, last: SizePoint, tokens: number): number | null {
  const grown = last.estimated - first.estimated;
  if (grown < Math.max(LEAST_GROWTH, Math.abs(tokens) * LEAST_SHARE)) return null;
  return plausible((last.counted - first.counted) / grown);
}

/** Counted tokens per estimated one; null if they are noise. */
export function plausible(factor: number): number | null {
  return factor >= LEAST_FACTOR && factor <= LARGEST_FACTOR ? factor : null;
}
