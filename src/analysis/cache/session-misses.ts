import type { Session } from '#session/session.js';
import { SharedEntries } from '../stats/shared-entries.js';
import type { BreakClass } from './break-classes.js';
import type { CacheBreak, CacheRequest, RebilledCost } from './document.js';
import type { CacheReport } from './report-cache.js';

/** The cache use of one request, without anything that a message says. Plain data. */
export interface RequestMiss {
  /** UTC, as ISO 8601. */
  readonly time: string | null;
  readonly model: string;
  /** The version of the client; null if it is not recorded. */
  readonly version: string | null;
  readonly recorded: { readonly promptTokens: number; readonly cacheRead: number } | null;
  readonly idleMilliseconds: number | null;
  readonly retentionMinutes: number | null;
  readonly reportedReason: string | null;
  readonly break: BrokenCache | null;
}

interface BrokenCache extends RebilledCost, Pick<CacheBreak, 'rebilledTokens' | 'rebilledTokensEstimated'> {
  readonly class: BreakClass;
  readonly isFloor: boolean;
  /** The types of the entries between the requests. */
  readonly between: readonly string[];
}

/** The requests of one session, each counted for the first session that has it. */
export interface SessionMisses {
  readonly file: string;
  /** The name of the program, such as `claude-code`. */
  readonly agent: string;
  /** The working directory; null if it is not recorded. */
  readonly project: string | null;
  readonly requests: readonly RequestMiss[];
}

/** Reduces a report to the facts that many sessions are summed up by. `shared`: entries of sessions counted before. */
export function collectMisses(
  session: Session,
  { requests }: CacheReport,
  shared: SharedEntries = new SharedEntries(),
): SessionMisses {
  const { agent, file, header } = session;
  const copied = new Set(shared.listShared(session).map((index) => session.tree.heads.lineAt(index)));
  return {
    file,
    agent: agent?.name ?? 'pi',
    project: header.cwd,
    requests: requests
      .filter(({ line, unbilled }) => !unbilled && !copied.has(line))
      .map((request) => toMiss(request, agent?.versionAt?.(request.line) ?? agent?.version ?? null)),
  };
}

function toMiss(request: CacheRequest, version: string | null): RequestMiss {
  const { time, model, recorded, idleMilliseconds, retentionMinutes, providerReason, break: broken } = request;
  return {
    time,
    model,
    version,
    recorded: recorded && { promptTokens: recorded.promptTokens, cacheRead: recorded.cacheRead },
    idleMilliseconds,
    retentionMinutes,
    reportedReason: providerReason?.type ?? null,
    break: broken && {
      class: broken.class,
      isFloor: broken.isFloor,
      between: broken.between.map(({ type }) => type),
      rebilledTokens: broken.rebilledTokens,
      rebilledTokensEstimated: broken.rebilledTokensEstimated,
      rebilledCost: broken.rebilledCost,
      rebilledCostListed: broken.rebilledCostListed,
    },
  };
}
