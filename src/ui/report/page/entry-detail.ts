import type { ReportMessage } from '../data.js';
import { byteSize, type Child, count, el, plural, timeText, visible, visibleLine } from './dom.js';
import type { Store } from './store.js';
import { blockElement, textBlock } from './text.js';

/** The details of an entry. */
export function entryDetail(store: Store, entry: number): readonly Child[] {
  const { entries } = store.data;
  const message = store.message(entry);
  const json = store.json(entry);
  const label = store.labels.get(entry);
  const facts = [
    `line ${count(entries.lines[entry] ?? 0)}`,
    timeText(entries.times[entry] ?? null),
    byteSize(entries.sizes[entry] ?? 0),
    entries.tokens[entry] ? `about ${plural(entries.tokens[entry] ?? 0, 'token')}` : '',
    store.isOnPath[entry] === 1 ? '' : 'not on the path that this report shows',
  ];
  return [
    el(
      'header',
      { class: 'detail-head' },
      el('h3', {}, nameTag(store.name(entry)), ' ', el('a', { class: 'id', href: store.link(entry) }, store.id(entry))),
      el('p', { class: 'quiet' }, facts.filter((fact) => fact !== '').join(' · ')),
      label === undefined ? null : el('p', {}, el('span', { class: 'label' }, visibleLine(label))),
      requestLinks(store, entry),
    ),
    ...(message ? messageBlocks(message) : []),
    json === null ? null : textBlock(json),
  ];
}

/** The details of a sent message, which may differ from the stored one. */
export function messageDetail(store: Store, number: number): readonly Child[] {
  const message = store.data.messages[number];
  if (!message) return [];
  const { entry, origin, role, name, tokens } = message;
  return [
    el(
      'header',
      { class: 'detail-head' },
      el('h3', {}, nameTag(role), ' ', visibleLine(name)),
      el('p', { class: 'quiet' }, `about ${plural(tokens, 'token')} · ${ORIGINS[origin]} `, entryLink(store, entry)),
    ),
    ...messageBlocks(message),
  ];
}

const ORIGINS: Readonly<Record<ReportMessage['origin'], string>> = {
  entry: 'from',
  edit: 'changed by an edit, from',
  compaction: 'summary by',
  transform: 'added by',
  ephemeral: 'for this request only, logged by',
};

function messageBlocks({ blocks, failure, role }: ReportMessage): readonly Child[] {
  return [
    failure === '' ? null : el('p', { class: 'failure' }, visible(failure)),
    ...blocks.map((block) => blockElement(block, role)),
    blocks.length === 0 ? el('p', { class: 'empty' }, 'This message is empty.') : null,
  ];
}

export function nameTag(name: string): HTMLElement {
  return el('span', { class: `name ${CLASSES.get(name) ?? 'plain'}` }, name);
}

/** The CSS classes of entry names. */
const CLASSES: ReadonlyMap<string, string> = new Map([
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['toolResult', 'results'],
  ['system', 'system'],
  ['compaction', 'change'],
  ['branch_summary', 'change'],
  ['context_transform', 'change'],
  ['context_edit', 'change'],
  ['bashExecution', 'other'],
  ['custom_message', 'other'],
]);

export function entryLink(store: Store, entry: number): HTMLElement {
  return entry < 0 ? el('span', {}, 'no entry') : el('a', { class: 'id', href: store.link(entry) }, store.id(entry));
}

function requestLinks(store: Store, entry: number): Child {
  const number = store.requestOf.get(entry);
  if (number === undefined) return null;
  const before = store.data.requests.before[number] ?? -1;
  return el(
    'p',
    {},
    el('a', { href: `#request=${number + 1}` }, `Context at this entry (${store.requestName(number)})`),
    before === -1 ? null : ' · ',
    before === -1 ? null : el('a', { href: `#diff=${before + 1}..${number + 1}` }, 'Diff to the previous request'),
  );
}
