import { type ReactNode, useState } from 'react';
import type { ReportPiece } from '#analysis/report/document.js';
import { sumBy } from '#base/lists.js';
import { formatBytes, formatPercent, pluralize } from '#base/numbers.js';
import { type Option, Select } from './controls.js';
import { NameTag } from './links.js';
import { useStore } from './store-context.js';
import type { Store } from './store.js';
import { PageTable } from './table.js';

const MOST = 100;

interface Item {
  readonly entry: number;
  readonly name: string;
  readonly tokens: number;
  readonly text: () => string;
}

type Scope = 'context' | 'session';

const SCOPES: readonly Option<Scope>[] = [
  { value: 'context', title: 'Current context' },
  { value: 'session', title: 'All branches' },
];

/** The view of the largest messages, parts and tools. */
export function LargestView(): ReactNode {
  const store = useStore();
  const [scope, setScope] = useState<Scope>('context');
  const items = scope === 'context' ? listContextItems(store) : listSessionItems(store);
  const total = sumBy(items, ({ tokens }) => tokens);
  const { sizes } = store.data.entries;
  const hasSizes = sizes.some((size) => size !== null);
  const formatSize = (entry: number): string => (entry === -1 ? '' : formatBytes(sizes[entry] ?? 0));
  const sizeColumn = { title: 'Size', figure: ({ entry }: Item) => formatSize(entry) };
  return (
    <>
      <div className="controls">
        <Select label="Scope" options={SCOPES} value={scope} onChange={setScope} />
      </div>
      <PageTable
        caption={`${scope === 'context' ? 'Next request' : 'All branches'}: largest of ${pluralize(items.length, 'item')}`}
        columns={[
          { title: 'Tokens', figure: ({ tokens }) => tokens },
          { title: 'Share', figure: ({ tokens }) => formatPercent(tokens, total), bar: ({ tokens }) => tokens },
          { title: 'Kind', cell: ({ name }) => <NameTag name={name} /> },
          { title: 'Entry', entry: ({ entry }) => entry },
          ...(hasSizes ? [sizeColumn] : []),
          { title: 'Preview', text: ({ text }) => text() },
        ]}
        rows={items.toSorted((a, b) => b.tokens - a.tokens).slice(0, MOST)}
      />
    </>
  );
}

function listContextItems(store: Store): readonly Item[] {
  const { messages, parts, tools, requests } = store.data;
  const last = requests.onPath - 1;
  const { messages: list, preamble } = store.envelope(last);
  const shares = store.sizes.shares(last);
  return [
    ...preamble.parts.map((number, at) => toPieceItem('system', parts[number], shares.parts[at])),
    ...preamble.tools.map((number, at) => toPieceItem('tool', tools[number], shares.tools[at])),
    ...list.flatMap((number, at): readonly Item[] => {
      const message = messages[number];
      if (!message) return [];
      const { entry, preview } = message;
      return [{ entry, name: store.kindOf(message), tokens: shares.messages[at] ?? 0, text: () => preview }];
    }),
  ];
}

function toPieceItem(kind: string, piece: ReportPiece | undefined, tokens = 0): Item {
  return { entry: -1, name: kind, tokens, text: () => piece?.name ?? '' };
}

function listSessionItems(store: Store): readonly Item[] {
  return store.data.entries.tokens.map((tokens, entry) => {
    return { entry, name: store.name(entry), tokens: store.sizes.scale(tokens), text: () => store.preview(entry) };
  });
}
