import { byGroup } from '../look.js';
import type { SessionFigures, SessionReport } from './data.js';
import { cacheChart, sumOf } from './page/chart-data.js';
import { Store } from './page/store.js';

/** The sums of a session, as the charts of its own page add up to them. */
export function figuresOf(data: SessionReport): SessionFigures {
  const store = new Store(data);
  return {
    first: data.first,
    context: byGroup(store.categories, store.ledger(data.requests.onPath - 1)),
    prompts: cacheChart(store).layers.map(({ values }) => sumOf(values)),
  };
}
