import type { LlmMessage } from '#context/replay/content.js';
import type { Hit } from '../define.js';
import { type AnswerModel, AnswerModels } from './answer-model.js';

const MOST_WAITING = 1000;

/** Hits that concern only one model, kept until a request ends whose newest answer is from that model. */
export class PendingHits {
  private readonly models = new AnswerModels();
  private readonly waiting = new Map<AnswerModel, Hit[]>();
  private newest: AnswerModel | null = null;

  noteAnswer(message: LlmMessage): AnswerModel {
    this.newest = this.models.readModel(message);
    return this.newest;
  }

  add(model: AnswerModel, hit: Hit): void {
    const hits = this.waiting.get(model) ?? [];
    if (hits.length < MOST_WAITING) hits.push(hit);
    this.waiting.set(model, hits);
  }

  forget(): void {
    this.waiting.clear();
  }

  *takeOfNewest(): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0) return;
    yield* this.waiting.get(this.newest) ?? [];
    this.waiting.delete(this.newest);
  }

  /** Yields the pending hits of all models, if the newest model satisfies `isSuch`. */
  *takeAll(isSuch: (newest: AnswerModel) => boolean): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0 || !isSuch(this.newest)) return;
    for (const hits of this.waiting.values()) yield* hits;
    this.waiting.clear();
  }
}
