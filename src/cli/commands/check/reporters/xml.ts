import { visible, visibleLine } from '#base/visible.js';

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children?: readonly Element[];
  readonly text?: string;
}

/** A document in pieces. Attributes and texts may hold anything. */
export function* xmlDocument(root: Element): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield* linesOf(root, '');
}

function* linesOf({ name, attributes, children = [], text }: Element, indent: string): Generator<string> {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(visibleLine(String(value)))}"`);
  const start = `${indent}<${name}${given.join('')}`;
  if (text !== undefined) yield `${start}>${escaped(visible(text))}</${name}>\n`;
  else if (children.length === 0) yield `${start}/>\n`;
  else {
    yield `${start}>\n`;
    for (const child of children) yield* linesOf(child, `${indent}  `);
    yield `${indent}</${name}>\n`;
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Control characters were made visible before: XML has no way to write them. These two it does not allow either. */
function escaped(text: string): string {
  return text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '').replaceAll(/[\ufffe\uffff]/g, '\ufffd');
}
