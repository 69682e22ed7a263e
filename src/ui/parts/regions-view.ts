import { asString, asText } from '#base/json.js';
import { clip } from '#base/words.js';
import type { ToolDefinition } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeSummary } from '#context/replay/overview.js';
import { type TokenMethod, tokensOfValue } from '#context/replay/tokens.js';
import { type Doc, gap, heading, line, span, verbatim } from '../doc/doc.js';
import { estimateText } from './size-words.js';

/** The system prompt, part by part. */
export function systemDoc({ system, meta }: EnvelopeSummary, isFull: boolean, method?: TokenMethod): Doc {
  const parts = system.parts.flatMap(({ name, text }) => [
    line(
      span(name === '' ? '(unnamed)' : name, 'strong'),
      span(`  ${estimateText(tokensOfValue(text, method), method)}`, 'faint'),
    ),
    verbatim(clip(text, isFull)),
  ]);
  return [heading(2, 'System'), ...(parts.length === 0 ? [missing('system prompt', meta.sources.system)] : parts)];
}

interface ToolsStyle {
  readonly isFull: boolean;
  /** The name of the one tool that is shown. */
  readonly only?: string | undefined;
  readonly method?: TokenMethod | undefined;
}

/** Tool definitions, or the one of a name. */
export function toolsDoc({ tools, meta }: EnvelopeSummary, style: ToolsStyle): Doc {
  const { only } = style;
  const shown = only === undefined ? tools : tools.filter(({ name }) => name === only);
  const unimplemented = new Set(meta.toolsWithoutImplementation);
  const blocks = shown.flatMap((tool) => toolDoc(tool, unimplemented.has(tool.name), style));
  const none =
    tools.length === 0
      ? missing('tools', meta.sources.tools)
      : note(`no tool "${only}"; the tools are ${tools.map(({ name }) => asText(name)).join(', ')}`);
  return [heading(2, 'Tools'), ...(shown.length === 0 ? [none] : blocks)];
}

export function optionsDoc({ options, meta }: EnvelopeSummary): Doc {
  const isEmpty = Object.keys(options).length === 0;
  return [
    heading(2, 'Options'),
    isEmpty ? missing('options', meta.sources.options) : verbatim(JSON.stringify(options, null, 2), 'json'),
  ];
}

/** Blocks one after another, a gap between each two. */
export function spaced(docs: readonly Doc[]): Doc {
  return docs.flatMap((doc, at) => (at === 0 ? doc : [gap, ...doc]));
}

function toolDoc(tool: ToolDefinition, isUnimplemented: boolean, { isFull, method }: ToolsStyle): Doc {
  const { name, description, ...definition } = tool;
  return [
    line(
      span(asString(name) ?? '(unnamed)', 'strong'),
      span(`  ${estimateText(tokensOfValue(tool, method), method)}`, 'faint'),
      span(isUnimplemented ? '  no implementation: omitted at run time' : '', 'warning'),
    ),
    verbatim(clip(asString(description) ?? '', isFull)),
    ...(isFull ? [verbatim(JSON.stringify(definition, null, 2), 'json')] : []),
  ];
}

/** The note for an empty region: whether it was recorded as empty, or is not recorded. */
function missing(what: string, source: ContextEnvelope['meta']['sources']['system']): Doc[number] {
  const text =
    source === 'unknown' ? `the session does not record its ${what}; pass --baseline FILE to supply it` : `no ${what}`;
  return note(text);
}

function note(text: string): Doc[number] {
  return { kind: 'bullets', items: [[span(text, 'faint')]] };
}
