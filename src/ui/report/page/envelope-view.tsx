import { type ReactNode, useState } from 'react';
import type { ReportPiece } from '#analysis/report/document.js';
import type { ReportRequest as Sent } from '#analysis/report/report-reader.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisible, toVisibleLine } from '#base/visible.js';
import { CompositionBar } from './composition-bar.js';
import { MessageDetail, MessageRow, PreviousDiffLink } from './details.js';
import { Disclosure } from './disclosure.js';
import { EntryLink } from './links.js';
import { RequestPicker } from './request-picker.js';
import { SplitList } from './split-list.js';
import { useStore } from './store-context.js';
import { TextBlock } from './text-block.js';
import type { ViewProps } from './view.js';

/** The view of the envelope of a request. */
export function EnvelopeView({ place: { target } }: ViewProps): ReactNode {
  const store = useStore();
  const number = target === null ? store.data.requests.onPath - 1 : Number(target) - 1;
  const envelope = store.envelope(number);
  return (
    <>
      <div className="controls">
        <RequestPicker label="Request" value={number} onChange={(to) => (location.hash = `#envelope=${to + 1}`)} />
      </div>
      <div className="envelope-head" key={`head ${number}`}>
        <Head envelope={envelope} />
      </div>
      <Messages key={number} envelope={envelope} />
    </>
  );
}

function Messages({ envelope: { number, messages, uncached } }: { envelope: Sent }): ReactNode {
  const store = useStore();
  const before = store.data.requests.before[number] ?? -1;
  const [{ shown, earlier, tokens }] = useState(() => {
    const all = [...messages, ...uncached];
    return {
      shown: all.map((message, at) => ({ message, at })),
      earlier: new Set(before === -1 ? all : store.envelope(before).messages),
      tokens: store.sizes.shares(number).messages,
    };
  });
  const [chosen, setChosen] = useState(shown.length - 1);
  const markOf = (each: number, at: number): string => {
    if (at >= messages.length) return 'this request only';
    return earlier.has(each) ? '' : 'new';
  };
  return (
    <SplitList
      label="Messages"
      items={shown}
      chosen={chosen}
      onChoose={setChosen}
      row={({ message, at }) => (
        <MessageRow message={store.data.messages[message]} tokens={tokens[at] ?? 0} mark={markOf(message, at)}>
          <span className="place">{formatCount(at + 1)}</span>
        </MessageRow>
      )}
      detail={({ message, at }) => <MessageDetail message={store.data.messages[message]} tokens={tokens[at] ?? 0} />}
    />
  );
}

function Head({ envelope }: { envelope: Sent }): ReactNode {
  const store = useStore();
  const { requests, parts, tools, isPreambleKnown } = store.data;
  const shares = store.sizes.shares(envelope.number);
  const { number, preamble, messages, uncached, model, level } = envelope;
  const entry = requests.entries[number] ?? -1;
  const isKnown = isPreambleKnown || preamble.parts.length + preamble.tools.length > 0;
  return (
    <>
      <p>
        {entry === -1 ? 'Next request' : 'Answered by '}
        {entry !== -1 && <EntryLink entry={entry} />}
        {` · ${toVisibleLine(model)} · thinking ${toVisibleLine(level)} · ${pluralize(messages.length + uncached.length, 'message')}`}
        <PreviousDiffLink number={number} />
      </p>
      <CompositionBar number={number} />
      {!isKnown && (
        <p className="quiet">
          This session does not record the system prompt and the tools. Pass --baseline to supply them.
        </p>
      )}
      <Pieces title="System prompt" own={preamble.parts.flatMap((part) => parts[part] ?? [])} tokens={shares.parts} />
      <Pieces title="Tools" own={preamble.tools.flatMap((tool) => tools[tool] ?? [])} tokens={shares.tools} />
      {preamble.options !== '{}' && (
        <p>
          Options <code>{toVisible(preamble.options)}</code>
        </p>
      )}
    </>
  );
}

interface PiecesProps {
  readonly title: string;
  readonly own: readonly ReportPiece[];
  /** The shares of the pieces in the size of the request, in tokens. */
  readonly tokens: readonly number[];
}

function Pieces({ title, own, tokens }: PiecesProps): ReactNode {
  if (own.length === 0) return null;
  const names = own.map(({ name }) => toVisibleLine(name)).join(', ');
  return (
    <Disclosure
      className="pieces"
      summary={
        <>
          {`${title}: ${names} `}
          <About tokens={sumBy(tokens, (each) => each)} />
        </>
      }
    >
      {() =>
        own.map(({ name, text }, at) => (
          <div key={at}>
            <h3>
              {toVisibleLine(name)} <About tokens={tokens[at] ?? 0} />
            </h3>
            <TextBlock text={text} />
          </div>
        ))
      }
    </Disclosure>
  );
}

function About({ tokens }: { tokens: number }): ReactNode {
  return <span className="quiet">{`about ${pluralize(tokens, 'token')}`}</span>;
}
