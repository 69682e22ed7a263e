import type { SentMessage } from '#context/replay/message-list.js';
import { type Check, reportAll, thatLookAt } from './check.js';
import type { Hit } from './define.js';

/** The watchers of consecutive requests. Equal findings are reported once. */
export class RequestWatches {
  private watches: readonly ((messages: readonly SentMessage[]) => void)[];

  constructor(private readonly check: Check) {
    this.watches = this.start();
  }

  /** Passes on the messages of the next request that were not in the previous one. */
  request(added: readonly SentMessage[]): void {
    for (const watch of this.watches) watch(added);
  }

  /** Starts over with the next request, because messages that were already sent have changed. */
  restart(): void {
    this.watches = this.start();
  }

  private readonly known = new Map<string, Set<string>>();

  private start(): typeof this.watches {
    return thatLookAt(this.check, 'request').map((active) => {
      const { see, end } = active.rule.watch(active.options, this.check.session);
      return (messages) => {
        for (const message of messages) {
          const hits = see(message);
          if (!isEmpty(hits)) reportAll(this.check, active, this.newOnes(active.rule.name, hits));
        }
        if (end) reportAll(this.check, active, this.newOnes(active.rule.name, end()));
      };
    });
  }

  private *newOnes(rule: string, hits: Iterable<Hit>): Generator<Hit> {
    const known = this.known.get(rule) ?? new Set();
    this.known.set(rule, known);
    for (const hit of hits) {
      const key = JSON.stringify([hit.at?.line, hit.place, hit.message]);
      if (!known.has(key)) yield hit;
      known.add(key);
    }
  }
}

/** The result of most steps. */
function isEmpty(hits: Iterable<Hit>): boolean {
  return Array.isArray(hits) && hits.length === 0;
}
