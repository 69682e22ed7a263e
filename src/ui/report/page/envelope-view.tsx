import { type ReactNode, useState } from 'react';
import type { ReportPiece } from '#analysis/report/document.js';
import type { SentEnvelope as Sent } from '#analysis/report/reader.js';
import { sumOf } from '#base/lists.js';
import { visible, visibleLine } from '#base/visible.js';
import { count, plural } from '#base/words.js';
import { RequestPicker } from './controls.js';
import { Composition, MessageDetail, MessageRow, PreviousDiff } from './details.js';
import { Split } from './list.js';
import { EntryLink, Fold, useStore, type ViewProps } from './parts.js';
import { TextBlock } from './text.js';

/** The view of the envelope of a request. */
export function Envelope({ place: { target } }: ViewProps): ReactNode {
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
  const [[shown, known]] = useState(() => {
    const all = [...messages, ...uncached];
    return [all, new Set(before === -1 ? all : store.envelope(before).messages)] as const;
  });
  const [chosen, setChosen] = useState(shown.length - 1);
  const markOf = (each: number, at: number): string =>
    at >= messages.length ? 'this request only' : known.has(each) ? '' : 'new';
  return (
    <Split
      label="Messages"
      items={shown}
      chosen={chosen}
      onChoose={setChosen}
      row={(each, at) => (
        <MessageRow message={store.data.messages[each]} mark={markOf(each, at)}>
          <span className="place">{count(at + 1)}</span>
        </MessageRow>
      )}
      detail={(each) => <MessageDetail message={store.data.messages[each]} />}
    />
  );
}

function Head({ envelope }: { envelope: Sent }): ReactNode {
  const { requests, parts, tools, isPreambleKnown } = useStore().data;
  const { number, preamble, messages, uncached, model, level } = envelope;
  const entry = requests.entries[number] ?? -1;
  const isKnown = isPreambleKnown || preamble.parts.length + preamble.tools.length > 0;
  return (
    <>
      <p>
        {entry === -1 ? 'Next request' : 'Answered by '}
        {entry !== -1 && <EntryLink entry={entry} />}
        {` · ${visibleLine(model)} · thinking ${visibleLine(level)} · ${plural(messages.length + uncached.length, 'message')}`}
        <PreviousDiff number={number} />
      </p>
      <Composition number={number} />
      {!isKnown && (
        <p className="quiet">
          This session does not record the system prompt and the tools. Pass --baseline to supply them.
        </p>
      )}
      <Pieces title="System prompt" own={preamble.parts.flatMap((part) => parts[part] ?? [])} />
      <Pieces title="Tools" own={preamble.tools.flatMap((tool) => tools[tool] ?? [])} />
      {preamble.options !== '{}' && (
        <p>
          Options <code>{visible(preamble.options)}</code>
        </p>
      )}
    </>
  );
}

function Pieces({ title, own }: { title: string; own: readonly ReportPiece[] }): ReactNode {
  if (own.length === 0) return null;
  const names = own.map(({ name }) => visibleLine(name)).join(', ');
  return (
    <Fold
      className="pieces"
      summary={
        <>
          {`${title}: ${names} `}
          <About tokens={sumOf(own, ({ tokens }) => tokens)} />
        </>
      }
    >
      {() =>
        own.map(({ name, text, tokens }, at) => (
          <div key={at}>
            <h3>
              {visibleLine(name)} <About tokens={tokens} />
            </h3>
            <TextBlock text={text} />
          </div>
        ))
      }
    </Fold>
  );
}

function About({ tokens }: { tokens: number }): ReactNode {
  return <span className="quiet">{`about ${plural(tokens, 'token')}`}</span>;
}
