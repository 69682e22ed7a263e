import { common, createLowlight } from 'lowlight';
import { Lexer, type Token, type Tokens } from 'marked';
import { sliceStart } from '#base/text.js';
import { toVisible } from '#base/visible.js';
import { readPatchLines } from './patch-lines.js';
import type { Drawing, DrawnBlock, Mark, MarkdownNode, ReadingBlock, TextRun, TextSource } from './reading-block.js';
import { joinRuns } from './runs.js';

/** Longer texts stay plain: parsing them takes time that grows faster than the text. */
const LONGEST = 100_000;

/** Parses a text into what a renderer draws. Text that a terminal would obey becomes visible first. */
export function buildDrawing({ text, language }: TextSource): Drawing {
  const safe = toVisible(text);
  if (safe.length > LONGEST) return { form: 'plain', text: safe };
  if (language === 'diff') return { form: 'diff', lines: readPatchLines(safe) };
  const nodes = language === 'markdown' ? parseMarkdown(safe) : null;
  if (nodes) return { form: 'markdown', nodes };
  const runs = highlightCode(safe, language);
  return runs ? { form: 'code', language, runs } : { form: 'plain', text: safe };
}

/** A block with its text shortened, to `most` characters at most, and parsed into what a renderer draws. */
export function drawBlock(block: ReadingBlock, most = Infinity): DrawnBlock {
  const shown = shortenBlock(block, most);
  return 'content' in shown ? { ...shown, content: buildDrawing(shown.content) } : shown;
}

/** Deeper nesting is drawn as its source. */
const DEEPEST = 20;

/** Parses Markdown. HTML stays text. null for a text that is nested too deeply to parse. */
function parseMarkdown(text: string): MarkdownNode[] | null {
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

const lowlight = createLowlight(common);

/**
 * Highlights code; null for a language without highlighting. `language`: the info string of a fence, or a file's
 * extension.
 */
function highlightCode(text: string, language: string): TextRun[] | null {
  const name = /^[\w+#-]+/.exec(language)?.[0].toLowerCase() ?? '';
  return lowlight.registered(name) ? joinRuns(toHighlightedRuns(lowlight.highlight(name, text), null)) : null;
}

type HighlightTree = ReturnType<typeof lowlight.highlight>;

function toHighlightedRuns(
  node: HighlightTree | HighlightTree['children'][number],
  mark: Mark | null,
): readonly TextRun[] {
  if (node.type === 'text') return [mark === null ? node.value : [mark, node.value]];
  if (node.type !== 'element' && node.type !== 'root') return [];
  const classes = node.type === 'element' ? String(node.properties.className).split(',') : [];
  const own = MARKS[classes[0]?.replace(/^hljs-/, '') ?? ''] ?? mark;
  return node.children.flatMap((child) => toHighlightedRuns(child, own));
}

/** The scopes of highlight.js: https://highlightjs.readthedocs.io/en/latest/css-classes-reference.html */
const MARKS: Readonly<Record<string, Mark>> = {
  keyword: 'keyword',
  tag: 'keyword',
  name: 'keyword',
  section: 'title',
  title: 'title',
  built_in: 'name',
  type: 'name',
  attr: 'name',
  literal: 'value',
  number: 'value',
  symbol: 'value',
  string: 'string',
  regexp: 'string',
  addition: 'added',
  deletion: 'removed',
  comment: 'comment',
  quote: 'comment',
  meta: 'comment',
};

/** The lines and characters of a text that a reader sees at first. */
interface TextLimit {
  readonly lines: number;
  readonly characters: number;
}

const PROSE: TextLimit = { lines: Infinity, characters: 50_000 };
const NO_LIMIT: TextLimit = { lines: Infinity, characters: Infinity };

const LIMITS: Readonly<Partial<Record<ReadingBlock['kind'], TextLimit>>> = {
  text: PROSE,
  thinking: PROSE,
  argument: { lines: 30, characters: 6000 },
  diff: { lines: 120, characters: 12_000 },
  output: { lines: 20, characters: 4000 },
  unknown: { lines: 20, characters: 4000 },
};

/** A block whose text is no longer than its kind may be, and than `most` characters, with the size of the rest. */
function shortenBlock(block: ReadingBlock, most: number): ReadingBlock {
  const { lines, characters } = LIMITS[block.kind] ?? NO_LIMIT;
  return truncateBlock(block, (text) => sliceStart(takeFirstLines(text, lines), Math.min(characters, most)));
}

/** A block with a part of its text, from the beginning, and the size of the rest. */
export function truncateBlock(block: ReadingBlock, startOfText: (text: string) => string): ReadingBlock {
  if (!('content' in block)) return block;
  const { text } = block.content;
  const shown = startOfText(text);
  const rest = text.slice(shown.length).replace(/\n$/, '');
  if (rest === '') return block;
  return {
    ...block,
    content: { ...block.content, text: shown },
    leftOut: { lines: rest.split('\n').length - (rest.startsWith('\n') ? 1 : 0), characters: rest.length },
  };
}

function takeFirstLines(text: string, most: number): string {
  if (most === Infinity) return text;
  let end = -1;
  for (let line = 0; line < most; line += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text;
  }
  return text.slice(0, end);
}
