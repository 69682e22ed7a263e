import { toVisible, toVisibleLine } from '#base/visible.js';
import { type Block, type Span, span } from './doc.js';
import type { Renderer } from './renderer.js';

export default {
  name: 'markdown',
  summary: 'a Markdown document',
  render(report, view) {
    const blocks = report.doc(view).map(renderBlock);
    return `${blocks.filter((text) => text !== '').join('\n\n')}\n`;
  },
} satisfies Renderer;

function renderBlock(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `${'#'.repeat(block.level)} ${renderInline([span(block.text)])}`;
    case 'line':
      return escapeLineStart(renderInline(block.spans));
    case 'bullets':
      return block.items
        .map((spans) => `${block.isTitle ? '' : '- '}${escapeLineStart(renderInline(spans))}`)
        .join('\n');
    case 'row':
      return `- ${escapeLineStart(block.cells.map((cell) => renderInline([cell])).join(' '))}`;
    case 'table':
      return renderTable(block);
    case 'bar':
      return escapeLineStart(renderInline(block.label));
    case 'pair':
      return `- ${escapeLineStart([block.left, block.right].map(renderInline).join(' → '))}`;
    case 'whole':
      return escapeLineStart(renderInline([span(block.text)]));
    case 'verbatim':
      // Markdown of a session stands in a fence as well: it is quoted, and no part of this document.
      return renderFence(toVisible(block.text), block.language === 'markdown' ? '' : block.language);
    case 'gap':
      return '';
  }
}

function renderInline(spans: readonly Span[]): string {
  return mergePlainSpans(spans)
    .map(({ text, tone }) =>
      tone === 'strong' ? `**${escape(text)}**` : tone === 'id' ? renderCode(text) : escape(text),
    )
    .join('')
    .replaceAll(`${CODE}${CODE}`, '')
    .replaceAll(CODE, '`');
}

/** The mark of code until a line is joined: no shown text has it, and code beside code is one piece. */
const CODE = '\0';

/** Spans that look alike here are one text, so that no address is split between two. */
function mergePlainSpans(spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const next of spans) {
    const last = all.at(-1);
    if (last && isPlain(last) && isPlain(next)) all[all.length - 1] = { ...last, text: last.text + next.text };
    else all.push(next);
  }
  return all;
}

function isPlain({ tone }: Span): boolean {
  return tone !== 'strong' && tone !== 'id';
}

function renderTable({ columns, rows }: Extract<Block, { kind: 'table' }>): string {
  const titles = `| ${columns.map(({ title }) => renderInline([span(title)])).join(' | ')} |`;
  const rule = `| ${columns.map(({ align }) => (align === 'right' ? '---:' : '---')).join(' | ')} |`;
  return [titles, rule, ...rows.map((row) => `| ${row.map((cell) => renderInline([cell])).join(' | ')} |`)].join('\n');
}

/** A fence is longer than any run of backticks inside it, so that session text cannot end it. */
function renderFence(text: string, language: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Neither a backtick nor the border of a table cell can be escaped inside code. */
function renderCode(text: string): string {
  return text === '' ? '' : CODE + toVisibleLine(text).replaceAll('`', 'ˋ').replaceAll('|', '¦') + CODE;
}

/** Escapes the characters that start a list, a rule or an indented block at the beginning of a line. */
function escapeLineStart(text: string): string {
  return text
    .trimStart()
    .replace(/^(\d+)(?=[.)])/, '$1\\')
    .replace(/^[-+=]/, '\\$&');
}

/** Session text must not become markup, links, mentions or HTML. */
function escape(text: string): string {
  return toVisibleLine(text).replace(WORDS_AND_GAPS, (part) =>
    LINKED.test(part) ? renderCode(part) : part.replace(MARKUP, '\\$&'),
  );
}

/** A dollar sign before a digit is a price: it neither ends a formula nor begins one, since the ends are escaped. */
const MARKUP = /[\\`*_{}[\]<>#|!~&]|\$(?!\d)/g;
const WORDS_AND_GAPS = /[^\s"'()<>[\]]+|[\s"'()<>[\]]+/g;

/**
 * Matches words that a forge turns into a link or a mention without markup: URLs, e-mail addresses, @names, numbers of
 * issues and merge requests. GitHub searches the rendered text, where escapes are gone, but not code.
 */
const LINKED = /@|:\/\/|[#!]\d|(?<![a-z\d])(?:www\.|mailto:|xmpp:|GH-\d)/i;
