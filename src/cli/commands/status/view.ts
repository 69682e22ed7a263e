import type { CacheState } from '#analysis/cache/cache-state.js';
import { describeLifetime } from '#analysis/cache/lifetime.js';
import { formatDuration } from '#base/duration.js';
import { formatPercent, formatShortCount, pluralize } from '#base/numbers.js';
import type { StatusDocument } from '#change/prune/gate/status-document.js';
import { modeIn } from '#change/prune/policy.js';
import type { Zone } from '#change/prune/zones.js';
import { type ContextWindow, describeAssumedWindow, findWindowOverrun } from '#context/size/window.js';
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
import { renderCompositionCells, renderLargest } from '#ui/parts/composition-view.js';
import { describeSizeSource, formatSize } from '#ui/parts/size-words.js';
import { ZONE_TONES } from '#ui/parts/zone-tones.js';
import type { ContextStatus, Suggestion, ZoneStatus } from './context-status.js';
import { describePi } from './describe-pi.js';

/** A page. `suggestions`: the commands that find something to do; null where that is not known. */
export function renderStatus(status: ContextStatus, suggestions: readonly Suggestion[] | null): Doc {
  const { document, window, zoned, agent, place } = status;
  const { pi, cache, resume } = document;
  const tries = suggestions ?? [];
  const blocks: Block[] = [heading(1, status.title)];
  if (place !== null) blocks.push(renderLabelled('Session', ...place));
  blocks.push(...renderContext(status));
  for (const warning of listWarnings(status)) blocks.push(renderLabelled('Warning', span(warning, 'warning')));
  blocks.push(...renderHolds(status));
  if (zoned) blocks.push(renderZone(zoned), renderAdvice(zoned, suggestions));
  else blocks.push(renderLabelled('Window', describeUnknown(window)));
  if (pi) blocks.push(renderLabelled('Pi', describePi(pi, status.size.tokens)));
  if (cache) blocks.push(renderLabelled('Cache', describeCache(cache)));
  blocks.push(...renderSummaries(status));
  for (const [at, { line }] of tries.entries()) blocks.push(renderCommand(at === 0 ? 'Try' : '', line));
  if (agent !== null && tries.length > 0) blocks.push(renderLabelled('', describeWay(agent, status.hasCopies)));
  if (resume !== null) blocks.push(renderCommand('Resume', resume));
  for (const [at, command] of chooseNext(tries, status.next).entries())
    blocks.push(renderCommand(at === 0 ? 'Next' : '', command));
  return blocks;
}

function listWarnings({ unseen, size, window }: ContextStatus): readonly string[] {
  const warnings: string[] = [];
  if (unseen) warnings.push(describeUnseen(unseen));
  const overrun = findWindowOverrun(size, window);
  if (overrun) warnings.push(describeWindowOverrun(overrun));
  return warnings;
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
  const source = renderLabelled('', span(describeSizeSource(size, { model }), 'faint'));
  if (!zoned) return [renderLabelled('Context', `${formatSize(size)} tokens`), source];
  const { tokens } = zoned.window;
  const used = `${formatSize(size)} of ${pluralize(tokens, 'token')} (${formatPercent(size.tokens, tokens)})`;
  const fill = renderFill(size.tokens / tokens, ZONE_TONES[zoned.zone]);
  const context = [renderLabelled('Context', `${used}  `, ...fill), source];
  const assumed = describeAssumedWindow(window);
  if (assumed === '') return context;
  return [...context, renderLabelled('Window', `${formatShortCount(tokens)}${assumed}; --limit sets another`)];
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
  const formatThreshold = (reached: Zone | undefined): string | null =>
    reached === undefined || reached === 'green' ? null : formatPercent(thresholds[reached], 1);
  const begin = formatThreshold(zone);
  const end = formatThreshold(next[0]?.zone);
  const range = describeRange(begin, end);
  const sinceTurn = begin === null || since === null ? '' : `, since turn ${since}`;
  return renderLabelled('Zone', span(zone, ZONE_TONES[zone]), `: ${range} of the window${sinceTurn}`);
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

/** The way to change the session of another agent, whose file no command changes. */
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

function renderSummaries({ document, packet }: ContextStatus): Doc {
  const rows = document.summaries.map(({ kind, tokens, ...at }) => renderSummary(at, `of a ${kind}`, tokens));
  if (packet) rows.push(renderSummary(packet.from, 'of messages that a prune dropped', document.packet.tokens));
  return rows.map((spans, at) => renderLabelled(at === 0 ? 'Summary' : '', ...spans));
}

function renderSummary(
  { entryId, line }: Pick<StatusDocument['summaries'][number], 'entryId' | 'line'>,
  what: string,
  tokens: number,
): readonly (Span | string)[] {
  return [span(entryId ?? `line ${line}`, 'id'), ` ${what}, ~${pluralize(tokens, 'token')}`];
}
