import { asBefore, type EarlierPrompt, missedTokens } from '#analysis/cache/recorded.js';
import { count, shortCount } from '#base/words.js';
import { type Span, span, type Tone } from '../doc/doc.js';
import { type SessionIndex, pathOfEntry } from './known.js';
import { fitted, type Line, rule, widthOf } from './lines.js';
import { layout, selected, type ExplorerState } from './state.js';

const STEPS = ' ▁▂▃▄▅▆▇█';
const EIGHTH = 8;
const MOST_CELLS_OF_A_REQUEST = 3;

/** Draws the context size along the path as bars, with marks for cache misses and compactions below. */
export function stripLines(state: ExplorerState): readonly Line[] {
  const { bars, hasStripTitle } = layout(state);
  if (bars === 0) return [];
  const { columns: cells } = state.size;
  const room = cells - 2;
  const strip = stripOf(state.known, selected(state), room);
  const wide = Math.max(1, Math.min(MOST_CELLS_OF_A_REQUEST, Math.floor(room / Math.max(1, strip.columns.length))));
  const lines = Array.from({ length: bars }, (_, at) => barLine(strip, bars - at - 1, bars, wide));
  return [
    ...(hasStripTitle ? [rule(titleOf(strip, state), cells, state)] : []),
    ...[...lines, axisLine(strip, wide)].map((line) => fitted(line, cells, state.ruler)),
  ];
}

function titleOf({ requests, number, tokens }: Strip, { size: { columns }, ruler }: ExplorerState): Line {
  if (requests === 0) return [span('Context'), span(' no request yet', 'faint')];
  const much = tokens === 0 ? 'size not recorded' : shortCount(tokens);
  const title = [span('Context'), span(` ${much} at request ${count(number)} of ${count(requests)}`, 'faint')];
  const legend = [
    span('  '),
    span(FULL.cached, TONES.cached),
    span(' cached ', 'faint'),
    span(FULL.new, TONES.new),
    span(' new ', 'faint'),
    span(`${FULL.rebilled}!`, TONES.rebilled),
    span(' cache miss ', 'faint'),
    span('C', 'warning'),
    span(' compacted', 'faint'),
  ];
  const all = [...title, ...legend];
  return widthOf(all, ruler) + AROUND_TITLE <= columns ? all : title;
}

const AROUND_TITLE = 3;

type Kind = 'cached' | 'new' | 'rebilled';

const TONES: Readonly<Record<Kind, Tone>> = { cached: 'good', new: 'system', rebilled: 'error' };
/** A full cell of each kind, as in `ctx cache --chart`: they differ without colours, too. */
const FULL: Readonly<Record<Kind, string>> = { cached: '█', new: '▒', rebilled: '░' };

function barLine({ columns }: Strip, level: number, bars: number, wide: number): Line {
  const top = columns.reduce((most, { prompt }) => Math.max(most, prompt), 1);
  const spans = columns.map((column): Span => {
    const { prompt, cacheRead, isRebilled } = column;
    const eighths = prompt === 0 ? 0 : Math.max(1, Math.round((prompt / top) * bars * EIGHTH));
    const here = Math.max(0, Math.min(EIGHTH, eighths - level * EIGHTH));
    const isCached = (cacheRead / top) * bars >= level + here / EIGHTH / 2;
    const kind = isCached ? 'cached' : isRebilled ? 'rebilled' : 'new';
    return span((here === EIGHTH ? FULL[kind] : (STEPS[here] ?? ' ')).repeat(wide), TONES[kind]);
  });
  return [span(' '), ...joined(spans)];
}

function axisLine({ columns }: Strip, wide: number): Line {
  const spans = columns.map((column) => {
    const [sign, tone] = signOf(column);
    return span(sign + '─'.repeat(wide - 1), tone);
  });
  return [span(' '), ...joined(spans)];
}

function signOf({ isSelected, isCompacted, isRebilled }: Column): readonly [string, Tone] {
  if (isSelected) return ['▲', 'strong'];
  if (isCompacted) return ['C', 'warning'];
  return isRebilled ? ['!', TONES.rebilled] : ['─', 'faint'];
}

/** Joins neighbours of the same tone. */
function joined(spans: readonly Span[]): readonly Span[] {
  const pieces: Span[] = [];
  for (const { text, tone } of spans) {
    const last = pieces.at(-1);
    if (last?.tone === tone) pieces[pieces.length - 1] = span(last.text + text, tone);
    else pieces.push(span(text, tone));
  }
  return pieces;
}

/** One column of the strip: a few neighbouring requests of a path, with recorded tokens. */
interface Column {
  /** The tokens of the largest prompt. */
  readonly prompt: number;
  readonly cacheRead: number;
  /** One of the requests had a cache miss. */
  readonly isRebilled: boolean;
  /** The context was compacted before one of the requests. */
  readonly isCompacted: boolean;
  /** The column contains the selected entry. */
  readonly isSelected: boolean;
}

interface Strip {
  readonly columns: readonly Column[];
  readonly requests: number;
  /** The number of the last request at or before the selected entry, from 1; 0 if there is none. */
  readonly number: number;
  readonly tokens: number;
}

/** The requests of a path whose usage has been read so far. */
interface Requests {
  readonly path: Uint32Array;
  readonly version: number;
  readonly tip: number;
  readonly all: readonly Request[];
  /** The positions of the requests on the path. */
  readonly places: Uint32Array;
}

type Request = Omit<Column, 'isSelected'>;

/** The requests of the path shown last, which every key needs again. */
const made = new WeakMap<SessionIndex, Requests>();

/** Divides the requests of the path through an entry into up to `cells` columns. */
export function stripOf(known: SessionIndex, entry: number, cells: number): Strip {
  const { path, all, places } = requestsThrough(known, entry);
  const at = lastAtOrAbove(places, path.indexOf(entry));
  const size = Math.max(1, Math.ceil(all.length / Math.max(1, cells)));
  const columns: Column[] = [];
  for (let start = 0; start < all.length; start += size) {
    columns.push(columnOf(all, start, { size, isSelected: at >= start && at < start + size }));
  }
  return { columns, requests: all.length, number: at + 1, tokens: all[at]?.prompt ?? 0 };
}

function columnOf(
  all: readonly Request[],
  start: number,
  { size, isSelected }: { readonly size: number; readonly isSelected: boolean },
): Column {
  let [prompt, cacheRead, isRebilled, isCompacted] = [0, 0, false, false];
  for (let at = start; at < Math.min(all.length, start + size); at += 1) {
    const request = all[at];
    if (!request) continue;
    if (request.prompt > prompt) [prompt, cacheRead] = [request.prompt, request.cacheRead];
    isRebilled ||= request.isRebilled;
    isCompacted ||= request.isCompacted;
  }
  return { prompt, cacheRead, isRebilled, isCompacted, isSelected };
}

function lastAtOrAbove(places: Uint32Array, place: number): number {
  let low = 0;
  let high = places.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((places[middle] ?? 0) <= place) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function requestsThrough(known: SessionIndex, entry: number): Requests {
  const tip = known.active[entry] === 1 ? ACTIVE : (known.tips[entry] ?? ACTIVE);
  const before = made.get(known);
  const { version } = known.usages;
  if (before?.tip === tip && before.version === version) return before;
  const path = before?.tip === tip ? before.path : pathOfEntry(known, entry);
  const requests = { path, version, tip, ...requestsOn(known, path) };
  made.set(known, requests);
  return requests;
}

const ACTIVE = -1;

function requestsOn({ session, usages }: SessionIndex, path: Uint32Array): Pick<Requests, 'all' | 'places'> {
  const { heads } = session.tree;
  const all: Request[] = [];
  const places: number[] = [];
  let before: EarlierPrompt | null = null;
  let isCompacted = false;
  for (const [place, index] of path.entries()) {
    const type = heads.typeAt(index);
    // As Pi counts: what a compaction has changed is not billed again.
    if (type === 'compaction' || type === 'branch_summary') before = null;
    if (type === 'compaction') isCompacted = true;
    if (heads.roleAt(index) !== 'assistant') continue;
    const usage = usages.at(index);
    const isRebilled = usage !== null && missedTokens(before, usage) !== null;
    all.push({ prompt: usage?.promptTokens ?? 0, cacheRead: usage?.cacheRead ?? 0, isRebilled, isCompacted });
    places.push(place);
    if (usage) before = asBefore(usage, before);
    isCompacted = false;
  }
  return { all, places: Uint32Array.from(places) };
}
