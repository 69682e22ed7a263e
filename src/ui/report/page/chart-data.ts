import { rebilledBy } from '#analysis/cache/breaks.js';
import { count, plural, shortCount } from '#base/words.js';
import { eventsOf, type Mark, marksOf, titleOfEvent } from './events.js';
import { byGroup, GROUPS } from './groups.js';
import type { Store } from './store.js';
import { joined } from './words.js';

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
  readonly marks: readonly Mark[];
  /** The name, note and link of a position. */
  readonly place: (at: number) => { readonly name: string; readonly note: string; readonly link: string };
  /** The axis label of a position. */
  readonly tick: (at: number) => string;
}

/** The chart of the context size at each request of the path, by category. */
export function contextChart(store: Store): ChartData {
  const { requests } = store.data;
  const all = Array.from({ length: requests.onPath }, (_, at) => byGroup(store.categories, store.ledger(at)));
  const totals = all.map((groups) => groups.reduce((sum, each) => sum + each, 0));
  const events = eventsOf(store);
  const most = totals.reduce((max, each) => Math.max(max, each), 0);
  const layers = GROUPS.flatMap(({ name, title }, group) => {
    const values = all.map((groups) => groups[group] ?? 0);
    return values.some((value) => value > 0) ? [{ title, color: name, values }] : [];
  });
  return {
    title: 'Context size at each request, in tokens',
    description:
      `Stacked areas over ${plural(requests.onPath, 'request')}: up to ${count(most)} tokens, ` +
      `${count(totals.at(-1) ?? 0)} at the end, ${plural(events.length, 'change')} marked. Move the slider below to read the values.`,
    layers,
    marks: marksOf(events),
    place: (at) => {
      const changes = events.filter(({ request }) => request === at - 1);
      const names = changes.slice(0, 3).map(titleOfEvent);
      return placeOf(store, at, names.length === 0 ? '' : `Changed by: ${names.join(', ')}`);
    },
    tick: (at) => tickOf(store, at),
  };
}

/** The chart of cached, re-billed and new prompt tokens at each request. */
export function cacheChart(store: Store): ChartData {
  const { cache } = store.data;
  const breaks = new Map(cache.breaks);
  const values = cache.prompts.map((prompt, at) => {
    const [input, read, written] = cache.recorded[at] ?? [];
    const cached = read ?? Math.min(prompt, cache.prefixes[at] ?? 0);
    const uncached = (written ?? 0) + (input ?? prompt - cached);
    const broken = breaks.get(at);
    const again = Math.min(broken ? rebilledBy(broken) : 0, uncached);
    return { read: cached, again, fresh: uncached - again };
  });
  const layers = [
    { title: 'Cached', color: 'cached', values: values.map(({ read }) => read) },
    { title: 'Re-billed', color: 'again', values: values.map(({ again }) => again) },
    { title: 'New', color: 'fresh', values: values.map(({ fresh }) => fresh) },
  ] as const;
  const [read, again, fresh] = layers.map((layer) => shortCount(layer.values.reduce((sum, each) => sum + each, 0)));
  return {
    title: 'Prompt tokens of each request: cached, re-billed and new',
    description:
      `Stacked areas over ${plural(values.length, 'request')}: ${read} tokens read from the cache, ` +
      `${again} re-billed, ${fresh} new. Move the slider below to read the values.`,
    layers,
    marks: marksOf(eventsOf(store)),
    place: (at) => {
      const broken = breaks.get(at - 1);
      const isEmpty = layers.every((layer) => (layer.values[at - 1] ?? 0) === 0);
      const source = isEmpty ? 'not recorded' : cache.recorded[at - 1] ? '' : 'estimated';
      return placeOf(store, at, joined([broken ? `Cache break: ${broken.class}` : '', source], ', '));
    },
    tick: (at) => tickOf(store, at),
  };
}

/** The axis label of a request. The next request has no number yet. */
function tickOf({ data }: Store, at: number): string {
  return data.requests.entries[at - 1] === -1 ? 'next' : String(at);
}

function placeOf(store: Store, at: number, note: string): ReturnType<ChartData['place']> {
  const name = store.requestName(at - 1);
  return { name: name.charAt(0).toUpperCase() + name.slice(1), note, link: `#envelope=${at}` };
}
