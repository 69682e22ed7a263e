import { common, createLowlight } from 'lowlight';
import type { Mark, TextRun } from './model.js';
import { joined } from './runs.js';

const lowlight = createLowlight(common);

/** Highlights code; null for a language without highlighting. `language`: the info string of a fence, or a file's extension. */
export function codeRuns(text: string, language: string): TextRun[] | null {
  const name = /^[\w+#-]+/.exec(language)?.[0].toLowerCase() ?? '';
  return lowlight.registered(name) ? joined(runsOf(lowlight.highlight(name, text), null)) : null;
}

type Highlighted = ReturnType<typeof lowlight.highlight>;

function runsOf(node: Highlighted | Highlighted['children'][number], mark: Mark | null): readonly TextRun[] {
  if (node.type === 'text') return [mark === null ? node.value : [mark, node.value]];
  if (node.type !== 'element' && node.type !== 'root') return [];
  const classes = node.type === 'element' ? String(node.properties['className']).split(',') : [];
  const own = MARKS[classes[0]?.replace(/^hljs-/, '') ?? ''] ?? mark;
  return node.children.flatMap((child) => runsOf(child, own));
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
