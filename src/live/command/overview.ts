import { describeBreak } from '#analysis/cache/describe-break.js';
import type { CacheRequest } from '#analysis/cache/document.js';
import { reportCache } from '#analysis/cache/report-cache.js';
import { formatCount, formatPercent, formatShortCount } from '#base/numbers.js';
import { modeIn } from '#change/prune/policy.js';
import { findZoneStart, zoneOf, ZONES } from '#change/prune/zones.js';
import { findAssumedWindow } from '#context/models/registry.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { toOverview } from '#context/replay/overview.js';
import { isWindowKnown, toWindow } from '#context/size/window.js';
import { findSessionTitle } from '#context/words/session-title.js';
import { type Block, type Doc, gap, hangingLine, type Span, span } from '#ui/doc/doc.js';
import { chooseRenderer } from '#ui/doc/index.js';
import { loadColourStyle, plainStyle } from '#ui/doc/style.js';
import { renderEnvelopeSummary } from '#ui/parts/overview.js';
import { ZONE_TONES } from '#ui/parts/zone-tones.js';
import type { LiveBranch } from '../branch.js';
import { listNewestLosses } from '../figures.js';
import type { LivePolicy } from '../policy.js';
import { RUNNING_SESSION } from '../running-session.js';

export interface OverviewRequest {
  readonly branch: LiveBranch;
  readonly inForce: LivePolicy;
  /** The context window of Pi's model; null if it is unknown. */
  readonly limit: number | null;
  /** The line of the leaf in the file. */
  readonly line: number;
  readonly columns: number;
  readonly isTerminal: boolean;
}

/** The envelope as it is now, as text: tokens by part, the zone, the cache and its last break. */
export async function renderLiveOverview(request: OverviewRequest): Promise<string> {
  const doc = renderOverviewDoc(request);
  const view = { format: 'text', columns: request.columns, rows: Infinity, isTerminal: request.isTerminal };
  const style = request.isTerminal ? await loadColourStyle() : plainStyle;
  return chooseRenderer('text').render({ data: null, doc: () => doc }, view, style);
}

function renderOverviewDoc({ branch, inForce, limit, line }: OverviewRequest): Doc {
  const { session, path } = branch;
  const at = path.at(-1) ?? null;
  const configuredLimit = limit ?? undefined;
  const envelope = buildEnvelope(session, at, { configuredLimit, assumedWindow: findAssumedWindow });
  // The branch in memory has other lines than the file, which has other branches too.
  const shown = { ...envelope, session: { ...envelope.session, file: RUNNING_SESSION }, at: { ...envelope.at, line } };
  return [
    ...renderEnvelopeSummary(toOverview(shown), findSessionTitle(session), {
      rows: Infinity,
      where: [RUNNING_SESSION],
      file: RUNNING_SESSION,
    }),
    gap,
    ...renderZone(envelope, inForce),
    ...renderCache(branch),
    ...renderLosses(branch),
    gap,
    labelLine('more', '/ctx show, diff, cache, loss, grep, status, check; prune, compact, revert, apply'),
  ];
}

function renderZone({ meta }: ContextEnvelope, { policy }: LivePolicy): Doc {
  const window = toWindow(meta);
  if (!isWindowKnown(window))
    return [labelLine('zone', 'unknown, as the context window is: set "limit" in ctx.config.json')];
  const zone = zoneOf(meta.size.tokens, window.tokens, policy.thresholds);
  const next = ZONES[ZONES.indexOf(zone) + 1];
  const ahead =
    next === undefined
      ? ''
      : `; ${next} from ${formatShortCount(findZoneStart(next, window.tokens, policy.thresholds))} on`;
  const advice = { watch: '', prune: ': /ctx prune', compact: ': /ctx compact' }[modeIn(policy, zone)];
  return [labelLine('zone', span(zone, ZONE_TONES[zone]), `${advice}${ahead}`)];
}

function renderCache({ session, path }: LiveBranch): Doc {
  const { requests, summary } = reportCache({ session, path, baseline: {} });
  const { promptTokens, cacheRead, requestsRecorded } = summary;
  const share =
    requestsRecorded === 0
      ? 'not recorded: no provider reported what it read from a cache'
      : `${formatPercent(cacheRead, promptTokens)} of ${formatCount(promptTokens)} prompt tokens`;
  const cached = labelLine('cached', share);
  const broken = requests.findLast((request) => request.break !== null);
  return broken ? [cached, renderBreak(broken)] : [cached];
}

function renderLosses(branch: LiveBranch): Doc {
  const losses = listNewestLosses(branch);
  if (losses === null) return [];
  const { compaction, missing, isEncrypted } = losses;
  if (isEncrypted) return [labelLine('lost', `unknown: the summary of the compaction ${compaction} is encrypted`)];
  if (missing.length === 0) return [labelLine('lost', `nothing by the compaction ${compaction}`)];
  const counts = missing.map((one) => `${one.class} ${one.missing}`).join(', ');
  return [labelLine('lost', span(counts, 'warning'), ` by the compaction ${compaction}: /ctx loss`)];
}

function renderBreak(request: CacheRequest): Block {
  const { break: broken, request: number } = request;
  if (broken === null) return gap;
  return labelLine('break', `#${number} `, span(broken.class, 'warning'), `, ${describeBreak(request, broken)}`);
}

const LABEL = 9;

function labelLine(name: string, ...what: readonly (Span | string)[]): Block {
  return hangingLine(LABEL + 2, span(`  ${name.padEnd(LABEL)}`, 'faint'), ...what);
}
