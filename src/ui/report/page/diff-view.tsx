import { memo, type ReactNode, useState } from 'react';
import { visible, visibleLine } from '#base/visible.js';
import { count, plural, shortCount } from '#base/words.js';
import type { ReportMessage, ReportPiece } from '../data.js';
import { RequestPicker } from './controls.js';
import { MessageHead } from './details.js';
import { MessageDetail } from './envelope-view.js';
import { Split } from './list.js';
import { changesBetween, lineChanges, type MessageChange, paired } from './lists.js';
import { Fold, NameTag, useStore, type ViewProps } from './parts.js';
import { beginningOf, type Envelope, previewOf } from './store.js';
import { TextBlock } from './text.js';
import { shortened } from './words.js';

const SIGNS = { removed: '−', added: '+', changed: '~' } as const;

/** The view of the differences between two requests. */
export const Diff = memo(function Diff({ place: { target } }: ViewProps): ReactNode {
  const store = useStore();
  const [from, to] = rangeIn(target, store.data.requests.onPath - 1);
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
});

function go(from: number, to: number): void {
  location.hash = `#diff=${from + 1}..${to + 1}`;
}

/** The two requests of a link such as `3..4`; without a link, the last two of the path. */
function rangeIn(target: string | null, last: number): readonly [from: number, to: number] {
  const [, from, to] = /^(\d+)\.\.(\d+)$/.exec(target ?? '') ?? [];
  return from === undefined ? [Math.max(0, last - 1), last] : [Number(from) - 1, Number(to) - 1];
}

interface Pair {
  readonly one: Envelope;
  readonly other: Envelope;
}

function Compared({ one, other }: Pair): ReactNode {
  const { messages } = useStore().data;
  const [{ listed, changes }] = useState(() => {
    const all = changesBetween([...one.messages, ...one.uncached], [...other.messages, ...other.uncached]);
    return { listed: all, changes: paired(messages, all) };
  });
  const [chosen, setChosen] = useState(0);
  const same = listed.filter(({ kind }) => kind === 'same').length;
  return (
    <>
      <div className="envelope-head">
        <Head one={one} other={other} changes={changes} same={same} />
      </div>
      <Split
        label="Changed messages"
        name="change"
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

function Row({ change }: { change: MessageChange }): ReactNode {
  const message = useStore().data.messages[change.after ?? change.before ?? -1];
  if (!message) return null;
  return (
    <>
      <span className="sign" aria-label={change.kind} role="img">
        {SIGNS[change.kind]}
      </span>
      <NameTag name={message.role} />
      <span className="preview">{previewOf(message)}</span>
      <span className="tokens">{shortCount(message.tokens)}</span>
    </>
  );
}

interface HeadProps extends Pair {
  readonly changes: readonly MessageChange[];
  readonly same: number;
}

function Head({ one, other, changes, same }: HeadProps): ReactNode {
  const store = useStore();
  const { parts, tools } = store.data;
  const number = (kind: MessageChange['kind']): string =>
    count(changes.filter((change) => change.kind === kind).length);
  const settings = [
    ['Model', one.model, other.model],
    ['Thinking', one.level, other.level],
    ['Options', one.preamble.options, other.preamble.options],
  ] as const;
  return (
    <>
      <p>
        {`${plural(same, 'message')} kept, ${number('added')} added, ${number('removed')} removed, ` +
          `${number('changed')} changed · estimated tokens ${count(store.tokens(one.number))} → ${count(store.tokens(other.number))}`}
      </p>
      {settings
        .filter(([, was, is]) => was !== is)
        .map(([name, was, is]) => (
          <p key={name}>
            {name}: <del>{visibleLine(was)}</del> → <ins>{visibleLine(is)}</ins>
          </p>
        ))}
      <PieceChanges title="System part" before={one.preamble.parts} after={other.preamble.parts} all={parts} />
      <PieceChanges title="Tool" before={one.preamble.tools} after={other.preamble.tools} all={tools} />
    </>
  );
}

interface PieceProps {
  readonly title: string;
  readonly before: readonly number[];
  readonly after: readonly number[];
  readonly all: readonly ReportPiece[];
}

function PieceChanges({ title, before, after, all }: PieceProps): ReactNode {
  const changes = changesBetween(before, after);
  const [removed, added] = (['removed', 'added'] as const).map((kind) =>
    changes.filter((change) => change.kind === kind).flatMap(({ item }) => all[item] ?? []),
  );
  const gone = removed?.filter(({ name }) => !added?.some((piece) => piece.name === name));
  const fold = (kind: MessageChange['kind'], { name, text }: ReportPiece, was?: ReportPiece): ReactNode => (
    <Fold key={`${kind} ${name}`} isOpen className={`pieces ${kind}`} summary={`${title} ${visibleLine(name)} ${kind}`}>
      {() => (was ? <LineDiff before={beginningOf(was.text)} after={beginningOf(text)} /> : <TextBlock text={text} />)}
    </Fold>
  );
  return (
    <>
      {gone?.map((piece) => fold('removed', piece))}
      {added?.map((piece) => {
        const was = removed?.find(({ name }) => name === piece.name);
        return fold(was ? 'changed' : 'added', piece, was);
      })}
    </>
  );
}

function ChangeDetail({ change: { before, after } }: { change: MessageChange }): ReactNode {
  const { messages } = useStore().data;
  const [was, is] = [messages[before ?? -1], messages[after ?? -1]];
  if (!was || !is) return <MessageDetail message={is ?? was} />;
  return (
    <>
      <MessageHead message={is} />
      <LineDiff before={textOfMessage(was)} after={textOfMessage(is)} />
    </>
  );
}

const AROUND = 3;
const LONGEST_LINE = 20_000;

/** A line diff of two texts, with a few lines of context. */
function LineDiff({ before, after }: { before: string; after: string }): ReactNode {
  const lines = lineChanges(before, after);
  const isNear = lines.map(() => false);
  for (const [at, { kind }] of lines.entries())
    if (kind !== 'same') isNear.fill(true, Math.max(0, at - AROUND), at + AROUND + 1);
  return (
    <pre className="text diff">
      {lines.map(({ kind, item }, at) => {
        const content = visible(shortened(item, LONGEST_LINE));
        if (!isNear[at])
          return (
            (at === 0 || isNear[at - 1]) && (
              <span key={at} className="gap">
                {'⋯\n'}
              </span>
            )
          );
        if (kind === 'same') return <span key={at}>{`  ${content}\n`}</span>;
        return kind === 'removed' ? <del key={at}>{`− ${content}\n`}</del> : <ins key={at}>{`+ ${content}\n`}</ins>;
      })}
    </pre>
  );
}

/** The whole message as one text. */
function textOfMessage({ blocks }: ReportMessage): string {
  return blocks
    .map(([kind, text, name = '']) => (kind === 'text' ? beginningOf(text) : `[${kind} ${name}]\n${beginningOf(text)}`))
    .join('\n');
}
