import { formatBreakClass } from '#analysis/cache/break-classes.js';
import type { IndexedSession } from '#analysis/report/document.js';
import type { ContextChange } from '#analysis/report/report-reader.js';
import { sumKnownCost } from '#analysis/stats/usage-sums.js';
import { sumBy, sumNumbers } from '#base/lists.js';
import { memoizeByObject } from '#base/memoize.js';
import { formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { truncate } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';
import { CONTENT_LOOKS, CONTEXT_CHANGES, PROMPT_PARTS } from '#ui/palette.js';
import type { Store } from './store.js';
import { capitalize, formatClockMinute, formatCost, joinParts } from './words.js';

interface Layer {
  readonly title: string;
  readonly color: string;
  readonly values: readonly number[];
}

export interface ChartData {
  readonly title: string;
  /** The description for screen readers. */
  readonly description: string;
  /** Lowest layer first. */
  readonly layers: readonly Layer[];
  /** The changes of the context between the requests. */
  readonly changes: readonly ContextChange[];
  /** The word for a position. */
  readonly unit: 'Request' | 'Session';
  readonly format?: (value: number) => string;
  /** The name, note and link of a position. */
  readonly place: (at: number) => {
    readonly name: string;
    readonly note: string;
    readonly link: string;
    readonly isEstimated: boolean;
  };
  /** The axis label of a position. */
  readonly tick: (at: number) => string;
}

/** The chart of the context size at each request of the path, by kind of content. */
export const buildContextChart = memoizeByObject((store: Store): ChartData => {
  const { requests } = store.data;
  const all = Array.from({ length: requests.onPath }, (_, at) => store.sizes.byKind(at));
  const totals = all.map(sumNumbers);
  const events = store.changes();
  const most = totals.reduce((max, each) => Math.max(max, each), 0);
  return buildRequestChart(store, {
    title: 'Context size at each request, in tokens',
    description:
      `Stacked areas over ${pluralize(requests.onPath, 'request')}: up to ${formatCount(most)} tokens, ` +
      `${store.tokensText(requests.onPath - 1)} at the end, ${pluralize(events.length, 'change')} marked. ${SLIDER}`,
    layers: buildLayers(all),
    noteAt: (request) => {
      const names = events.filter((event) => event.request === request).map(({ kind }) => CONTEXT_CHANGES[kind].title);
      return names.length === 0 ? '' : `Changed by: ${names.slice(0, 3).join(', ')}`;
    },
  });
});

/** The chart of cached, re-billed and new prompt tokens at each request. */
export const buildCacheChart = memoizeByObject((store: Store): ChartData => {
  const { cache } = store.data;
  const values = store.sizes.prompts();
  const layers = buildPromptLayers(values);
  const [read, again, fresh] = layers.map((layer) => formatShortCount(sumNumbers(layer.values)));
  return buildRequestChart(store, {
    title: 'Prompt tokens of each request: cached, re-billed and new',
    description:
      `Stacked areas over ${pluralize(values.length, 'request')}: ${read} tokens read from the cache, ` +
      `${again} re-billed, ${fresh} new. ${SLIDER}`,
    layers,
    noteAt: (request) => {
      const broken = store.breaks.get(request);
      const isEmpty = layers.every((layer) => (layer.values[request] ?? 0) === 0);
      const sourceOfTokens = cache.recorded[request] ? '' : 'estimated';
      const source = isEmpty ? 'not recorded' : sourceOfTokens;
      return joinParts([broken ? `Cache break: ${formatBreakClass(broken.class)}` : '', source], ', ');
    },
  });
});

const SLIDER = 'Move the slider below to read the values.';

interface RequestChart extends Pick<ChartData, 'title' | 'description' | 'layers'> {
  readonly noteAt: (request: number) => string;
}

/** A chart over the requests of the path, with the context changes between them. The next request has no number yet. */
function buildRequestChart(store: Store, { noteAt, ...chart }: RequestChart): ChartData {
  return {
    ...chart,
    unit: 'Request',
    changes: store.changes(),
    place: (at) => {
      return {
        name: capitalize(store.requestName(at - 1)),
        note: noteAt(at - 1),
        link: `#envelope=${at}`,
        isEstimated: store.sizes.isEstimated(at - 1),
      };
    },
    tick: (at) => (store.data.requests.entries[at - 1] === -1 ? 'next' : String(at)),
  };
}

/** The charts over the sessions of a site, the oldest first. */
export function buildSiteCharts(sessions: readonly IndexedSession[]): readonly ChartData[] {
  const shown = sessions.filter(({ figures }) => figures).toSorted((a, b) => startTime(a) - startTime(b));
  const contexts = shown.map(({ figures }) => figures?.context ?? []);
  const prompts = buildPromptLayers(shown.map(({ figures }) => figures?.prompts ?? []));
  const costs = [{ title: 'Cost', color: 'cost', values: shown.map(sumKnownCost) }];
  const chart = (title: string, layers: readonly Layer[], format = formatCount): ChartData => ({
    title,
    description: `${title}: stacked areas over ${pluralize(shown.length, 'session')}. ${SLIDER}`,
    layers,
    unit: 'Session',
    format,
    changes: [],
    place: (at) => {
      const session = shown[at - 1];
      const name = truncate(toVisibleLine(session?.title ?? ''), 60);
      return {
        name,
        note: session ? formatClockMinute(startTime(session)) : '',
        link: session?.page ?? '',
        isEstimated: false,
      };
    },
    tick: String,
  });
  return [
    chart('Cost of each session', costs, formatCost),
    chart('Prompt tokens of each session: cached, re-billed and new', prompts),
    chart('Context size at the end of each session, in tokens', buildLayers(contexts)),
  ].filter(({ layers }) => sumBy(layers, ({ values }) => sumNumbers(values)) > 0);
}

function startTime({ figures, modified }: IndexedSession): number {
  return figures?.first ?? modified;
}

/** The layers of a context at each position, from its tokens by kind of content. */
function buildLayers(all: readonly (readonly number[])[]): readonly Layer[] {
  return CONTENT_LOOKS.flatMap(({ name, title }, kind) => {
    const values = all.map((tokens) => tokens[kind] ?? 0);
    return values.some((value) => value > 0) ? [{ title: capitalize(title), color: name, values }] : [];
  });
}

/** The layers of prompts, from their cached, re-billed and new tokens. */
function buildPromptLayers(all: readonly (readonly number[])[]): readonly Layer[] {
  return Object.entries(PROMPT_PARTS).map(([color, { title }], at) => {
    return { title: capitalize(title), color, values: all.map((prompt) => prompt[at] ?? 0) };
  });
}
