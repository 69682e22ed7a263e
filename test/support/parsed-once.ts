import type { JsonObject } from '#base/json.js';
import type { Session } from '#session/session.js';

/** A session that parses each of its entries once, for laws that replay it again and again. */
export function parsedOnce<Some extends Session>(session: Some): Some {
  const known = new Map<number, JsonObject>();
  return {
    ...session,
    entry(head) {
      const entry = known.get(head.index) ?? session.entry(head);
      known.set(head.index, entry);
      return entry;
    },
  };
}
