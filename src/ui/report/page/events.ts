import { CHANGES, type ChangeKind } from '../../look.js';
import type { Store } from './store.js';

/** A context change before a request. */
export interface ChartMark {
  /** The position on the axis. */
  readonly at: number;
  readonly color: ChangeKind;
}

/** An entry of the path that changed the context, with the first request after it, from 0. */
interface PageEvent {
  readonly entry: number;
  readonly kind: ChartMark['color'];
  readonly request: number;
}

/** The kinds by entry type. Types may have any name. */
const KINDS: ReadonlyMap<string, PageEvent['kind']> = new Map([
  ['compaction', 'compaction'],
  ['context_transform', 'transform'],
  ['context_edit', 'edit'],
]);

export function eventsOf({ data, requestOf }: Store): readonly PageEvent[] {
  const events: PageEvent[] = [];
  let request = 0;
  for (const entry of data.entries.path) {
    const answered = requestOf.get(entry);
    if (answered !== undefined) request = answered + 1;
    const kind = KINDS.get(data.words[data.entries.names[entry] ?? 0] ?? '');
    if (kind) events.push({ entry, kind, request });
  }
  return events;
}

export function titleOfEvent({ kind }: Pick<PageEvent, 'kind'>): string {
  return CHANGES[kind].title;
}

export function marksOf(events: readonly PageEvent[]): readonly ChartMark[] {
  return events.map(({ request, kind }) => ({ at: request + 1, color: kind }));
}
