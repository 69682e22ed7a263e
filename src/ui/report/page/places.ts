import { visibleLine } from '#base/visible.js';
import type { Place } from './parts.js';
import type { Store } from './store.js';

/** The views of a session, in the order of their tabs. */
export const VIEW_NAMES = [
  'overview',
  'context',
  'entries',
  'envelope',
  'diff',
  'cache',
  'compactions',
  'largest',
  'cost',
] as const;
export type ViewName = (typeof VIEW_NAMES)[number];

/** The open view, the place in each view that was open before, and a note about a link that leads nowhere. */
export interface Shown {
  readonly name: ViewName;
  readonly places: Partial<Readonly<Record<ViewName, Place>>>;
  readonly note: string;
}

interface Link extends Place {
  readonly name: ViewName;
  readonly note: string;
}

/** Follows a link: `#cache`, `#envelope=3`, `#diff=3..4`, `#entry=ID`, `#line=7`. A view without a target stays as it was. */
export function follow(store: Store, { places }: Pick<Shown, 'places'>, hash: string): Shown {
  const { name, target, note } = linkIn(store, hash);
  const place = target === null ? places[name] : undefined;
  return { name, note, places: { ...places, [name]: place ?? { target } } };
}

function linkIn(store: Store, hash: string): Link {
  const [, name = '', value] = /^#([a-z]+)(?:=(.*))?$/s.exec(hash) ?? [];
  if (name === 'entry' || name === 'line') {
    const wanted = decoded(value ?? '');
    const entry = name === 'entry' ? store.find(wanted) : store.data.entries.lines.indexOf(Number(wanted));
    return entry === null || entry === -1
      ? { name: 'entries', target: null, note: `This session has no entry ${visibleLine(wanted)}.` }
      : { name: 'entries', target: String(entry), note: '' };
  }
  const view = VIEW_NAMES.find((each) => each === name) ?? 'overview';
  const isMissing = value?.split('..').some((number) => !isRequest(store, Number(number)));
  return isMissing
    ? { name: view, target: null, note: `This session has no request ${visibleLine(value ?? '')}.` }
    : { name: view, target: value ?? null, note: '' };
}

function isRequest({ data: { requests } }: Store, number: number): boolean {
  return Number.isInteger(number) && number >= 1 && number <= requests.entries.length;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
