import type { LlmMessage } from '#context/replay/content.js';
import type { Hit } from '../define.js';
import { type Model, Models } from './message.js';

/** Hits of one model that wait to become due; more of them say nothing new. */
const MOST_WAITING = 1000;

/** What a request only minds if it goes to a certain model: kept until a request ends whose newest answer says so. */
export class DueHits {
  private readonly models = new Models();
  private readonly waiting = new Map<Model, Hit[]>();
  private newest: Model | null = null;

  /** Takes note of the model of an answer. */
  answer(message: LlmMessage): Model {
    this.newest = this.models.of(message);
    return this.newest;
  }

  add(model: Model, hit: Hit): void {
    const hits = this.waiting.get(model) ?? [];
    if (hits.length < MOST_WAITING) hits.push(hit);
    this.waiting.set(model, hits);
  }

  forget(): void {
    this.waiting.clear();
  }

  /** Whatever waits for the newest model, which Pi sends as it is. */
  *ofNewest(): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0) return;
    yield* this.waiting.get(this.newest) ?? [];
    this.waiting.delete(this.newest);
  }

  /** Whatever waits, of any model, if the newest one is such. */
  *ofAny(isSuch: (newest: Model) => boolean): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0 || !isSuch(this.newest)) return;
    for (const hits of this.waiting.values()) yield* hits;
    this.waiting.clear();
  }
}
