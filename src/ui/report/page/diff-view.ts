import type { ReportMessage, ReportPiece } from '../data.js';
import {
  button,
  type Child,
  count,
  el,
  fill,
  fillingView,
  type PageView,
  plural,
  shortCount,
  shortened,
  visible,
  visibleLine,
} from './dom.js';
import { messageDetail, nameTag } from './entry-detail.js';
import { aligned, changesBetween, type ListChange } from './lists.js';
import { RequestPicker } from './request-picker.js';
import { Split } from './split.js';
import { beginningOf, type Envelope, previewOf, type Store } from './store.js';
import { textBlock } from './text.js';
import type { Row } from './virtual-list.js';

const SIGNS = { removed: '−', added: '+', changed: '~' } as const;

/** The view of the differences between two requests. */
export function diffView(store: Store): PageView {
  let changes: readonly MessageChange[] = [];
  const before = new RequestPicker(store, 'From', (number) => go(number, after.value));
  const after: RequestPicker = new RequestPicker(store, 'To', (number) => go(before.value, number));
  const above = el('div', { class: 'envelope-head' });
  const split = new Split({
    label: 'Changed messages',
    name: 'change',
    row: (at) => changeRow(store, changes[at]),
    detail: (at) => changeDetail(store, changes[at]),
  });
  const show = (from: number, to: number): void => {
    before.value = from;
    after.value = to;
    const [one, other] = [store.envelope(from), store.envelope(to)];
    const listed = changesBetween(allOf(one), allOf(other));
    changes = paired(store.data.messages, listed);
    const same = listed.filter(({ kind }) => kind === 'same').length;
    fill(above, ...diffHead(store, [one, other], { changes, same }));
    split.show(changes.length);
    split.choose(0);
  };
  const swap = button('Swap', () => go(after.value, before.value));
  return {
    element: fillingView([before.element, after.element, swap], above, split.element),
    open(target) {
      const range = rangeIn(store, target);
      if (range) show(...range);
    },
  };
}

/** The two requests of a link such as `3..4`; without a link, the last two of the path. */
function rangeIn({ data: { requests } }: Store, target: string | null): [from: number, to: number] | null {
  const last = requests.onPath - 1;
  const [, from = Math.max(1, last), to = last + 1] = /^(\d+)\.\.(\d+)$/.exec(target ?? '')?.map(Number) ?? [];
  const isRequest = (number: number): boolean => number >= 1 && number <= requests.entries.length;
  return isRequest(from) && isRequest(to) ? [from - 1, to - 1] : null;
}

function changeRow({ data: { messages } }: Store, change: MessageChange | undefined): Row {
  const message = messages[change?.after ?? change?.before ?? -1];
  if (!change || !message) return { className: '', children: [] };
  return {
    className: change.kind,
    children: [
      el('span', { class: 'sign', 'aria-label': change.kind, role: 'img' }, SIGNS[change.kind]),
      nameTag(message.role),
      el('span', { class: 'preview' }, previewOf(message)),
      el('span', { class: 'tokens' }, shortCount(message.tokens)),
    ],
  };
}

function go(from: number, to: number): void {
  location.hash = `#diff=${from + 1}..${to + 1}`;
}

function allOf({ messages, uncached }: Envelope): readonly number[] {
  return [...messages, ...uncached];
}

interface Counted {
  readonly changes: readonly MessageChange[];
  readonly same: number;
}

function diffHead(
  store: Store,
  [one, other]: readonly [Envelope, Envelope],
  { changes, same }: Counted,
): readonly Child[] {
  const { parts, tools } = store.data;
  const sum = ({ number }: Envelope): number => store.tokens(number);
  const [from, to] = [sum(one), sum(other)];
  const number = (kind: MessageChange['kind']): number => changes.filter((change) => change.kind === kind).length;
  const settings = (
    [
      ['Model', one.model, other.model],
      ['Thinking', one.level, other.level],
      ['Options', one.preamble.options, other.preamble.options],
    ] as const
  ).filter(([, was, is]) => was !== is);
  return [
    el(
      'p',
      {},
      `${plural(same, 'message')} kept, ${count(number('added'))} added, ${count(number('removed'))} removed, ` +
        `${count(number('changed'))} changed · estimated tokens ${count(from)} → ${count(to)}`,
    ),
    ...settings.map(([name, was, is]) =>
      el('p', {}, `${name}: `, el('del', {}, visibleLine(was)), ' → ', el('ins', {}, visibleLine(is))),
    ),
    ...pieceChanges('System part', one.preamble.parts, other.preamble.parts, parts),
    ...pieceChanges('Tool', one.preamble.tools, other.preamble.tools, tools),
  ];
}

function pieceChanges(
  title: string,
  before: readonly number[],
  after: readonly number[],
  all: readonly ReportPiece[],
): readonly Child[] {
  const changes = changesBetween(before, after);
  const added = changes.filter(({ kind }) => kind === 'added').flatMap(({ message }) => all[message] ?? []);
  const removed = changes.filter(({ kind }) => kind === 'removed').flatMap(({ message }) => all[message] ?? []);
  const summary = (what: string, { name }: ReportPiece): HTMLElement =>
    el('summary', {}, `${title} ${visibleLine(name)} ${what}`);
  return [
    ...removed
      .filter(({ name }) => !isThere(added, name))
      .map((piece) => el('details', { class: 'pieces removed' }, summary('removed', piece), textBlock(piece.text))),
    ...added.map((piece) => {
      const was = removed.find(({ name }) => name === piece.name);
      return was
        ? el(
            'details',
            { class: 'pieces changed' },
            summary('changed', piece),
            lineDiff(beginningOf(was.text), beginningOf(piece.text)),
          )
        : el('details', { class: 'pieces added' }, summary('added', piece), textBlock(piece.text));
    }),
  ];
}

function isThere(list: readonly ReportPiece[], name: string): boolean {
  return list.some((piece) => piece.name === name);
}

function changeDetail(store: Store, change: MessageChange | undefined): readonly Child[] {
  if (!change) return [];
  const { messages } = store.data;
  const [was, is] = [messages[change.before ?? -1], messages[change.after ?? -1]];
  if (!was || !is) return messageDetail(store, change.after ?? change.before ?? -1);
  const [head] = messageDetail(store, change.after ?? -1);
  return [head ?? null, lineDiff(textOfMessage(was), textOfMessage(is))];
}

/** The maximum lines to compare. Longer texts are shown one after the other. */
const MOST_LINES = 20_000;
const AROUND = 3;
const LONGEST_LINE = 20_000;

interface Line {
  readonly kind: 'same' | 'removed' | 'added';
  readonly text: string;
}

/** A line diff of two texts, with a few lines of context. */
function lineDiff(before: string, after: string): HTMLElement {
  const lines = linesOf(before.split('\n'), after.split('\n'));
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  const shown = el('pre', { class: 'text diff' });
  for (const [at, { kind, text }] of lines.entries()) {
    if (isNear[at]) shown.append(lineElement(kind, text));
    else if (at === 0 || isNear[at - 1]) shown.append(el('span', { class: 'gap' }, '⋯\n'));
  }
  return shown;
}

function lineElement(kind: Line['kind'], text: string): HTMLElement {
  const content = visible(shortened(text, LONGEST_LINE));
  if (kind === 'same') return el('span', {}, `  ${content}\n`);
  return kind === 'removed' ? el('del', {}, `− ${content}\n`) : el('ins', {}, `+ ${content}\n`);
}

function linesOf(before: readonly string[], after: readonly string[]): readonly Line[] {
  const isTooLong = before.length + after.length > MOST_LINES;
  const common = isTooLong ? [] : aligned(before, after);
  const lines: Line[] = [];
  let [a, b] = [0, 0];
  for (const text of [...common, null]) {
    for (; a < before.length && before[a] !== text; a += 1) lines.push({ kind: 'removed', text: before[a] ?? '' });
    for (; b < after.length && after[b] !== text; b += 1) lines.push({ kind: 'added', text: after[b] ?? '' });
    if (text !== null) lines.push({ kind: 'same', text });
    a += 1;
    b += 1;
  }
  return lines;
}

/** A message that only one of two requests has, or that differs between them. */
interface MessageChange {
  readonly kind: 'removed' | 'added' | 'changed';
  readonly before: number | null;
  readonly after: number | null;
}

/** The changes in order. Two versions of the message of one entry are one change. */
export function paired(messages: readonly ReportMessage[], changes: readonly ListChange[]): readonly MessageChange[] {
  const keyOf = (number: number): string => {
    const { entry = -1, origin, role } = messages[number] ?? {};
    // A transform may add many messages, which cannot be told apart.
    return origin === 'transform' || origin === 'ephemeral' ? `${number}` : `entry ${entry} ${role}`;
  };
  const removed = new Map<string, number>();
  for (const { kind, message } of changes) if (kind === 'removed') removed.set(keyOf(message), message);
  const added = new Set(changes.flatMap(({ kind, message }) => (kind === 'added' ? keyOf(message) : [])));
  return changes.flatMap(({ kind, message }): readonly MessageChange[] => {
    const key = keyOf(message);
    if (kind === 'same' || (kind === 'removed' && added.has(key))) return [];
    if (kind === 'removed') return [{ kind, before: message, after: null }];
    const before = removed.get(key) ?? null;
    return [before === null ? { kind: 'added', before, after: message } : { kind: 'changed', before, after: message }];
  });
}

/** The whole message as one text. */
function textOfMessage({ blocks }: ReportMessage): string {
  return blocks
    .map(([kind, text, name = '']) => (kind === 'text' ? beginningOf(text) : `[${kind} ${name}]\n${beginningOf(text)}`))
    .join('\n');
}
