import { type CallGrouping, createGroupFinder, type FindGroup, needsCalls } from '#analysis/stats/call-groups.js';
import { countSession } from '#analysis/stats/count-session.js';
import { countUsage } from '#analysis/stats/count-usage.js';
import type { SessionStats, SessionUsage } from '#analysis/stats/session-stats.js';
import type { SharedEntries } from '#analysis/stats/shared-entries.js';
import { methodFor } from '#analysis/stats/token-method.js';
import type { Period } from '#base/time.js';
import { buildPriceList } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { Baseline } from '#context/replay/content.js';
import type { TokenizerName } from '#context/tokenizers/index.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Files } from '#platform/files/files.js';
import type { FileResult } from '../file-result.js';
import { countSubagentUsage, findSubagentFiles, findSubagentKind } from '../subagents.js';
import { readFamily } from './read-family.js';

/** Sessions that derive from each other, parents first. Shared entries count for the first session that has them. */
export interface UsageInput {
  readonly files: readonly string[];
  /** The period whose recorded usage is counted; all without one. */
  readonly period?: Period | null;
  /** How the calls are told apart, and the time zone of days. */
  readonly grouping?: CallGrouping | null;
}

export interface StatsInput extends UsageInput {
  readonly tokenizer: TokenizerName;
  readonly baseline: Baseline;
  /** Whether the usage of subagents that results record is counted. */
  readonly withSubagents?: boolean;
}

export interface StatsOptions extends Omit<StatsInput, 'files'> {
  /** Sessions that were counted before. */
  readonly shared?: SharedEntries;
  /** The usage of its subagents, which is part of the sums of a client. */
  readonly subagents?: readonly SessionUsage[];
  readonly findGroup?: FindGroup | null;
}

/** The counts of a file, or the reason why there are none. */
export type CountedFile<Stats> = FileResult<{ readonly stats: Stats }>;

export type StatsResult = CountedFile<SessionStats>;
export type UsageResult = CountedFile<SessionUsage>;

export function countFamilyStats(files: Files, { files: names, ...how }: StatsInput): Promise<readonly StatsResult[]> {
  return readFamily(files, names, async (session, shared) => {
    const stats = await statsOfSession(session, {
      ...how,
      shared,
      subagents: await countClientUsage(files, session),
      findGroup: prepareGroups(files, session, how),
      withSubagents: countsSubagentRuns(files, session, how),
    });
    return { stats };
  });
}

/** Counts the recorded usage alone, which is several times faster. */
export function countFamilyUsage(files: Files, { files: names, ...how }: UsageInput): Promise<readonly UsageResult[]> {
  const prices = buildPriceList();
  return readFamily(files, names, async (session, shared) => {
    const stats = countUsage(session, shared, prices, {
      period: how.period ?? null,
      timezone: how.grouping?.timezone ?? null,
      findGroup: prepareGroups(files, session, how),
      subagents: await countClientUsage(files, session),
    });
    return { stats };
  });
}

/** Tells the group of each call; null where the sums of sessions are enough. */
export function prepareGroups(
  files: Files,
  session: OpenSession,
  { grouping }: Pick<UsageInput, 'grouping'>,
): FindGroup | null {
  if (!grouping || !needsCalls(grouping.by)) return null;
  return createGroupFinder(session, findSubagentKind(files, session), grouping);
}

/** Counts one session. Throws a CtxError (input) if the session does not determine the tokenizer. */
export async function statsOfSession(
  session: OpenSession,
  { tokenizer, baseline, period, grouping, shared, subagents = [], withSubagents = false, findGroup }: StatsOptions,
): Promise<SessionStats> {
  const method = await methodFor(session, { tokenizer, baseline });
  const title = findSessionTitle(session);
  const how = {
    method,
    baseline,
    period: period ?? null,
    timezone: grouping?.timezone ?? null,
    findGroup: findGroup ?? null,
    title,
    subagents,
    withSubagents,
    priceList: buildPriceList(),
  };
  return countSession(session, shared ? { ...how, shared } : how);
}

/** Whether runs that results record are added: those with sessions of their own are counted there. */
export function countsSubagentRuns(
  files: Files,
  session: OpenSession,
  { withSubagents }: Omit<StatsInput, 'files'>,
): boolean {
  return withSubagents === true && findSubagentFiles(files, session).length === 0;
}

/** The usage of the subagents of a session whose client counts it too; none for any other, since it is not needed. */
export async function countClientUsage(files: Files, session: OpenSession): Promise<readonly SessionUsage[]> {
  return session.agent?.clientTotals ? countSubagentUsage(files, session) : [];
}
