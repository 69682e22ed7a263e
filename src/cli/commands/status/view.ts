import type { CacheState } from '#analysis/cache/cache-state.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import type { LargePart } from '#analysis/composition/largest.js';
import { formatDuration } from '#base/duration.js';
import { formatCount, formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import type { HistoryItem } from '#change/prune/history.js';
import { modeIn, type Policy, type PolicyMode } from '#change/prune/policy.js';
import type { Zone } from '#change/prune/zones.js';
import type { ContextEnvelope, ContextSize } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import {
  type ContextWindow,
  describeAssumedWindow,
  findWindowOverrun,
  type KnownWindow,
} from '#context/size/window.js';
import { describeUnseen } from '#context/words/describe-unseen.js';
import { describeWindowOverrun } from '#context/words/window-overrun.js';
import {
  type Block,
  cell,
  commandLine,
  type Doc,
  hangingLine,
  heading,
  listingRow,
  type Span,
  span,
} from '#ui/doc/doc.js';
import type { Tone } from '#ui/doc/tone.js';
import { renderCompositionCells, renderLargest } from '#ui/parts/composition-view.js';
import { describeSizeSource, formatSize } from '#ui/parts/size-words.js';

export const ZONE_TONES: Readonly<Record<Zone, Tone>> = {
  green: 'good',
  yellow: 'warning',
  red: 'error',
  compact: 'error',
};

/** The fill of a session's context, and what Pi and a policy do about it. */
export interface ContextStatus {
  readonly document: StatusDocument;
  readonly title: string;
  readonly window: ContextWindow;
  readonly size: ContextSize;
  readonly model: ContextEnvelope['meta']['model'];
  readonly unseen: ContextEnvelope['meta']['unseen'];
  readonly overview: EnvelopeOverview;
  /** The largest things in the context. */
  readonly largest: readonly LargePart[];
  /** The commands that look closer, whatever the zone. */
  readonly next: readonly string[];
  /** The agent and the file, where no name was given; else null. */
  readonly place: readonly Span[] | null;
  /** null if the context window is unknown. */
  readonly zoned: ZoneStatus | null;
  /** The packet that replaces the messages that a prune removed; null if there is none. */
  readonly packet: HistoryItem | null;
  /** The name of another agent, which wrote the session; null for Pi. */
  readonly agent: string | null;
  /** Whether commands write copies of the session that the agent resumes. */
  readonly hasCopies: boolean;
}

/** The place of a context among the zones of a policy. */
export interface ZoneStatus extends Pick<StatusDocument, 'next'> {
  readonly policy: Policy;
  readonly window: KnownWindow;
  readonly zone: Zone;
  readonly mode: PolicyMode;
  /** The turn whose end reached this zone; null if no turn has ended in it. */
  readonly since: number | null;
  readonly gate: NonNullable<StatusDocument['gate']>;
}

/** A command that makes the context smaller, as the user may type it. */
export interface Suggestion {
  readonly name: 'compact' | 'prune';
  readonly line: string;
}

/** A page. `suggestions`: the commands that find something to do; null where that is not known. */
export function renderStatus(status: ContextStatus, suggestions: readonly Suggestion[] | null): Doc {
  const { document, title, window, zoned, packet, agent, hasCopies, size, place } = status;
  const { pi, summaries } = document;
  const tries = suggestions ?? [];
  const above = findWindowOverrun(size, window);
  const summaryLines = [
    ...summaries.map(({ kind, tokens, ...at }) => renderSummary(at, `of a ${kind}`, tokens)),
    ...(packet ? [renderSummary(packet.from, 'of messages that a prune dropped', document.packet.tokens)] : []),
  ];
  return [
    heading(1, title),
    ...(place === null ? [] : [renderLabelled('Session', ...place)]),
    ...renderContext(status),
    ...(status.unseen ? [renderLabelled('Warning', span(describeUnseen(status.unseen), 'warning'))] : []),
    ...(above ? [renderLabelled('Warning', span(describeWindowOverrun(above), 'warning'))] : []),
    ...renderHolds(status),
    ...(zoned
      ? [renderZone(zoned), renderAdvice(zoned, suggestions)]
      : [renderLabelled('Window', describeUnknown(window))]),
    ...(pi ? [renderLabelled('Pi', describePi(pi, size.tokens))] : []),
    ...(document.cache ? [renderLabelled('Cache', describeCache(document.cache))] : []),
    ...summaryLines.map((spans, at) => renderLabelled(at === 0 ? 'Summary' : '', ...spans)),
    ...tries.map(({ line }, at) => renderCommand(at === 0 ? 'Try' : '', line)),
    ...(agent !== null && tries.length > 0 ? [renderLabelled('', describeWay(agent, hasCopies))] : []),
    ...(document.resume === null ? [] : [renderCommand('Resume', document.resume)]),
    ...chooseNext(tries, status.next).map((command, at) => renderCommand(at === 0 ? 'Next' : '', command)),
  ];
}

const LABEL = 9;
/** A row has a gap of two between its cells. */
const LABEL_CELLS = LABEL - 2;

function renderLabelled(name: string, ...what: readonly (Span | string)[]): Block {
  return hangingLine(name === '' ? 0 : LABEL, span(name.padEnd(LABEL), 'faint'), ...what);
}

const MOST_COMMANDS = 3;

/** Chooses the commands after those of the policy, so that nothing is suggested twice. */
function chooseNext(tries: readonly Suggestion[], next: readonly string[]): readonly string[] {
  const others = next.filter((command) => !tries.some(({ name }) => command.startsWith(`ctx ${name} `)));
  return others.slice(0, MOST_COMMANDS - tries.length);
}

/** A command is never wrapped: it could not be copied. */
function renderCommand(name: string, command: string): Block {
  return commandLine(name.padEnd(LABEL), command);
}

function renderContext({ window, size, model, zoned }: ContextStatus): Doc {
  const source = describeSizeSource(size, { model });
  if (!zoned)
    return [renderLabelled('Context', `${formatSize(size)} tokens`), renderLabelled('', span(source, 'faint'))];
  const { tokens } = zoned.window;
  const used = `${formatSize(size)} of ${pluralize(tokens, 'token')} (${formatPercent(size.tokens, tokens)})`;
  const assumed = describeAssumedWindow(window);
  return [
    renderLabelled('Context', `${used}  `, ...renderFill(size.tokens / tokens, ZONE_TONES[zoned.zone])),
    renderLabelled('', span(source, 'faint')),
    ...(assumed === ''
      ? []
      : [renderLabelled('Window', `${formatShortCount(tokens)}${assumed}; --limit sets another`)]),
  ];
}

/** Renders the contents of the context and the largest things in it. The numbers add up to its size. */
function renderHolds({ overview, largest }: ContextStatus): Doc {
  const rows = [...renderCompositionCells(overview, MOST_ROWS), ...renderLargest(overview, largest)];
  const widths = [0, 1, 2].map((at) => Math.max(...rows.map((cells) => cells[at]?.text.length ?? 0)));
  const [name = 0, tokens = 0, share = 0] = widths;
  return rows.map(([title, count, part, what], at) =>
    listingRow([
      cell(at === 0 ? 'Holds' : '', LABEL_CELLS, 'faint'),
      cell(title?.text ?? '', name, title?.tone),
      cell(count?.text ?? '', -tokens),
      cell(part?.text ?? '', -share, 'faint'),
      cell(what?.text ?? '', 0, what?.tone),
    ]),
  );
}

/** The rows of the composition, so that a status fits on a small screen. */
const MOST_ROWS = 6;
const BAR_CELLS = 30;

/** `share`: from 0 for empty to 1 for full. */
function renderFill(share: number, tone: Span['tone']): readonly Span[] {
  const full = Math.min(BAR_CELLS, Math.round(share * BAR_CELLS));
  return [span('█'.repeat(full), tone), span('░'.repeat(BAR_CELLS - full), 'faint')];
}

function renderZone({ zone, since, next, policy: { thresholds } }: ZoneStatus): Block {
  const formatThreshold = (of: Zone | undefined): string | null =>
    of === undefined || of === 'green' ? null : formatPercent(thresholds[of], 1);
  const begin = formatThreshold(zone);
  const end = formatThreshold(next[0]?.zone);
  const range = describeRange(begin, end);
  const reached = begin === null || since === null ? '' : `, since turn ${since}`;
  return renderLabelled('Zone', span(zone, ZONE_TONES[zone]), `: ${range} of the window${reached}`);
}

function describeRange(begin: string | null, end: string | null): string {
  if (begin === null) return `below ${end}`;
  return end === null ? `above ${begin}` : `${begin} to ${end}`;
}

/** The command for this zone, and those for the zones to come. */
function renderAdvice(
  { zone, mode, next: ahead, policy }: ZoneStatus,
  suggestions: readonly Suggestion[] | null,
): Block {
  const names = suggestions?.map(({ name }) => name) ?? [mode];
  const some =
    names.length === 0 ? 'nothing can be pruned or compacted' : `run ctx ${names.join(', or see whether ctx ')}`;
  const now = mode === 'watch' ? 'nothing to do' : `${some}${names.length > 1 ? ' saves enough' : ''}`;
  const later = ahead.flatMap((next, at) => {
    const own = modeIn(policy, next.zone);
    const before = modeIn(policy, ahead[at - 1]?.zone ?? zone);
    return own === before || own === 'watch' ? [] : [`above ${formatShortCount(next.begins)}: ctx ${own}`];
  });
  return renderLabelled('Advice', [now, ...later].join('; '));
}

/** How the session of another agent is changed, whose file no command changes. */
function describeWay(agent: string, hasCopies: boolean): string {
  if (hasCopies) return `with --install instead of --dry-run: a copy that ${agent} resumes`;
  return `after ctx convert, on a session of Pi: ctx does not write to sessions of ${agent}`;
}

function describeUnknown({ model }: ContextWindow): string {
  // Readers of other agents use `unknown` for a model that is not recorded.
  const isNamed = model !== null && !/(?:^|\/)unknown$/.test(model);
  const why = isNamed ? ` for the model "${model}"` : ', since the session names no model';
  return `unknown${why}; supply it with --limit, as in --limit 200k`;
}

/** Whether the next request still finds its prompt in the cache. */
function describeCache({
  retentionMinutes,
  retentionBasis,
  idleSeconds,
  aliveShare,
  isOtherModel,
}: CacheState): string {
  if (isOtherModel) return 'none of it: another model is asked next';
  const lifetime = describeLifetime(retentionMinutes, retentionBasis);
  if (idleSeconds === null) return `lifetime ${lifetime}; the time of its last use is unknown`;
  const left = retentionMinutes * 60 - idleSeconds;
  if (left > 0) return `expires in ${formatDuration(left)} (${lifetime})`;
  const rest = aliveShare > 0 ? `; ${formatPercent(aliveShare, 1)} of it is kept longer` : '';
  return `expired ${formatDuration(-left)} ago (${lifetime})${rest}`;
}

function renderSummary(
  { entryId, line }: Pick<StatusDocument['summaries'][number], 'entryId' | 'line'>,
  what: string,
  tokens: number,
): readonly (Span | string)[] {
  return [span(entryId ?? `line ${line}`, 'id'), ` ${what}, ~${pluralize(tokens, 'token')}`];
}

function describePi(
  { enabled, reserve, threshold, reason, answerCutOff, outputReserve, tokens }: NonNullable<StatusDocument['pi']>,
  now: number,
): string {
  if (!enabled) return 'does not compact by itself: its settings turn that off';
  if (threshold !== null && threshold <= 0)
    return `compacts before every prompt: it keeps ${pluralize(reserve, 'token')} free`;
  if (reason === 'overflow' && answerCutOff)
    return 'will compact before the next prompt: the last answer was cut off, for lack of room';
  if (reason === 'overflow' && outputReserve) {
    const { input, output, window } = outputReserve;
    const sizes = `${formatCount(input)} tokens and ${formatCount(output)} reserved for the answer exceed ${formatCount(window)}`;
    return `will compact before the next prompt: ${sizes}`;
  }
  if (reason === 'overflow') return 'will compact before the next prompt: the last request was too long';
  if (threshold === null) return `will compact when fewer than ${pluralize(reserve, 'token')} are free`;
  const above = `above ${pluralize(threshold, 'token')}`;
  if (reason === 'threshold') return `will compact before the next prompt: the context is ${above}`;
  if (tokens === null) return `will compact ${above}; it counts them with the next answer`;
  if (now > threshold) return `will compact after the next answer: the context is ${above}`;
  // Pi estimates what no provider has counted, each message by its characters.
  const own = tokens === now ? '' : `; it counts ${formatCount(tokens)}`;
  return `will compact in ${pluralize(threshold - tokens, 'token')}, ${above}${own}`;
}
