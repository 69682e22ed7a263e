import { rebilledBy } from '#analysis/cache/breaks.js';
import { Chart, eventsOf, marksOf, titleOfEvent } from './chart.js';
import { byGroup, GROUPS } from './colors.js';
import { count, plural, shortCount } from './dom.js';
import type { Store } from './store.js';

/** The chart of the context size at each request of the path, by category. */
export function contextChart(store: Store): Chart {
  const { requests } = store.data;
  const all = Array.from({ length: requests.onPath }, (_, at) => byGroup(store.categories, store.ledger(at)));
  const totals = all.map((groups) => groups.reduce((sum, each) => sum + each, 0));
  const events = eventsOf(store);
  const most = totals.reduce((max, each) => Math.max(max, each), 0);
  const layers = GROUPS.flatMap(({ name, title }, group) => {
    const values = all.map((groups) => groups[group] ?? 0);
    return values.some((value) => value > 0) ? [{ title, color: name, values }] : [];
  });
  const notes = new Map<number, string[]>();
  for (const event of events) {
    const known = notes.get(event.request);
    if (known) known.push(titleOfEvent(event));
    else notes.set(event.request, [titleOfEvent(event)]);
  }
  return new Chart({
    title: 'Context size at each request, in tokens',
    description:
      `Stacked areas over ${plural(requests.onPath, 'request')}: up to ${count(most)} tokens, ` +
      `${count(totals.at(-1) ?? 0)} at the end, ${plural(events.length, 'change')} marked. Move the slider below to read the values.`,
    layers,
    marks: marksOf(events),
    place: (at) => {
      const changes = (notes.get(at - 1) ?? []).slice(0, 3);
      return placeOf(store, at, changes.length === 0 ? '' : `Changed by: ${changes.join(', ')}`);
    },
    tick: (at) => tickOf(store, at),
  });
}

/** The chart of cached, re-billed and new prompt tokens at each request. */
export function cacheChart(store: Store): Chart {
  const { cache } = store.data;
  const breaks = new Map(cache.breaks);
  const number = (at: number, field: 0 | 1 | 2): number | null => {
    const recorded = cache.recorded[at];
    return recorded ? recorded[field] : null;
  };
  const values = cache.prompts.map((prompt, at) => {
    const read = number(at, 1) ?? Math.min(prompt, cache.prefixes[at] ?? 0);
    const written = number(at, 2) ?? 0;
    const input = number(at, 0) ?? prompt - read;
    const broken = breaks.get(at);
    const again = Math.min(broken ? rebilledBy(broken) : 0, written + input);
    return { read, again, fresh: written + input - again };
  });
  const sum = (field: 'read' | 'again' | 'fresh'): number => values.reduce((all, value) => all + value[field], 0);
  return new Chart({
    title: 'Prompt tokens of each request: cached, re-billed and new',
    description:
      `Stacked areas over ${plural(values.length, 'request')}: ${shortCount(sum('read'))} tokens read from the cache, ` +
      `${shortCount(sum('again'))} re-billed, ${shortCount(sum('fresh'))} new. Move the slider below to read the values.`,
    layers: [
      { title: 'Cached', color: 'cached', values: values.map(({ read }) => read) },
      { title: 'Re-billed', color: 'again', values: values.map(({ again }) => again) },
      { title: 'New', color: 'fresh', values: values.map(({ fresh }) => fresh) },
    ],
    marks: marksOf(eventsOf(store)),
    place: (at) => {
      const broken = breaks.get(at - 1);
      const isEmpty = (values[at - 1]?.read ?? 0) + (values[at - 1]?.again ?? 0) + (values[at - 1]?.fresh ?? 0) === 0;
      const source = isEmpty ? 'not recorded' : cache.recorded[at - 1] ? '' : 'estimated';
      return placeOf(
        store,
        at,
        [broken ? `Cache break: ${broken.class}` : '', source].filter((part) => part !== '').join(', '),
      );
    },
    tick: (at) => tickOf(store, at),
  });
}

/** The axis label of a request. The next request has no number yet. */
function tickOf({ data }: Store, at: number): string {
  return data.requests.entries[at - 1] === -1 ? 'next' : String(at);
}

function placeOf(store: Store, at: number, note: string): { name: string; note: string; link: string } {
  const name = store.requestName(at - 1);
  return { name: name.charAt(0).toUpperCase() + name.slice(1), note, link: `#request=${at}` };
}
