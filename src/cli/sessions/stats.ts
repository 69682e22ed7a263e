import { countSession, countUsage, SharedEntries } from '#analysis/stats/count-session.js';
import { methodFor } from '#analysis/stats/path-tally.js';
import type { SessionStats, SessionUsage } from '#analysis/stats/session-stats.js';
import type { Period } from '#base/time.js';
import { priceList } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { TokenizerName } from '#context/tokenizers/index.js';
import { titleOf } from '#context/words/message-text.js';
import type { Files } from '#platform/io.js';
import { type OfFile, ofFile } from './named-files.js';

/** Sessions that derive from each other, parents first. Shared entries count for the first session that has them. */
export interface UsageInput {
  readonly files: readonly string[];
  /** The period whose recorded usage is counted; all without one. */
  readonly period?: Period | null;
}

export interface StatsInput extends UsageInput {
  readonly tokenizer: TokenizerName;
  readonly baseline: Baseline;
}

/** The counts of a file, or the reason why there are none. */
export type Counted<Stats> = OfFile<{ readonly stats: Stats }>;

export type StatsOf = Counted<SessionStats>;
export type UsageOf = Counted<SessionUsage>;

export function statsOfFamily(files: Files, { files: names, ...how }: StatsInput): Promise<readonly StatsOf[]> {
  return countEach(files, names, (session, shared) => statsOfSession(session, { ...how, shared }));
}

/** Counts the recorded usage alone, which is several times faster. */
export function usageOfFamily(files: Files, { files: names, period }: UsageInput): Promise<readonly UsageOf[]> {
  const prices = priceList();
  return countEach(files, names, (session, shared) => countUsage(session, shared, prices, period ?? null));
}

async function countEach<Stats>(
  files: Files,
  names: readonly string[],
  count: (session: OpenSession, shared: SharedEntries) => Stats | Promise<Stats>,
): Promise<readonly Counted<Stats>[]> {
  const shared = new SharedEntries();
  const all: Counted<Stats>[] = [];
  for (const [at, file] of names.entries()) {
    const counted = await ofFile(files, file, async (session) => {
      const stats = await count(session, shared);
      if (at < names.length - 1) shared.note(session);
      return { stats };
    });
    all.push(counted);
  }
  return all;
}

/** Counts one session. Throws a CtxError (input) if the session does not determine the tokenizer. */
export async function statsOfSession(
  session: OpenSession,
  { tokenizer, baseline, period, shared }: Omit<StatsInput, 'files'> & { readonly shared?: SharedEntries },
): Promise<SessionStats> {
  const method = await methodFor(session, { tokenizer, baseline });
  const title = titleOf(session);
  return countSession(session, {
    method,
    baseline,
    period: period ?? null,
    title,
    priceList: priceList(),
    ...(shared && { shared }),
  });
}
