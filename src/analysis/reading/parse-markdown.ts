import { Lexer, type Token, type Tokens } from 'marked';
import { highlightCode } from './highlight-code.js';
import type { Mark, MarkdownNode, TextRun } from './reading-block.js';
import { joinRuns } from './runs.js';

/** Deeper nesting is drawn as its source. */
const DEEPEST = 20;

/** Parses Markdown. HTML stays text. null for a text that is nested too deeply to parse. */
export function parseMarkdown(text: string): MarkdownNode[] | null {
  try {
    return toNodes(Lexer.lex(text), 0);
  } catch (error) {
    // The parser descends along nested quotes.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function toNodes(tokens: readonly Token[], depth: number): MarkdownNode[] {
  return tokens.flatMap((token) => toNode(token as Tokens.Generic, depth));
}

function toNode(token: Tokens.Generic, depth: number): readonly MarkdownNode[] {
  if (depth > DEEPEST) return [{ kind: 'paragraph', runs: [trimEnds(token.raw)] }];
  switch (token.type) {
    case 'space':
      return [GAP];
    case 'heading':
      return addBlankLine(
        { kind: 'heading', level: Number(token.depth), runs: buildRuns(token as Tokens.Heading) },
        token,
      );
    case 'paragraph':
    case 'text':
      return addBlankLine({ kind: 'paragraph', runs: buildRuns(token as Tokens.Paragraph) }, token);
    case 'code':
      return [toCodeNode(token as Tokens.Code)];
    case 'blockquote':
      return [{ kind: 'quote', nodes: toNodes(token.tokens ?? [], depth + 1) }];
    case 'list':
      return [toListNode(token as Tokens.List, depth)];
    case 'table':
      return [toTableNode(token as Tokens.Table)];
    default:
      return [{ kind: 'paragraph', runs: [trimEnds(token.raw)] }];
  }
}

const GAP: MarkdownNode = { kind: 'gap' };

function trimEnds(raw: string): string {
  return raw.replace(/\n+$/, '');
}

/** A block, and the blank line that its source ends with: only some kinds have a token for that. */
function addBlankLine(node: MarkdownNode, { raw }: Tokens.Generic): readonly MarkdownNode[] {
  return raw.endsWith('\n\n') ? [node, GAP] : [node];
}

function toCodeNode({ text, lang = '' }: Tokens.Code): MarkdownNode {
  return { kind: 'code', language: lang, runs: highlightCode(text, lang) ?? [['code', text]] };
}

function toListNode({ items, ordered, start }: Tokens.List, depth: number): MarkdownNode {
  return {
    kind: 'list',
    start: ordered ? Number(start) : null,
    items: items.map(({ tokens, task, checked }) => ({
      isChecked: task ? checked === true : null,
      nodes: toNodes(
        tokens.filter(({ type }) => type !== 'checkbox'),
        depth + 1,
      ),
    })),
  };
}

function toTableNode({ header, rows }: Tokens.Table): MarkdownNode {
  return { kind: 'table', rows: [header, ...rows].map((row) => row.map((cell) => buildRuns(cell))) };
}

interface Inline {
  readonly text: string;
  readonly tokens?: readonly Token[] | undefined;
}

function buildRuns(inline: Inline): TextRun[] {
  return joinRuns(listRuns(inline, null));
}

/** Nothing of a text is left out but the marks. */
function listRuns({ text, tokens }: Inline, mark: Mark | null): readonly TextRun[] {
  const addMark = (words: string): TextRun => (mark === null ? words : [mark, words]);
  if (!tokens) return [addMark(text)];
  return tokens.flatMap((each): readonly TextRun[] => {
    const token = each as Tokens.Generic;
    switch (token.type) {
      case 'strong':
        return listRuns(token as Tokens.Strong, 'strong');
      case 'em':
        return listRuns(token as Tokens.Em, mark ?? 'emphasis');
      case 'codespan':
        return [['code', String(token.text)]];
      case 'br':
        return ['\n'];
      case 'link':
        return listLinkRuns(token as Tokens.Link, mark);
      case 'text':
      case 'escape':
        return listRuns(token as Tokens.Text, mark);
      default:
        return [addMark(token.raw)];
    }
  });
}

/** A link only to a web or mail address. The target of any other follows its text. */
function listLinkRuns(link: Tokens.Link, mark: Mark | null): readonly TextRun[] {
  const { href } = link;
  const runs = listRuns(link, mark);
  const text = runs.map((run) => (typeof run === 'string' ? run : run[1])).join('');
  if (/^(?:https?:\/\/|mailto:)/i.test(href)) return [['link', text, href]];
  return href === text ? runs : [...runs, ['quiet', ` (${href})`]];
}
