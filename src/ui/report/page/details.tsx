import type { ReactNode } from 'react';
import type { ReportMessage } from '#analysis/report/document.js';
import { formatBytes, formatCount, formatShortCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { EntryLink, NameTag } from './links.js';
import { MessageBlock } from './message-block.js';
import { useStore } from './store-context.js';
import { TextBlock } from './text-block.js';
import { formatClockMinute, joinParts } from './words.js';

/** The details of an entry. */
export function EntryDetail({ entry }: { entry: number }): ReactNode {
  const store = useStore();
  const { entries } = store.data;
  const message = store.message(entry);
  const json = store.json(entry);
  const label = store.labels.get(entry);
  const size = entries.sizes[entry] ?? null;
  const facts = [
    `line ${formatCount(entries.lines[entry] ?? 0)}`,
    formatClockMinute(entries.times[entry] ?? null),
    size === null ? '' : formatBytes(size),
    entries.tokens[entry] ? `about ${pluralize(store.sizes.scale(entries.tokens[entry] ?? 0), 'token')}` : '',
    store.isOnPath[entry] === 1 ? '' : 'not on the path that this report shows',
  ];
  return (
    <>
      <header className="detail-head">
        <h3>
          <NameTag name={store.name(entry)} /> <EntryLink entry={entry} />
        </h3>
        <p className="quiet">{joinParts(facts)}</p>
        {label !== undefined && (
          <p>
            <span className="label">{toVisibleLine(label)}</span>
          </p>
        )}
        {store.isOnPath[entry] === 1 && <a href={store.link(entry, 'conversation')}>In the conversation</a>}
        <RequestLinks entry={entry} />
      </header>
      {message && <MessageBlocks message={message} />}
      {json !== null && <TextBlock text={json} />}
    </>
  );
}

interface MessageProps {
  readonly message: ReportMessage | undefined;
  /** The share of the message in the size of its request, in tokens. */
  readonly tokens: number;
  readonly children?: ReactNode;
}

/** A sent message, which may differ from the stored one. `children` replace its blocks. */
export function MessageDetail({ message, tokens, children }: MessageProps): ReactNode {
  if (!message) return null;
  const { entry, origin, transformer, role, name } = message;
  const source = transformer === undefined ? ORIGINS[origin] : `by ${toVisibleLine(transformer)},`;
  return (
    <>
      <header className="detail-head">
        <h3>
          <NameTag name={role} /> {toVisibleLine(name)}
        </h3>
        <p className="quiet">
          {`about ${pluralize(tokens, 'token')} · ${source} `}
          <EntryLink entry={entry} />
        </p>
      </header>
      {children ?? <MessageBlocks message={message} />}
    </>
  );
}

/** A message in a list. `children`: the sign of its place. */
export function MessageRow({
  message,
  tokens,
  mark = '',
  children,
}: MessageProps & { readonly mark?: string }): ReactNode {
  if (!message) return null;
  const { role, origin, transformer, preview } = message;
  const isChanged = origin === 'edit' || origin === 'transform';
  return (
    <>
      {children}
      <NameTag name={role} />
      {mark !== '' && <span className="label">{mark}</span>}
      {isChanged && <span className="label">{toVisibleLine(transformer ?? origin)}</span>}
      <span className="preview">{toVisibleLine(preview)}</span>
      <span className="tokens">{formatShortCount(tokens)}</span>
    </>
  );
}

const ORIGINS: Readonly<Record<ReportMessage['origin'], string>> = {
  entry: 'from',
  edit: 'changed by an edit, from',
  compaction: 'summary by',
  transform: 'added by',
  ephemeral: 'for this request only, logged by',
};

function MessageBlocks({ message: { blocks } }: { message: ReportMessage }): ReactNode {
  if (blocks.length === 0) return <p className="empty">This message is empty.</p>;
  return (
    <div className="blocks">
      {blocks.map((block, at) => (
        <MessageBlock key={at} block={block} />
      ))}
    </div>
  );
}

function RequestLinks({ entry }: { entry: number }): ReactNode {
  const store = useStore();
  const number = store.requestOf.get(entry);
  if (number === undefined) return null;
  return (
    <p>
      <a href={`#envelope=${number + 1}`}>{`Context at this entry (${store.requestName(number)})`}</a>
      <PreviousDiffLink number={number} />
    </p>
  );
}

/** A link to the changes since the previous request on the path of a request. */
export function PreviousDiffLink({ number }: { number: number }): ReactNode {
  const before = useStore().data.requests.before[number] ?? -1;
  if (before === -1) return null;
  return (
    <>
      {' · '}
      <a href={`#diff=${before + 1}..${number + 1}`}>Diff to the previous request</a>
    </>
  );
}
