import type { JsonObject } from '#base/json.js';
import type { PriceList } from '#context/models/prices.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { walkFile } from '#context/walk-file.js';
import type { Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { addClientUsage, startCoveredTally } from './client-usage.js';
import { EntryTally } from './entry-tally.js';
import { PathTally } from './path-tally.js';
import { readSessionBasics } from './session-basics.js';
import type { SessionCounts, SessionStats } from './session-stats.js';
import { SharedEntries } from './shared-entries.js';
import { sumBreakdown } from './token-breakdown.js';
import type { UsageCounts } from './usage-sums.js';
import type { UsageTallyOptions } from './usage-tally.js';

export interface CountOptions extends UsageTallyOptions {
  readonly method: TokenMethod;
  readonly baseline?: Baseline;
  /** Entries of sessions that were counted before. */
  readonly shared?: SharedEntries;
  readonly title: string;
  /** The usage of its subagents, which a client counts too. */
  readonly subagents?: readonly UsageCounts[];
  /** Whether the usage of subagents that results record is part of the sums. */
  readonly withSubagents?: boolean;
  /** The prices of calls without a recorded cost; without it they are unknown. */
  readonly priceList?: PriceList;
  /** Called with each entry when it is counted, so that it is parsed only once. */
  readonly onEntry?: (head: Head, entry: JsonObject) => void;
}

/** Counts a session: every entry is parsed once, and only those of the context are kept. */
export function countSession(session: OpenSession, options: CountOptions): SessionStats {
  const {
    method,
    baseline = {},
    shared = new SharedEntries(),
    title,
    priceList = () => null,
    period = null,
    timezone = null,
    findGroup = null,
    onEntry,
  } = options;
  const path = activePath(session.tree);
  const pathTally = new PathTally({ session, path, baseline, method });
  const own = new EntryTally(session, method, priceList, options);
  /** The entries that another session has too. */
  const elsewhere = new EntryTally(session, method, priceList, { period });
  /** The entries that the sums of a client include. */
  const covered = startCoveredTally(session, priceList, period);
  for (const { head, step, isRepeated } of walkFile(pathTally.walked)) {
    if (!isRepeated) {
      const entry = step?.entry ?? session.entry(head);
      const isShared = shared.has(session, head.index);
      if (isShared) elsewhere.take(head, entry);
      else own.take(head, entry);
      if (!isShared) covered?.take(head, entry);
      onEntry?.(head, entry);
    }
    if (step) pathTally.take(step);
  }

  const basics = readSessionBasics(session);
  return {
    ...basics,
    title,
    tokenizer: method.name,
    context: pathTally.measureContext(),
    preambleKnown: pathTally.isPreambleKnown,
    diagnostics: pathTally.diagnostics,
    ...readCounts(own),
    ...addClientUsage(own.usage.sums(), session, {
      covered,
      subagents: options.subagents,
      last: basics.last,
      timezone,
      findGroup,
      priceList,
    }),
    runs: own.runs.sums().usage,
    samples: pathTally.samples
      .filter(({ index }) => !shared.has(session, index))
      .map(({ recorded, estimated }) => ({ recorded, estimated })),
    shared: {
      entries: elsewhere.entries,
      tokens: sumBreakdown(elsewhere.breakdown),
      usage: elsewhere.usage.sums().usage,
    },
  };
}

function readCounts(tally: EntryTally): Omit<SessionCounts, 'samples' | 'shared'> {
  const { entries, messages, usage, breakdown, kinds, largest, toolTally } = tally;
  return {
    entries,
    messages: { ...messages },
    ...usage.sums(),
    ledger: breakdown,
    entryTypes: kinds,
    tools: toolTally.uses(),
    largest,
    repeats: toolTally.repeats(),
  };
}
