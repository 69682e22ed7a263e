import type { ReportPiece } from '../data.js';
import { composition } from './colors.js';
import {
  type Child,
  count,
  el,
  fill,
  fillingView,
  type PageView,
  plural,
  shortCount,
  visible,
  visibleLine,
} from './dom.js';
import { entryLink, messageDetail, nameTag } from './entry-detail.js';
import { RequestPicker } from './request-picker.js';
import { Split } from './split.js';
import { type Envelope, previewOf, type Store } from './store.js';
import { textBlock } from './text.js';
import type { Row } from './virtual-list.js';

/** The view of the envelope of a request. */
export function envelopeView(store: Store): PageView {
  const { requests } = store.data;
  let shown: readonly number[] = [];
  let known: ReadonlySet<number> = new Set();
  let cached = 0;
  const picker = new RequestPicker(store, 'Request', (number) => {
    location.hash = `#request=${number + 1}`;
  });
  const above = el('div', { class: 'envelope-head' });
  const split = new Split({
    label: 'Messages',
    name: 'message',
    row(at) {
      const number = shown[at] ?? -1;
      return messageRow(store, {
        at,
        number,
        mark: at >= cached ? 'this request only' : known.has(number) ? '' : 'new',
      });
    },
    detail: (at) => messageDetail(store, shown[at] ?? -1),
  });
  const show = (number: number): void => {
    const envelope = store.envelope(number);
    picker.value = number;
    cached = envelope.messages.length;
    const before = requests.before[number] ?? -1;
    shown = [...envelope.messages, ...envelope.uncached];
    known = new Set(before === -1 ? shown : store.envelope(before).messages);
    fill(above, ...envelopeHead(store, envelope));
    split.show(shown.length);
    split.choose(shown.length - 1);
  };
  return {
    element: fillingView([picker.element], above, split.element),
    open(target) {
      const number = target === null ? requests.onPath - 1 : Number(target) - 1;
      if (Number.isInteger(number) && number >= 0 && number < requests.entries.length) show(number);
    },
  };
}

/** `at`: the position in the request; `number`: the message in the pool. */
function messageRow(store: Store, { at, number, mark }: { at: number; number: number; mark: string }): Row {
  const message = store.data.messages[number];
  if (!message) return { className: '', children: [] };
  const isChanged = message.origin === 'edit' || message.origin === 'transform';
  return {
    className: '',
    children: [
      el('span', { class: 'place' }, count(at + 1)),
      nameTag(message.role),
      mark !== '' && el('span', { class: 'label' }, mark),
      isChanged && el('span', { class: 'label' }, message.origin),
      el('span', { class: 'preview' }, previewOf(message)),
      el('span', { class: 'tokens' }, shortCount(message.tokens)),
    ],
  };
}

function envelopeHead(store: Store, envelope: Envelope): readonly Child[] {
  const { requests, parts, tools, isPreambleKnown } = store.data;
  const { number, preamble, messages, uncached, model, level } = envelope;
  const entry = requests.entries[number] ?? -1;
  const before = requests.before[number] ?? -1;
  const all = messages.length + uncached.length;
  return [
    el(
      'p',
      {},
      entry === -1 ? 'Next request' : 'Answered by ',
      entry === -1 ? null : entryLink(store, entry),
      ` · ${visibleLine(model)} · thinking ${visibleLine(level)} · ${plural(all, 'message')}`,
      before === -1 ? null : ' · ',
      before === -1 ? null : el('a', { href: `#diff=${before + 1}..${number + 1}` }, 'Diff to the previous request'),
    ),
    composition(store, number),
    isPreambleKnown || preamble.parts.length + preamble.tools.length > 0
      ? null
      : el(
          'p',
          { class: 'quiet' },
          'This session does not record the system prompt and the tools. Pass --baseline to supply them.',
        ),
    pieces('System prompt', preamble.parts, parts),
    pieces('Tools', preamble.tools, tools),
    preamble.options === '{}' ? null : el('p', {}, 'Options ', el('code', {}, visible(preamble.options))),
  ];
}

function pieces(title: string, numbers: readonly number[], all: readonly ReportPiece[]): Child {
  const own = numbers.flatMap((number) => all[number] ?? []);
  if (own.length === 0) return null;
  const tokens = own.reduce((sum, piece) => sum + piece.tokens, 0);
  const details = el(
    'details',
    { class: 'pieces' },
    el(
      'summary',
      {},
      `${title}: ${own.map(({ name }) => visibleLine(name)).join(', ')} `,
      el('span', { class: 'quiet' }, `about ${plural(tokens, 'token')}`),
    ),
  );
  // Built on demand, because most are never opened.
  details.addEventListener(
    'toggle',
    () => {
      for (const { name, text, tokens: its } of own)
        details.append(
          el('h3', {}, visibleLine(name), ' ', el('span', { class: 'quiet' }, `about ${plural(its, 'token')}`)),
          textBlock(text),
        );
    },
    { once: true },
  );
  return details;
}
