import { visibleLine } from '#base/visible.js';
import type { LinkTarget } from './parts.js';
import type { Store } from './store.js';

/** The views of a session, in the order of their tabs. */
export const VIEW_NAMES = [
  'overview',
  'conversation',
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
export interface OpenView {
  readonly name: ViewName;
  readonly places: Partial<Readonly<Record<ViewName, LinkTarget>>>;
  readonly note: string;
}

interface Link extends LinkTarget {
  readonly name: ViewName;
  readonly note: string;
}

/** Follows a link: `#cache`, `#conversation=ID`, `#envelope=3`, `#diff=3..4`, `#entry=ID`, `#line=7`. A view without a target stays as it was. */
export function follow(store: Store, { places }: Pick<OpenView, 'places'>, hash: string): OpenView {
  const { name, target, note } = linkIn(store, hash);
  const place = target === null ? places[name] : undefined;
  return { name, note, places: { ...places, [name]: place ?? { target } } };
}

function linkIn(store: Store, hash: string): Link {
  const [, name = '', value] = /^#([a-z]+)(?:=(.*))?$/s.exec(hash) ?? [];
  const isOfConversation = name === 'conversation';
  if (name === 'entry' || name === 'line' || (isOfConversation && value !== undefined)) {
    const wanted = decoded(value ?? '');
    const entry = name === 'line' ? store.data.entries.lines.indexOf(Number(wanted)) : (store.find(wanted) ?? -1);
    const isThere = entry !== -1 && (!isOfConversation || store.isOnPath[entry] === 1);
    return {
      name: isOfConversation ? name : 'entries',
      target: isThere ? String(entry) : null,
      note: isThere ? '' : `This ${isOfConversation ? name : 'session'} has no entry ${visibleLine(wanted)}.`,
    };
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
