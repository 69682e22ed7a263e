import { type ReactNode, useState } from 'react';
import type { ItemChange } from '#analysis/diff/list-diff.js';
import { buildTextPatch, readPatchLines } from '#analysis/reading/patch-lines.js';
import type { ReportMessage } from '#analysis/report/document.js';
import {
  blockTextOf,
  buildIdentityLookup,
  diffNumbers,
  type ReportRequest as Envelope,
} from '#analysis/report/report-reader.js';
import { storedTextOf } from '#analysis/report/stored-text.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { truncate } from '#base/text.js';
import { toVisible, toVisibleLine } from '#base/visible.js';
import { MessageDetail, MessageRow } from './details.js';
import { Disclosure } from './disclosure.js';
import { DrawingView } from './message-block.js';
import { RequestPicker } from './request-picker.js';
import { SplitList } from './split-list.js';
import { useStore } from './store-context.js';
import { TextBlock } from './text-block.js';
import type { ViewProps } from './view.js';

const SIGNS = { removed: '−', added: '+', changed: '~', moved: '↕' } as const;

/** The view of the differences between two requests. */
export function DiffView({ place: { target } }: ViewProps): ReactNode {
  const store = useStore();
  const { from, to } = readRange(target, store.data.requests.onPath - 1);
  return (
    <>
      <div className="controls">
        <RequestPicker label="From" value={from} onChange={(number) => go(number, to)} />
        <RequestPicker label="To" value={to} onChange={(number) => go(from, number)} />
        <button type="button" onClick={() => go(to, from)}>
          Swap
        </button>
      </div>
      <Compared key={`${from} ${to}`} one={store.envelope(from)} other={store.envelope(to)} />
    </>
  );
}

function go(from: number, to: number): void {
  location.hash = `#diff=${from + 1}..${to + 1}`;
}

/** The two requests of a link such as `3..4`; without a link, the last two of the path. */
function readRange(target: string | null, last: number): RequestRange {
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(target ?? '') ?? [];
  return from === undefined
    ? { from: Math.max(0, last - 1), to: last }
    : { from: Number(from) - 1, to: Number(to) - 1 };
}

interface RequestRange {
  readonly from: number;
  readonly to: number;
}

interface Pair {
  readonly one: Envelope;
  readonly other: Envelope;
}

function Compared({ one, other }: Pair): ReactNode {
  const { messages } = useStore().data;
  const before = [...one.messages, ...one.uncached];
  const after = [...other.messages, ...other.uncached];
  const [changes] = useState(() => diffNumbers(before, after, buildIdentityLookup(messages)));
  const [chosen, setChosen] = useState(0);
  return (
    <>
      <div className="envelope-head">
        <Head one={one} other={other} changes={changes} />
      </div>
      <SplitList
        label="Changed messages"
        items={changes}
        chosen={chosen}
        onChoose={setChosen}
        classOf={({ kind }) => kind}
        row={(change) => <Row change={change} />}
        detail={(change) => <ChangeDetail change={change} />}
      />
    </>
  );
}

/** The item after a change, or the one that was removed. */
function changedItem(change: ItemChange<number>): number {
  if (change.kind === 'removed') return change.before;
  return change.kind === 'moved' ? change.item : change.after;
}

function Row({ change }: { change: ItemChange<number> }): ReactNode {
  const store = useStore();
  const message = store.data.messages[changedItem(change)];
  return (
    <MessageRow message={message} tokens={store.sizes.scale(message?.tokens ?? 0)}>
      <span className="sign" aria-label={change.kind} role="img">
        {SIGNS[change.kind]}
      </span>
    </MessageRow>
  );
}

interface HeadProps extends Pair {
  readonly changes: readonly ItemChange<number>[];
}

function Head({ one, other, changes }: HeadProps): ReactNode {
  const store = useStore();
  const number = (wanted: ItemChange<number>['kind']): number => changes.filter(({ kind }) => kind === wanted).length;
  const same = other.messages.length + other.uncached.length - changes.length + number('removed');
  const counts = (['added', 'removed', 'changed', 'moved'] as const).flatMap((kind) =>
    kind === 'moved' && number(kind) === 0 ? [] : [`${formatCount(number(kind))} ${kind}`],
  );
  const settings = [
    { name: 'Model', before: one.model, after: other.model },
    { name: 'Thinking', before: one.level, after: other.level },
    { name: 'Options', before: one.preamble.options, after: other.preamble.options },
  ];
  return (
    <>
      <p>
        {`${pluralize(same, 'message')} kept, ${counts.join(', ')} · ` +
          `${store.tokensText(one.number)} → ${store.tokensText(other.number)} tokens`}
      </p>
      {settings
        .filter(({ before, after }) => before !== after)
        .map(({ name, before, after }) => (
          <p key={name}>
            {name}: <del>{toVisibleLine(before)}</del> → <ins>{toVisibleLine(after)}</ins>
          </p>
        ))}
      <PieceChanges title="System part" region="parts" one={one} other={other} />
      <PieceChanges title="Tool" region="tools" one={one} other={other} />
    </>
  );
}

interface PieceProps extends Pair {
  readonly title: string;
  readonly region: 'parts' | 'tools';
}

function PieceChanges({ title, region, one, other }: PieceProps): ReactNode {
  const all = useStore().data[region];
  const identity = (item: number): string | null => all[item]?.name ?? null;
  return diffNumbers(one.preamble[region], other.preamble[region], identity).map((change) => {
    const { kind } = change;
    const piece = all[changedItem(change)];
    const was = kind === 'changed' ? all[change.before] : undefined;
    if (!piece) return null;
    const { name, text } = piece;
    return (
      <Disclosure
        key={`${kind} ${name}`}
        isOpen
        className={`pieces ${kind}`}
        summary={`${title} ${toVisibleLine(name)} ${kind}`}
      >
        {() =>
          was ? <LineDiff before={storedTextOf(was.text)} after={storedTextOf(text)} /> : <TextBlock text={text} />
        }
      </Disclosure>
    );
  });
}

function ChangeDetail({ change }: { change: ItemChange<number> }): ReactNode {
  const store = useStore();
  const { messages } = store.data;
  const message = messages[changedItem(change)];
  const was = change.kind === 'changed' ? messages[change.before] : undefined;
  return (
    <MessageDetail message={message} tokens={store.sizes.scale(message?.tokens ?? 0)}>
      {message && was && <LineDiff before={formatMessage(was)} after={formatMessage(message)} />}
    </MessageDetail>
  );
}

const LONGEST_LINE = 20_000;

/** A line diff of two texts, with a few lines around each change. */
function LineDiff({ before, after }: { before: string; after: string }): ReactNode {
  const lines = buildTextPatch(toVisible(before), toVisible(after)).split('\n');
  const patch = lines.map((each) => truncate(each, LONGEST_LINE)).join('\n');
  return <DrawingView drawing={{ form: 'diff', lines: readPatchLines(patch) }} />;
}

function formatMessage({ blocks }: ReportMessage): string {
  return blocks.map((block) => (PLAIN.has(block.kind) ? '' : `[${block.kind}] `) + blockTextOf(block)).join('\n');
}

/** Blocks that are text without a name. */
const PLAIN: ReadonlySet<string> = new Set(['text', 'output', 'argument']);
