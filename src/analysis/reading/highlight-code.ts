import { common, createLowlight } from 'lowlight';
import type { Mark, TextRun } from './reading-block.js';
import { joinRuns } from './runs.js';

const lowlight = createLowlight(common);

/**
 * Highlights code; null for a language without highlighting. `language`: the info string of a fence, or a file's
 * extension.
 */
export function highlightCode(text: string, language: string): TextRun[] | null {
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
