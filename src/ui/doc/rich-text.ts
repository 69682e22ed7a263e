import { common, createLowlight } from 'lowlight';
import { Lexer, type Token, type Tokens } from 'marked';
import { type Span, span, type Tone } from './doc.js';

/** A line with its indentation. Where the screen ends it goes on below itself, `hanging` cells further in. */
export interface RichLine {
  readonly spans: readonly Span[];
  readonly hanging: number;
}

/** Longer texts are printed as they are: both libraries take time that grows faster than the text. */
const LONGEST = 100_000;

/** A text in lines as it is meant to be read: Markdown without its marks, code with colours; null for other languages. */
export function richLines(text: string, language: string): readonly RichLine[] | null {
  if (text.length > LONGEST) return null;
  if (language === 'markdown') return blocks(Lexer.lex(text));
  return codeLines(text, language);
}

function blocks(tokens: readonly Token[]): readonly RichLine[] {
  return tokens.flatMap((token) => block(token as Tokens.Generic));
}

function block(token: Tokens.Generic): readonly RichLine[] {
  switch (token.type) {
    case 'space':
      return [lineOf()];
    case 'heading':
      return spread(inline(token as Tokens.Heading, 'strong'), token.raw);
    case 'paragraph':
    case 'text':
      return spread(inline(token as Tokens.Paragraph, 'plain'), token.raw);
    case 'code':
      return indented(fenced(token as Tokens.Code), '  ');
    case 'blockquote':
      return indented(blocks(token.tokens ?? []), '│ ');
    case 'list':
      return listLines(token as Tokens.List);
    case 'table':
      return tableLines(token as Tokens.Table);
    default:
      return linesOf([span(token.raw.replace(/\n+$/, ''))]);
  }
}

/** Code below the name of its language. */
function fenced({ text, lang = '' }: Tokens.Code): readonly RichLine[] {
  const code = codeLines(text, lang) ?? linesOf([span(text, 'code')]);
  return lang === '' ? code : [lineOf(span(lang, 'faint')), ...code];
}

/** The lines of a block, and the empty ones that its source ends with: only some kinds have a token for these. */
function spread(spans: readonly Span[], raw: string): readonly RichLine[] {
  return [...linesOf(spans), ...(raw.endsWith('\n\n') ? [lineOf()] : [])];
}

function listLines({ items, ordered, start }: Tokens.List): readonly RichLine[] {
  return items.flatMap(({ tokens, task, checked }, at) => {
    const sign = ordered ? `${Number(start) + at}. ` : '- ';
    const box = task ? `[${checked ? 'x' : ' '}] ` : '';
    return indented(blocks(tokens.filter(({ type }) => type !== 'checkbox')), ' '.repeat(sign.length), sign + box);
  });
}

function tableLines({ header, rows }: Tokens.Table): readonly RichLine[] {
  const cells = [header, ...rows].map((row, at) => row.map((cell) => inline(cell, at === 0 ? 'strong' : 'plain')));
  const widths = header.map((_, at) => Math.max(...cells.map((row) => lengthOf(row[at] ?? []))));
  const padding = (spans: readonly Span[], at: number): Span =>
    span(' '.repeat((widths[at] ?? 0) - lengthOf(spans) + 2));
  return cells.map((row) => lineOf(...row.flatMap((spans, at) => [...spans, padding(spans, at)])));
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + text.length, 0);
}

interface Inline {
  readonly text: string;
  readonly tokens?: readonly Token[] | undefined;
}

/** Nothing of a text is left out but the marks: the address of a link is printed behind it. */
function inline({ text, tokens }: Inline, tone: Tone): readonly Span[] {
  if (!tokens) return [span(text, tone)];
  return tokens.flatMap((each) => {
    const token = each as Tokens.Generic;
    switch (token.type) {
      case 'strong':
        return inline(token as Tokens.Strong, 'strong');
      case 'em':
        return inline(token as Tokens.Em, tone === 'plain' ? 'emphasis' : tone);
      case 'codespan':
        return [span(token.text, 'code')];
      case 'br':
        return [span('\n')];
      case 'link':
        return [...inline(token as Tokens.Link, tone), ...address(token as Tokens.Link)];
      case 'text':
      case 'escape':
        return inline(token as Tokens.Text, tone);
      default:
        return [span(token.raw, tone)];
    }
  });
}

function address({ href, text }: Tokens.Link): readonly Span[] {
  return href === text || href === `mailto:${text}` ? [] : [span(` (${href})`, 'faint')];
}

const lowlight = createLowlight(common);

/** null for a language without colours. */
function codeLines(text: string, language: string): readonly RichLine[] | null {
  const name = /^[\w+#-]+/.exec(language)?.[0].toLowerCase() ?? '';
  return lowlight.registered(name) ? linesOf(coloured(lowlight.highlight(name, text), 'plain')) : null;
}

type Highlighted = ReturnType<typeof lowlight.highlight>;

function coloured(node: Highlighted | Highlighted['children'][number], tone: Tone): readonly Span[] {
  if (node.type === 'text') return [span(node.value, tone)];
  if (node.type !== 'element' && node.type !== 'root') return [];
  const classes = node.type === 'element' ? String(node.properties['className']).split(',') : [];
  const own = TONES[classes[0]?.replace(/^hljs-/, '') ?? ''] ?? tone;
  return node.children.flatMap((child) => coloured(child, own));
}

/** The scopes of highlight.js: https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html */
const TONES: Readonly<Record<string, Tone>> = {
  keyword: 'system',
  tag: 'system',
  name: 'system',
  section: 'strong',
  title: 'strong',
  built_in: 'code',
  type: 'code',
  attr: 'code',
  literal: 'id',
  number: 'id',
  symbol: 'id',
  string: 'good',
  regexp: 'good',
  addition: 'good',
  deletion: 'error',
  comment: 'faint',
  quote: 'faint',
  meta: 'faint',
};

/** Spans cut at the ends of lines in them. */
function linesOf(spans: readonly Span[]): readonly RichLine[] {
  const lines: Span[][] = [[]];
  for (const { text, tone } of spans) {
    const [first = '', ...others] = text.split('\n');
    lines.at(-1)?.push(span(first, tone));
    for (const other of others) lines.push([span(other, tone)]);
  }
  return lines.map((each) => lineOf(...each));
}

function lineOf(...spans: readonly Span[]): RichLine {
  return { spans, hanging: 0 };
}

function indented(lines: readonly RichLine[], indent: string, first = indent): readonly RichLine[] {
  return lines.map(({ spans, hanging }, at) => {
    const before = at === 0 ? first : indent;
    // Spaces at its beginning are the margin of a line already.
    return { spans: [span(before, 'faint'), ...spans], hanging: hanging + before.trimStart().length };
  });
}
