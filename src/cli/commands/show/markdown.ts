import { asString, asText } from '#base/json.js';
import { formatCount, formatPercent } from '#base/numbers.js';
import { formatModel } from '#context/models/model-name.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { describeAssumedWindow, toWindow } from '#context/size/window.js';
import { type Block, type Doc, gap, heading, line, span, type Span, verbatim } from '#ui/doc/doc.js';
import { clipText } from '#ui/parts/clip-text.js';
import { describeOrigin, type NumberedMessage, numberMessages, renderMessage } from '#ui/parts/message-view.js';
import { describeSizeSource, formatShare, formatSize, type SizeShares, toSizeShares } from '#ui/parts/size-words.js';

/** The envelope as a document, with the sections of the original design's `get_context` rendering. */
export function renderEnvelopeMarkdown(envelope: ContextEnvelope, isFull: boolean): Doc {
  const messages = numberMessages(envelope);
  return [
    heading(1, 'Context Envelope'),
    ...renderMeta(envelope),
    heading(2, 'Options'),
    verbatim(JSON.stringify(envelope.options, null, 2), 'json'),
    heading(2, 'System (parts)'),
    ...envelope.system.parts.flatMap(({ name, text }) => [heading(3, name), verbatim(clipText(text, isFull))]),
    heading(2, 'Tools'),
    renderToolList(envelope),
    ...renderMessageSection(
      'Messages (cached)',
      messages.filter(({ isCached }) => isCached),
      isFull,
    ),
    ...renderMessageSection(
      'Messages (uncached)',
      messages.filter(({ isCached }) => !isCached),
      isFull,
    ),
    ...renderTransforms(envelope),
    ...renderEphemeral(envelope),
  ];
}

function renderMeta({ session, at, meta }: ContextEnvelope): Doc {
  const { model } = meta;
  const used =
    meta.limit === null
      ? 'context window unknown'
      : `${formatPercent(meta.size.tokens, meta.limit)} of ${formatCount(meta.limit)} tokens${describeAssumedWindow(toWindow(meta))}`;
  const { method } = meta.tokens;
  return [
    heading(2, 'Meta'),
    renderBullets([
      [span('session: '), span(session.id, 'id'), span(`, ${session.file}`)],
      [
        span('entry: '),
        span(at.entryId ?? 'none', 'id'),
        span(at.entryId === at.leafId ? ' (HEAD)' : ` (line ${at.line})`),
      ],
      [span(`${formatModel(model)}, thinking ${meta.thinkingLevel}`)],
      [span(`turn ${meta.turnIndex}, before request ${formatCount(meta.requestIndex + 1)}`)],
      [span(`tokens: ${formatSize(meta.size)} (${describeSizeSource(meta.size, { model, method })}); ${used}`)],
      [span(`parts: ${describeParts(toSizeShares(meta))}`)],
      ...(meta.usage
        ? [[span(`tokens, recorded: ${formatCount(meta.usage.tokens)} at `), span(meta.usage.entryId ?? '', 'id')]]
        : []),
      ...Object.entries(meta.sources).map(([region, source]) => [span(`${region}: ${source}`)]),
    ]),
  ];
}

function describeParts({ system, tools, cached, uncached, notItemised }: SizeShares): string {
  const parts = {
    system,
    tools,
    messages: cached,
    'for this request only': uncached || null,
    'not recorded': notItemised,
  };
  return Object.entries(parts)
    .flatMap(([name, tokens]) => (tokens === null ? [] : `${name} ${formatCount(tokens)}`))
    .join(' + ');
}

function renderToolList({ tools, meta }: ContextEnvelope): Block {
  if (tools.length === 0) return line('(none)');
  const unimplemented = new Set(meta.toolsWithoutImplementation);
  return renderBullets(
    tools.map((tool) => [
      span(asText(tool.name), 'strong'),
      span(
        `: ${asString(tool.description) ?? ''}${unimplemented.has(tool.name) ? ' (no implementation: omitted at run time)' : ''}`,
      ),
    ]),
  );
}

function renderMessageSection(title: string, items: readonly NumberedMessage[], isFull: boolean): Doc {
  return [
    heading(2, title),
    line(`count: ${items.length}`),
    ...items.flatMap((item) => renderMessageItem(item, isFull)),
  ];
}

/** Texts are quoted; long ones are cut unless `isFull`. */
function renderMessageItem(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance, share } = item;
  const origin = describeOrigin(item);
  const facts = [formatShare(share), ...(origin === '' ? [] : [origin])];
  return [
    heading(3, `${number}. ${readSentRole(message)}`),
    line(span(provenance?.entryId ?? '', 'id'), span(`${provenance?.entryId ? ', ' : ''}${facts.join(', ')}`)),
    ...renderMessage(item, isFull).slice(1),
  ];
}

function renderTransforms({ meta }: ContextEnvelope): Doc {
  if (meta.transforms.length === 0) return [];
  return [
    heading(2, 'Context transforms (persisted)'),
    ...meta.transforms.flatMap(({ transformerName, ops, invalidateCacheReasons, display, entryId }): Block[] => [
      heading(3, display?.title ?? transformerName),
      line(span(entryId ?? '', 'id'), `, ops: ${ops.join(', ')}; reasons: ${invalidateCacheReasons.join('; ')}`),
      ...(display?.summary === undefined ? [] : [line(display.summary)]),
      ...(display?.markdown === undefined ? [] : [verbatim(display.markdown, 'markdown')]),
    ]),
  ];
}

function renderEphemeral({ meta }: ContextEnvelope): Doc {
  if (meta.ephemeralMessages === 0) return [];
  return [
    heading(2, 'Ephemeral (request-only log)'),
    line(`messages logged for this request: ${meta.ephemeralMessages}`),
    gap,
  ];
}

function renderBullets(items: readonly (readonly Span[])[]): Block {
  return { kind: 'bullets', items };
}
