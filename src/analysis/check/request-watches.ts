import type { SentMessage } from '#context/replay/message-list.js';
import { type Check, reportAll, thatLookAt } from './check.js';
import type { Hit } from './define.js';

/** The watchers of requests, told of one request after another. The same finding is reported once. */
export class RequestWatches {
  private watches: readonly ((messages: readonly SentMessage[]) => void)[];

  constructor(private readonly check: Check) {
    this.watches = this.start();
  }

  /** The messages of the next request that were not in the one before it. */
  request(added: readonly SentMessage[]): void {
    for (const watch of this.watches) watch(added);
  }

  /** The next request begins anew: messages that were sent before have changed. */
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

/** Nearly always, and then nothing more is to be done. */
function isEmpty(hits: Iterable<Hit>): boolean {
  return Array.isArray(hits) && hits.length === 0;
}
