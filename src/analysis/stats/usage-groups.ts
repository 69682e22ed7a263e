import { sumBy } from '#base/lists.js';
import { formatTime } from '#base/time.js';
import type { CallGrouping } from './call-groups.js';
import type { StatsDocument, StatsGroups, StatsSession, StatsTool, UsageDocument } from './document.js';
import { groupUsage, toGroups } from './groups.js';
import type { SessionUsage } from './session-stats.js';
import { sumUsage, toUsageDocument, type UsageSums } from './usage-sums.js';

/** The values that groups of recorded usage show: a part of the document that needs no contents of entries. */
export interface UsageGroups {
  readonly sessions: readonly Pick<StatsSession, 'first' | 'last'>[];
  readonly unreadable: StatsDocument['unreadable'];
  readonly entries: number;
  readonly messages: SessionUsage['messages'] & { readonly toolCalls?: number };
  readonly usageRecorded: UsageDocument;
  /** Answers with a reported usage. */
  readonly answersRecorded: number;
  readonly tools?: StatsTool[];
  readonly shared: Pick<StatsDocument['shared'], 'entries' | 'usageRecorded'>;
  readonly groups: StatsGroups;
}

/** The recorded usage of many sessions in groups. */
export function buildUsageGroups(
  sessions: readonly SessionUsage[],
  unreadable: StatsDocument['unreadable'],
  how: CallGrouping,
): UsageGroups {
  const sum = (of: (session: SessionUsage) => number): number => sumBy(sessions, of);
  const recorded = (of: (session: SessionUsage) => UsageSums): UsageDocument =>
    toUsageDocument(sumUsage(sessions.map(of)));
  return {
    sessions: sessions.map(({ first, last }) => ({ first: formatTime(first), last: formatTime(last) })),
    unreadable,
    entries: sum(({ entries }) => entries),
    messages: { user: sum(({ messages }) => messages.user), assistant: sum(({ messages }) => messages.assistant) },
    usageRecorded: recorded(({ usage }) => usage),
    answersRecorded: sum(({ bySource }) => bySource.get('requests')?.calls ?? 0),
    shared: { entries: sum(({ shared }) => shared.entries), usageRecorded: recorded(({ shared }) => shared.usage) },
    groups: toGroups(groupUsage(sessions, how), how, sessions),
  };
}
