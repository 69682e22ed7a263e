import type { RunningFigures } from '#analysis/running/running-figures.js';
import { formatDollars } from '#base/dollars.js';
import { formatPercent, formatShortCount } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import type { ClientStatus } from './client-status.js';
import type { Spending } from './spending.js';

/** The values of a status line; null for unknown ones. */
export interface StatusValues {
  readonly client: ClientStatus;
  /** The sums of the session; null if not all of it was read. */
  readonly figures: RunningFigures | null;
  readonly context: RunningFigures['context'] | null;
  readonly spending: Spending | null;
  /** Tokens, as the user has set them. */
  readonly compactAt: number | null;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The line: `context 62% of 200k, compacts in 43k · cached 94% · miss 12m ago · $3.20 today`. */
export function describeStatus(values: StatusValues): string {
  const parts = [describeContext(values), describeCache(values), describeMiss(values), describeSpending(values)];
  return parts.filter((part) => part !== null).join(' · ');
}

function describeContext({ client, context, compactAt }: StatusValues): string | null {
  const tokens = client.context ?? context?.tokens ?? null;
  if (tokens === null) return null;
  const window = client.window ?? context?.window ?? null;
  const used =
    window === null
      ? `context ${formatShortCount(tokens)}`
      : `context ${formatPercent(tokens, window)} of ${formatShortCount(window)}`;
  const end = compactAt ?? context?.compactedAt ?? null;
  if (end === null) return used;
  return end > tokens ? `${used}, compacts in ${formatShortCount(end - tokens)}` : `${used}, compacts soon`;
}

function describeCache({ figures }: StatusValues): string | null {
  const { read = 0, sent = 0 } = figures?.cache ?? {};
  return sent === 0 ? null : `cached ${formatPercent(read, sent)}`;
}

/** The client states causes. The session records the tokens. */
function describeMiss({ client, figures, now }: StatusValues): string | null {
  const recorded = figures?.cache.lastMiss ?? null;
  const time = client.miss?.time ?? recorded?.time ?? Number.NaN;
  if (Number.isNaN(time)) return null;
  const causes = (client.miss?.causes ?? []).map((cause) => cause.replaceAll('_', ' ').slice(0, LONGEST_CAUSE));
  const isSame = recorded !== null && Math.abs(recorded.time - time) < SAME_MILLISECONDS;
  const tokens = isSame ? [`${formatShortCount(recorded.tokens)} tokens`] : [];
  const details = [...tokens, ...causes].join(', ');
  return toVisibleLine(`miss ${formatAge(now - time)} ago${details === '' ? '' : ` (${details})`}`);
}

const LONGEST_CAUSE = 24;
const SAME_MILLISECONDS = 120_000;

function formatAge(milliseconds: number): string {
  const minutes = Math.max(0, Math.floor(milliseconds / 60_000));
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours}h` : `${Math.floor(hours / 24)}d`;
}

function describeSpending({ spending }: StatusValues): string | null {
  if (spending === null || (!spending.isWhole && spending.cost === 0)) return null;
  const { cost, isListed, isWhole } = spending;
  return `${isWhole ? '' : 'at least '}${isListed ? '~' : ''}${formatDollars(cost)} today`;
}
