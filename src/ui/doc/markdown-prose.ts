import type { MarkdownNode, TextRun } from '#analysis/reading/reading-block.js';
import {
  escapeLineStart,
  escapeMarkup,
  isLinked,
  joinMarkdown,
  renderCode,
  renderFence,
  toCellText,
} from './markdown-text.js';

/**
 * Parsed Markdown of a session as a part of a document: with its headings, lists, tables, code and links to the web. Its HTML,
 * images and mentions are text. `lineEnd`: the end of a line within a paragraph.
 */
export function renderMarkdownProse(nodes: readonly MarkdownNode[], lineEnd: string): string {
  return dropGaps(nodes)
    .map((node) => renderNode(node, lineEnd))
    .join('\n\n');
}

function dropGaps(nodes: readonly MarkdownNode[]): readonly MarkdownNode[] {
  return nodes.filter(({ kind }) => kind !== 'gap');
}

/** Headings of the document itself are above those of a text in it. */
const FIRST_LEVEL = 3;
const LAST_LEVEL = 6;

function renderNode(node: MarkdownNode, lineEnd: string): string {
  switch (node.kind) {
    case 'heading': {
      const level = Math.min(LAST_LEVEL, FIRST_LEVEL + node.level);
      return `${'#'.repeat(level)} ${renderLines(node.runs).join(' ')}`.trimEnd();
    }
    case 'paragraph':
      return renderLines(node.runs).map(escapeLineStart).join(lineEnd);
    case 'code':
      return renderFence(
        node.runs.map((run) => (typeof run === 'string' ? run : run[1])).join(''),
        /^[\w+#.-]*/.exec(node.language)?.[0] ?? '',
      );
    case 'quote':
      return indent(renderMarkdownProse(node.nodes, lineEnd), '> ', '> ');
    case 'list':
      return renderList(node, lineEnd);
    case 'table':
      return renderTable(node);
    case 'gap':
      return '';
  }
}

function renderList({ start, items }: Extract<MarkdownNode, { kind: 'list' }>, lineEnd: string): string {
  const isTight = items.every(({ nodes }) =>
    dropGaps(nodes).every(({ kind }) => kind === 'paragraph' || kind === 'list'),
  );
  const texts = items.map(({ isChecked, nodes }, at) => {
    const sign = start === null ? '- ' : `${start + at}. `;
    const box = isChecked === null ? '' : `[${isChecked ? 'x' : ' '}] `;
    return indent(renderItem(nodes, { isTight, lineEnd }), sign + box, ' '.repeat(sign.length));
  });
  return texts.join(isTight ? '\n' : '\n\n');
}

interface ItemStyle {
  /** Whether blank lines between items are left out: a list may follow the text of its item at once. */
  readonly isTight: boolean;
  readonly lineEnd: string;
}

function renderItem(nodes: readonly MarkdownNode[], { isTight, lineEnd }: ItemStyle): string {
  let text = '';
  for (const [at, node] of dropGaps(nodes).entries()) {
    const isBelow = isTight && node.kind === 'list' && (node.start ?? 1) === 1;
    if (at > 0) text += isBelow ? '\n' : '\n\n';
    text += renderNode(node, lineEnd);
  }
  return text;
}

/** Text with something before its first line and its other lines; a blank line stays blank. */
function indent(text: string, first: string, others: string): string {
  return text
    .split('\n')
    .map((line, at) => `${at === 0 ? first : others}${line}`.trimEnd())
    .join('\n');
}

function renderTable({ rows }: Extract<MarkdownNode, { kind: 'table' }>): string {
  const [titles = [], ...others] = rows.map((row) => row.map((runs) => toCellText(renderLines(runs).join(' '))));
  const lines = [titles, titles.map(() => '---'), ...others];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The lines of a text, with its marks. */
function renderLines(runs: readonly TextRun[]): readonly string[] {
  const parts = runs.map(renderRun);
  // An exclamation mark would turn the link after it into an image, which a reader's browser loads.
  const safe = parts.map((part, at) => (parts[at + 1]?.startsWith('[') ? part.replace(/!$/, '\\!') : part));
  return joinMarkdown(safe).split('\n');
}

function renderRun(run: TextRun): string {
  if (typeof run === 'string') return escapeLines(run);
  const [mark, text, target] = run;
  switch (mark) {
    case 'strong':
      return surround(text, '**');
    case 'emphasis':
      return surround(text, '*');
    case 'code':
      return renderCode(text.replaceAll('\n', ' '));
    case 'link':
      return renderLink(text, target ?? '');
    default:
      return escapeLines(text);
  }
}

function escapeLines(text: string): string {
  return text.split('\n').map(escapeMarkup).join('\n');
}

/** Marks have no effect beside spaces. */
function surround(text: string, sign: string): string {
  const words = text.trim();
  if (words === '') return text;
  const at = text.indexOf(words);
  return `${text.slice(0, at)}${sign}${escapeLines(words)}${sign}${text.slice(at + words.length)}`;
}

/** A text that names another address than its target is no link: a reader sees both. */
function renderLink(text: string, target: string): string {
  if (target === `mailto:${text}`) return renderCode(text);
  if (text === target) return `<${encodeAddress(target)}>`;
  if (isLinked(text)) return `${escapeLines(text)} (${renderCode(target)})`;
  return `[${escapeLines(text)}](<${encodeAddress(target)}>)`;
}

/** An address without a character that could end it. */
function encodeAddress(target: string): string {
  return target.replaceAll(/[^\w\-.~:/?#@!$&'*+,;=%]/gu, (sign) =>
    encodeURIComponent(sign).replaceAll(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29')),
  );
}
