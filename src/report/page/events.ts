import { type Mark, MARKS } from './chart.js';
import type { Store } from './store.js';

/** An entry of the path that changed what was sent, with the request that it first showed in, from 0. */
export interface ContextEvent {
  readonly entry: number;
  readonly kind: Mark['color'];
  readonly request: number;
}

const KINDS: Readonly<Record<string, ContextEvent['kind']>> = {
  compaction: 'compaction',
  context_transform: 'transform',
  context_edit: 'edit',
};

export function eventsOf({ data, requestOf }: Store): readonly ContextEvent[] {
  const events: ContextEvent[] = [];
  let request = 0;
  for (const entry of data.entries.path) {
    const answered = requestOf.get(entry);
    if (answered !== undefined) request = answered + 1;
    const kind = KINDS[data.words[data.entries.names[entry] ?? 0] ?? ''];
    if (kind) events.push({ entry, kind, request });
  }
  return events;
}

export function titleOfEvent({ kind }: Pick<ContextEvent, 'kind'>): string {
  return MARKS.find(({ color }) => color === kind)?.title ?? kind;
}

export function marksOf(events: readonly ContextEvent[]): readonly Mark[] {
  return events.map(({ request, kind }) => ({ at: request + 1, color: kind }));
}
