import type { HookSummary } from '../document.js';
import type { EventRun } from './emit.js';

type Handlers = NonNullable<HookSummary['handlers']>;

/** Counts the calls of handlers of stock Pi, by module and event. */
export class HandlerTally {
  private readonly counts = new Map<string, Handlers[number]>();

  take({ hook, event, outcome }: EventRun): void {
    const key = JSON.stringify([hook, event]);
    const count = this.counts.get(key) ?? { hook, event, calls: 0, changed: 0, failed: 0, nothing: 0 };
    this.counts.set(key, count);
    count.calls += 1;
    if (outcome === 'changed' || outcome === 'cancelled') count.changed += 1;
    if (outcome === 'failed') count.failed += 1;
    if (outcome === 'nothing') count.nothing += 1;
  }

  list(): Handlers {
    return [...this.counts.values()];
  }
}
