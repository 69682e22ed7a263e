import { asString, asText } from '#base/json.js';
import type { ToolDefinition } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { type Block, type Doc, gap, heading, line, span, verbatim } from '../doc/doc.js';
import { clipText } from './clip-text.js';
import { formatShare } from './size-words.js';

/** The system prompt, part by part. */
export function renderSystemPrompt({ system, meta }: Pick<EnvelopeOverview, 'system' | 'meta'>, isFull: boolean): Doc {
  const { systemParts } = meta.composition;
  const parts = system.parts.flatMap(({ name, text }, at) => [
    line(
      span(name === '' ? '(unnamed)' : name, 'strong'),
      span(`  ${formatShare(systemParts[at] ?? NO_TOKENS)}`, 'faint'),
    ),
    verbatim(clipText(text, isFull)),
  ]);
  if (parts.length === 0) return [heading(2, 'System'), renderMissing('system prompt', meta.sources.system)];
  return [heading(2, 'System'), ...parts];
}

interface ToolsStyle {
  readonly isFull: boolean;
  /** The name of the one tool that is shown. */
  readonly only?: string | undefined;
}

const NO_TOKENS = { tokens: 0 };

/** Tool definitions, or the one of a name. */
export function renderTools({ tools, meta }: Pick<EnvelopeOverview, 'tools' | 'meta'>, style: ToolsStyle): Doc {
  const { only } = style;
  const all = tools.map((tool, at) => ({ tool, share: meta.composition.tools[at] ?? NO_TOKENS }));
  const shown = only === undefined ? all : all.filter(({ tool }) => tool.name === only);
  const unimplemented = new Set(meta.toolsWithoutImplementation);
  const blocks = shown.flatMap(({ tool, share }) => [
    renderToolLine(tool, share, unimplemented.has(tool.name)),
    ...renderToolTexts(tool, style),
  ]);
  if (shown.length > 0) return [heading(2, 'Tools'), ...blocks];
  const names = tools.map(({ name }) => asText(name)).join(', ');
  const none =
    tools.length === 0
      ? renderMissing('tools', meta.sources.tools)
      : renderNote(`no tool "${only}"; the tools are ${names}`);
  return [heading(2, 'Tools'), none];
}

/** The options of a request, as JSON. */
export function renderOptions({ options, meta }: Pick<EnvelopeOverview, 'options' | 'meta'>): Doc {
  const isEmpty = Object.keys(options).length === 0;
  return [
    heading(2, 'Options'),
    isEmpty ? renderMissing('options', meta.sources.options) : verbatim(JSON.stringify(options, null, 2), 'json'),
  ];
}

/** Joins documents, with a gap between each two. */
export function separateDocs(docs: readonly Doc[]): Doc {
  return docs.flatMap((doc, at) => (at === 0 ? doc : [gap, ...doc]));
}

function renderToolLine({ name }: ToolDefinition, share: typeof NO_TOKENS, isUnimplemented: boolean): Block {
  return line(
    span(asString(name) ?? '(unnamed)', 'strong'),
    isUnimplemented
      ? span('  no implementation: omitted at run time', 'warning')
      : span(`  ${formatShare(share)}`, 'faint'),
  );
}

function renderToolTexts(tool: ToolDefinition, { isFull }: ToolsStyle): Doc {
  const { name: _, description, ...definition } = tool;
  const about = verbatim(clipText(asString(description) ?? '', isFull));
  return isFull ? [about, verbatim(JSON.stringify(definition, null, 2), 'json')] : [about];
}

/** The note for an empty region: whether it was recorded as empty, or is not recorded. */
function renderMissing(what: string, source: ContextEnvelope['meta']['sources']['system']): Doc[number] {
  const text =
    source === 'unknown' ? `the session does not record its ${what}; pass --baseline FILE to supply it` : `no ${what}`;
  return renderNote(text);
}

function renderNote(text: string): Doc[number] {
  return { kind: 'bullets', items: [[span(text, 'faint')]] };
}
