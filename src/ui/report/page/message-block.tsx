import type { ReactNode } from 'react';
import type {
  DiffLine,
  Drawing,
  DrawnBlock,
  MarkdownNode,
  ReadingBlock,
  TextRun,
  TextSource,
} from '#analysis/reading/reading-block.js';
import { formatBytes, pluralize } from '#base/numbers.js';
import { toVisible, toVisibleLine } from '#base/visible.js';
import { Disclosure } from './disclosure.js';
import { PageTable } from './table.js';
import { HighlightedText, TextBlock } from './text-block.js';

/** A block of a message: as a person reads it, with a link to the place with all of a text; or as it is stored. */
export function MessageBlock({ block, link = '' }: { block: DrawnBlock | ReadingBlock; link?: string }): ReactNode {
  switch (block.kind) {
    case 'text':
      return <Content block={block} link={link} />;
    case 'thinking':
      if (isEmpty(block.content)) return <p className="quiet">Thinking, which the provider keeps to itself</p>;
      return (
        <Disclosure className="thought" summary="Thinking" isOpen={'text' in block.content}>
          {() => <Content block={block} link={link} />}
        </Disclosure>
      );
    case 'call':
      return <Call block={block} />;
    case 'image':
      return <Image block={block} />;
    case 'failure':
      return <p className="failure">{toVisible(block.text)}</p>;
    default:
      if (block.kind === 'output' && isEmpty(block.content)) return <p className="quiet">No output</p>;
      return (
        <div className={`box ${block.kind}`}>
          {block.kind === 'argument' && block.name !== '' && <p className="quiet">{toVisibleLine(block.name)}</p>}
          <Content block={block} link={link} />
        </div>
      );
  }
}

function Image({ block: { type, bytes, data } }: { block: Extract<DrawnBlock, { kind: 'image' }> }): ReactNode {
  const about = `Image: ${toVisibleLine(type)}, ${formatBytes(bytes)}`;
  if (data === undefined) return <p className="quiet">{about}</p>;
  return <img className="image" src={`data:${type};base64,${data}`} alt={about} title={about} />;
}

function isEmpty(content: Drawing | TextSource): boolean {
  if ('text' in content) return content.text === '';
  if ('nodes' in content) return content.nodes.length === 0;
  return ('runs' in content ? content.runs : content.lines).length === 0;
}

function Call({ block: { tool, subject, details } }: { block: Extract<DrawnBlock, { kind: 'call' }> }): ReactNode {
  return (
    <p className="call-line">
      <b>{toVisibleLine(tool)}</b>{' '}
      <code>
        <HighlightedText text={toVisibleLine(subject)} />
      </code>
      {details.map((detail, at) => (
        <span key={at} className="quiet">{` · ${toVisibleLine(detail)}`}</span>
      ))}
    </p>
  );
}

interface ContentProps {
  readonly block: Extract<DrawnBlock | ReadingBlock, { content: unknown }>;
  readonly link: string;
}

function Content({ block: { content, leftOut }, link }: ContentProps): ReactNode {
  if (!('form' in content)) {
    const { text } = content;
    return <TextBlock text={leftOut ? [text, text.length + leftOut.characters] : text} />;
  }
  return (
    <>
      <DrawingView drawing={content} />
      {leftOut && (
        <p className="more">
          <a href={link}>
            {leftOut.lines > 1
              ? pluralize(leftOut.lines, 'more line')
              : pluralize(leftOut.characters, 'more character')}
          </a>
        </p>
      )}
    </>
  );
}

/** A text as it is drawn. */
export function DrawingView({ drawing }: { drawing: Drawing }): ReactNode {
  switch (drawing.form) {
    case 'plain':
    case 'code':
      return (
        <pre className="text">
          <Runs runs={drawing.form === 'plain' ? [drawing.text] : drawing.runs} />
        </pre>
      );
    case 'diff':
      return (
        <pre className="text diff">
          {drawing.lines.map((line, at) => (
            <PatchLine key={at} line={line} />
          ))}
        </pre>
      );
    case 'markdown':
      return (
        <div className="prose">
          <Nodes nodes={drawing.nodes} />
        </div>
      );
  }
}

/** The signs of a patch as a page shows them: a real minus, and none for a place. */
const SHOWN_SIGNS: Readonly<Record<DiffLine[0], string>> = { '+': '+', '-': '−', '@': ' ', ' ': ' ' };

function PatchLine({ line: [sign, runs] }: { line: DiffLine }): ReactNode {
  const text = (
    <>
      {`${SHOWN_SIGNS[sign]} `}
      <Runs runs={runs} />
      {'\n'}
    </>
  );
  if (sign === '+') return <ins>{text}</ins>;
  return sign === '-' ? <del>{text}</del> : <span className={sign === '@' ? 'gap' : ''}>{text}</span>;
}

function Runs({ runs }: { runs: readonly TextRun[] }): ReactNode {
  return runs.map((run, at) => {
    if (typeof run === 'string') return <HighlightedText key={at} text={run} />;
    const [mark, text, target] = run;
    if (mark === 'link') return <Link key={at} text={text} target={target ?? ''} />;
    const Tag = TAGS[mark] ?? 'span';
    return (
      <Tag key={at} className={`m-${mark}`}>
        <HighlightedText text={text} />
      </Tag>
    );
  });
}

const TAGS: Partial<Readonly<Record<Exclude<TextRun, string>[0], 'strong' | 'em' | 'code'>>> = {
  strong: 'strong',
  emphasis: 'em',
  code: 'code',
};

/** A link to the web, with its target unless the text is its target. */
function Link({ text, target }: { text: string; target: string }): ReactNode {
  return (
    <>
      <a href={target} target="_blank" rel="noreferrer noopener">
        <HighlightedText text={text} />
      </a>
      {text !== target && <span className="quiet">{` (${target})`}</span>}
    </>
  );
}

function Nodes({ nodes }: { nodes: readonly MarkdownNode[] }): ReactNode {
  return nodes.map((node, at) => <Node key={at} node={node} />);
}

function Node({ node }: { node: MarkdownNode }): ReactNode {
  switch (node.kind) {
    // The page has headings of its own.
    case 'heading':
    case 'paragraph':
      return (
        <p className={node.kind}>
          <Runs runs={node.runs} />
        </p>
      );
    case 'code':
      return (
        <pre className="text code">
          <Runs runs={node.runs} />
        </pre>
      );
    case 'quote':
      return (
        <blockquote>
          <Nodes nodes={node.nodes} />
        </blockquote>
      );
    case 'list':
      return <Items node={node} />;
    case 'table':
      return <Cells rows={node.rows} />;
    case 'gap':
      return null;
  }
}

function Items({ node: { start, items } }: { node: Extract<MarkdownNode, { kind: 'list' }> }): ReactNode {
  const Tag = start === null ? 'ul' : 'ol';
  return (
    <Tag start={start ?? undefined}>
      {items.map(({ isChecked, nodes }, at) => (
        <li key={at}>
          {isChecked !== null && (isChecked ? '☑ ' : '☐ ')}
          <Nodes nodes={nodes} />
        </li>
      ))}
    </Tag>
  );
}

type MarkdownRow = Extract<MarkdownNode, { kind: 'table' }>['rows'][number];

function Cells({ rows: [titles = [], ...rows] }: { rows: readonly MarkdownRow[] }): ReactNode {
  const columns = titles.map((runs, place) => ({
    title: runs.map((run) => (typeof run === 'string' ? run : run[1])).join(''),
    head: <Runs runs={runs} />,
    cell: (cells: MarkdownRow) => <Runs runs={cells[place] ?? []} />,
  }));
  return <PageTable caption={null} columns={columns} rows={rows} />;
}
