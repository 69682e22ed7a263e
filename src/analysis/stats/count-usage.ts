import type { PriceList } from '#context/models/prices.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import type { Session } from '#session/session.js';
import { addClientUsage, startCoveredTally } from './client-usage.js';
import { readSessionBasics } from './session-basics.js';
import type { SessionUsage } from './session-stats.js';
import type { SharedEntries } from './shared-entries.js';
import type { UsageCounts } from './usage-sums.js';
import { UsageTally, type UsageTallyOptions } from './usage-tally.js';

/** Counts the recorded usage of a session: of its answers, only the end is parsed. */
export function countUsage(
  session: Session,
  shared: SharedEntries,
  priceList: PriceList,
  how: UsageTallyOptions & { readonly subagents?: readonly UsageCounts[] } = {},
): SessionUsage {
  const { heads } = session.tree;
  const { period = null } = how;
  const own = { entries: 0, user: 0, assistant: 0, usage: new UsageTally(priceList, how) };
  const elsewhere = { ...own, usage: new UsageTally(priceList, { period }) };
  const covered = startCoveredTally(session, priceList, period);
  for (let index = 0; index < heads.length; index += 1) {
    const tally = shared.has(session, index) ? elsewhere : own;
    tally.entries += 1;
    if (heads.typeAt(index) === 'message' && heads.roleAt(index) === 'user') tally.user += 1;
    else if (heads.isAnswerAt(index)) tally.assistant += 1;
    const head = heads.usageLengthAt(index) > 0 ? heads.at(index) : undefined;
    if (!head) continue;
    const entry = readAnswerEnd(session, head) ?? session.entry(head);
    tally.usage.take(head, entry);
    if (tally === own) covered?.take(head, entry);
  }
  const facts = readSessionBasics(session);
  return {
    ...facts,
    entries: own.entries,
    messages: { user: own.user, assistant: own.assistant },
    ...addClientUsage(own.usage.sums(), session, { ...how, covered, last: facts.last, priceList }),
    shared: { entries: elsewhere.entries, usage: elsewhere.usage.sums().usage },
  };
}
