import { buildDrawing } from '#analysis/reading/draw-blocks.js';
import type { DiffLine, Drawing, Mark, MarkdownNode, TextRun } from '#analysis/reading/reading-block.js';
import { type Span, span } from './doc.js';
import type { Tone } from './tone.js';

/** A line with its indentation. Where the screen ends it goes on below itself, `hanging` cells further in. */
export interface RichLine {
  readonly spans: readonly Span[];
  readonly hanging: number;
}

/** A text in lines as it is meant to be read: Markdown without its marks, code with colours; null for plain text. */
export function renderRichText(text: string, language: string): readonly RichLine[] | null {
  const drawing = buildDrawing({ text, language });
  return drawing.form === 'plain' ? null : renderDrawing(drawing);
}

function renderDrawing(drawing: Exclude<Drawing, { form: 'plain' }>): readonly RichLine[] {
  switch (drawing.form) {
    case 'markdown':
      return renderNodes(drawing.nodes);
    case 'code':
      return splitLines(toSpans(drawing.runs));
    case 'diff':
      return drawing.lines.map(renderDiffLine);
  }
}

function renderNodes(nodes: readonly MarkdownNode[]): readonly RichLine[] {
  return nodes.flatMap(renderNode);
}

function renderNode(node: MarkdownNode): readonly RichLine[] {
  switch (node.kind) {
    case 'gap':
      return [toRichLine()];
    case 'heading':
      return splitLines(toSpans(node.runs, 'strong'));
    case 'paragraph':
      return splitLines(toSpans(node.runs));
    case 'code': {
      const name = node.language === '' ? [] : [toRichLine(span(node.language, 'faint'))];
      return indentLines([...name, ...splitLines(toSpans(node.runs))], '  ');
    }
    case 'quote':
      return indentLines(renderNodes(node.nodes), '│ ');
    case 'list':
      return renderList(node);
    case 'table':
      return renderTable(node);
  }
}

function renderList({ start, items }: Extract<MarkdownNode, { kind: 'list' }>): readonly RichLine[] {
  return items.flatMap(({ isChecked, nodes }, at) => {
    const sign = start === null ? '- ' : `${start + at}. `;
    const box = isChecked === null ? '' : `[${isChecked ? 'x' : ' '}] `;
    return indentLines(renderNodes(nodes), ' '.repeat(sign.length), sign + box);
  });
}

function renderTable({ rows }: Extract<MarkdownNode, { kind: 'table' }>): readonly RichLine[] {
  const cells = rows.map((row, at) => row.map((runs) => toSpans(runs, at === 0 ? 'strong' : 'plain')));
  const widths = (cells[0] ?? []).map((_, at) => Math.max(...cells.map((row) => measureSpans(row[at] ?? []))));
  const padding = (spans: readonly Span[], at: number): Span =>
    span(' '.repeat((widths[at] ?? 0) - measureSpans(spans) + 2));
  return cells.map((row) => toRichLine(...row.flatMap((spans, at) => [...spans, padding(spans, at)])));
}

function measureSpans(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 0);
}

function renderDiffLine([sign, runs]: DiffLine): RichLine {
  const own = DIFF_TONES[sign];
  const before = sign === '@' ? '' : sign;
  const [first = ''] = runs;
  if (runs.length <= 1 && typeof first === 'string') return { spans: [span(before + first, own)], hanging: 1 };
  // Beside marked words, the others have the colour of text.
  return { spans: [span(before, own), ...toSpans(runs)], hanging: 1 };
}

const DIFF_TONES: Readonly<Record<DiffLine[0], Tone>> = { '+': 'good', '-': 'error', ' ': 'plain', '@': 'faint' };

const TONES: Readonly<Record<Mark, Tone>> = {
  strong: 'strong',
  emphasis: 'emphasis',
  code: 'code',
  quiet: 'faint',
  keyword: 'system',
  title: 'strong',
  name: 'code',
  value: 'id',
  string: 'good',
  comment: 'faint',
  added: 'good',
  removed: 'error',
};

/** The address of a link is printed after its text. */
function toSpans(runs: readonly TextRun[], tone: Tone = 'plain'): readonly Span[] {
  return runs.flatMap((run) => {
    if (typeof run === 'string') return [span(run, tone)];
    if (run[0] !== 'link') return [span(run[1], TONES[run[0]])];
    const [, text, href] = run;
    return href === text || href === `mailto:${text}`
      ? [span(text, tone)]
      : [span(text, tone), span(` (${href})`, 'faint')];
  });
}

/** Spans cut at the ends of lines in them. */
function splitLines(spans: readonly Span[]): readonly RichLine[] {
  const lines: Span[][] = [[]];
  for (const { text, tone } of spans) {
    const [first = '', ...others] = text.split('\n');
    lines.at(-1)?.push(span(first, tone));
    for (const other of others) lines.push([span(other, tone)]);
  }
  return lines.map((each) => toRichLine(...each));
}

function toRichLine(...spans: readonly Span[]): RichLine {
  return { spans, hanging: 0 };
}

function indentLines(lines: readonly RichLine[], indent: string, first = indent): readonly RichLine[] {
  return lines.map(({ spans, hanging }, at) => {
    const before = at === 0 ? first : indent;
    // Spaces at its beginning are the margin of a line already.
    return { spans: [span(before, 'faint'), ...spans], hanging: hanging + before.trimStart().length };
  });
}
