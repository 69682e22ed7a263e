import type { RecordedRequest } from './recorded-request.js';
import type { SizeEffect } from './size-effect.js';
import { toPlausibleFactor } from './token-rate.js';

/** The number of requests on which growth is measured. */
export const MOST_REQUESTS = 40;

/** The maximum number of bytes of lines read for it. */
export const MOST_GROWTH_BYTES = 400_000;

/** A smaller growth, in estimated tokens, is not significant. */
const LEAST_GROWTH = 500;

interface Sample {
  readonly request: RecordedRequest;
  /** Estimated tokens of all appended messages before the answer, and up to the end of what was counted. */
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

  take(step: SizeEffect): void {
    if (step.kind === 'change') {
      this.run += 1;
      return;
    }
    const before = this.estimated;
    this.estimated += step.tokens;
    this.bytes += step.bytes;
    if (step.request === null) return;
    const { bytes, run, samples } = this;
    samples.push({ request: step.request, before, after: this.estimated - step.request.uncounted, bytes, run });
    this.addPair(samples.length - 1, 1);
    while (samples.length > MOST_REQUESTS + 1 || (samples[0]?.bytes ?? bytes) < bytes - MOST_GROWTH_BYTES) {
      this.addPair(1, -1);
      samples.shift();
    }
  }

  /** Counted tokens per estimated one; null if the requests are not sufficient. */
  factor(): number | null {
    const { counted, estimated } = this.grown;
    return estimated < LEAST_GROWTH ? null : toPlausibleFactor(counted / estimated);
  }

  /** The median error of the rule on these requests, as a share of each prompt; null without requests. */
  error(factor: number): number | null {
    const errors = this.samples.flatMap(({ before: estimated, request }, at) => {
      const before = this.findPair(at);
      if (!before) return [];
      const predicted = before.request.total + factor * (estimated - before.after);
      return [Math.abs(predicted - request.prompt) / request.prompt];
    });
    return errors.toSorted((a, b) => a - b)[Math.floor(errors.length / 2)] ?? null;
  }

  /** The request before the one at `at`, if both have the same model and only messages were appended between them. */
  private findPair(at: number): Sample | null {
    const before = this.samples[at - 1];
    const sample = this.samples[at];
    if (!before || !sample) return null;
    return before.run === sample.run && before.request.model === sample.request.model ? before : null;
  }

  /** Adds the growth between a request and the previous one to the sums, or subtracts it. */
  private addPair(at: number, sign: 1 | -1): void {
    const before = this.findPair(at);
    const sample = this.samples[at];
    if (!before || !sample) return;
    this.grown.counted += sign * (sample.request.prompt - before.request.prompt);
    this.grown.estimated += sign * (sample.before - before.before);
  }
}
