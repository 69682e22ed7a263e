import { runWithDeadline } from '#analysis/search/deadline.js';
import { CtxError } from '#base/errors.js';
import { asString, asText } from '#base/json.js';
import { sortLargestFirst } from '#base/lists.js';
import { clip, formatCount, formatModel, formatPercent } from '#base/words.js';
import { readSentRole } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { describeAssumedWindow, toWindow } from '#context/size/window.js';
import { listToolNames, searchableText } from '#context/words/message-text.js';
import { type Block, type Doc, gap, heading, line, type Printable, type Span, span, verbatim } from '#ui/doc/doc.js';
import { describeOrigin, type NumberedMessage, numberMessages, renderMessage } from '#ui/parts/message-view.js';
import { renderEnvelopeSummary } from '#ui/parts/overview.js';
import { renderOptions, renderSystemPrompt, renderTools, separateDocs } from '#ui/parts/regions-view.js';
import { describeSizeSource, formatSize, toSizeShares } from '#ui/parts/size-words.js';
import type { EnvelopeMessageLine } from './document.js';

/** Everything in the envelope, for a terminal. */
export function renderEnvelope(envelope: ContextEnvelope, title: string): Doc {
  return separateDocs([
    renderEnvelopeSummary(envelope, title),
    renderSystemPrompt(envelope, true),
    renderTools(envelope, { isFull: true }),
    renderOptions(envelope),
    ...numberMessages(envelope).map((item) => renderMessage(item, true)),
  ]);
}

/** The envelope as a document, with the sections of the original design's `get_context` rendering. */
export function renderEnvelopeMarkdown(envelope: ContextEnvelope, isFull: boolean): Doc {
  const messages = numberMessages(envelope);
  return [
    heading(1, 'Context Envelope'),
    ...metaSection(envelope),
    heading(2, 'Options'),
    verbatim(JSON.stringify(envelope.options, null, 2), 'json'),
    heading(2, 'System (parts)'),
    ...envelope.system.parts.flatMap(({ name, text }) => [heading(3, name), verbatim(clip(text, isFull))]),
    heading(2, 'Tools'),
    toolSection(envelope),
    ...messageSection(
      'Messages (cached)',
      messages.filter(({ isCached }) => isCached),
      isFull,
    ),
    ...messageSection(
      'Messages (uncached)',
      messages.filter(({ isCached }) => !isCached),
      isFull,
    ),
    ...transformSection(envelope),
    ...ephemeralSection(envelope),
  ];
}

function metaSection({ session, at, meta }: ContextEnvelope): Doc {
  const { model } = meta;
  const used =
    meta.limit === null
      ? 'context window unknown'
      : `${formatPercent(meta.size.tokens, meta.limit)} of ${formatCount(meta.limit)} tokens${describeAssumedWindow(toWindow(meta))}`;
  const { method } = meta.tokens;
  return [
    heading(2, 'Meta'),
    bullets([
      [span('session: '), span(session.id, 'id'), span(`, ${session.file}`)],
      [
        span('entry: '),
        span(at.entryId ?? 'none', 'id'),
        span(at.entryId === at.leafId ? ' (HEAD)' : ` (line ${at.line})`),
      ],
      [span(`${formatModel(model)}, thinking ${meta.thinkingLevel}`)],
      [span(`turn ${meta.turnIndex}, before request ${formatCount(meta.requestIndex + 1)}`)],
      [span(`tokens: ${formatSize(meta.size)} (${describeSizeSource(meta.size, { model, method })}); ${used}`)],
      [span(`parts: ${partsText(toSizeShares(meta))}`)],
      ...(meta.usage
        ? [[span(`tokens, recorded: ${formatCount(meta.usage.tokens)} at `), span(meta.usage.entryId ?? '', 'id')]]
        : []),
      ...Object.entries(meta.sources).map(([region, source]) => [span(`${region}: ${source}`)]),
    ]),
  ];
}

function partsText({ system, tools, cached, uncached, notItemised }: ReturnType<typeof toSizeShares>): string {
  const parts = {
    system,
    tools,
    messages: cached,
    'for this request only': uncached || null,
    'not itemised': notItemised,
  };
  return Object.entries(parts)
    .flatMap(([name, tokens]) => (tokens === null ? [] : `${name} ${formatCount(tokens)}`))
    .join(' + ');
}

function toolSection({ tools, meta }: ContextEnvelope): Block {
  if (tools.length === 0) return line('(none)');
  const unimplemented = new Set(meta.toolsWithoutImplementation);
  return bullets(
    tools.map((tool) => [
      span(asText(tool.name), 'strong'),
      span(
        `: ${asString(tool['description']) ?? ''}${unimplemented.has(tool.name) ? ' (no implementation: omitted at run time)' : ''}`,
      ),
    ]),
  );
}

function messageSection(title: string, items: readonly NumberedMessage[], isFull: boolean): Doc {
  return [heading(2, title), line(`count: ${items.length}`), ...items.flatMap((item) => messageEntry(item, isFull))];
}

function messageEntry(item: NumberedMessage, isFull: boolean): Doc {
  const { number, message, provenance } = item;
  const origin = describeOrigin(item);
  const where = [span(' — '), span(provenance?.entryId ?? '', 'id'), span(origin === '' ? '' : ` (${origin})`)];
  if (isFull)
    return [
      line(`${number}. `, span(readSentRole(message), 'strong'), ...where),
      ...renderMessage(item, true).slice(1),
    ];
  return [
    line(`${number}. `, span(readSentRole(message), 'strong'), ...where, ` — ${clip(searchableText(message), false)}`),
  ];
}

function transformSection({ meta }: ContextEnvelope): Doc {
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

function ephemeralSection({ meta }: ContextEnvelope): Doc {
  if (meta.ephemeralMessages === 0) return [];
  return [
    heading(2, 'Ephemeral (request-only log)'),
    line(`messages logged for this request: ${meta.ephemeralMessages}`),
    gap,
  ];
}

function bullets(items: readonly (readonly Span[])[]): Block {
  return { kind: 'bullets', items };
}

/** The messages to print; an undefined field does not restrict them. */
export interface MessageSelection {
  readonly message?: number | undefined;
  readonly role?: string | undefined;
  readonly tool?: string | undefined;
  readonly grep?: RegExp | undefined;
  readonly sort?: string | undefined;
}

export function hasSelection({ message, role, tool, grep }: MessageSelection): boolean {
  return message !== undefined || role !== undefined || tool !== undefined || grep !== undefined;
}

/** The messages that match every condition. Throws a CtxError (usage) for a number beyond the last message. */
function selectMessages(
  all: readonly NumberedMessage[],
  { message: number, role, tool, grep }: MessageSelection,
): readonly NumberedMessage[] {
  if (number !== undefined && !all[number - 1]) {
    throw new CtxError('usage', `there is no message ${number}`, {
      hint: all.length === 0 ? 'there are none here' : `the messages here are numbered 1 to ${all.length}`,
    });
  }
  const isSelected = (item: NumberedMessage): boolean =>
    (number === undefined || item.number === number) &&
    (role === undefined || readSentRole(item.message) === role) &&
    (tool === undefined || listToolNames(item.message).includes(tool));
  const selected = all.filter(isSelected);
  if (grep === undefined) return selected;
  const texts = selected.map(({ message }) => searchableText(message));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return runWithDeadline('--grep', length, () => selected.filter((_, at) => grep.test(texts[at] ?? '')));
}

export function renderSelection(items: readonly NumberedMessage[], selection: MessageSelection, isFull: boolean): Doc {
  const found = selectMessages(items, selection);
  if (found.length === 0) return [line(span('no message matches', 'faint'))];
  const listed = selection.sort ? sortLargestFirst(found, ({ share }) => share.tokens) : found;
  return separateDocs(listed.map((item) => renderMessage(item, isFull)));
}

/** A selection as JSON Lines: a part of the envelope under its name, or a line for each message. */
export function* listSelectedLines(
  envelope: ContextEnvelope,
  selection: MessageSelection & { readonly part?: 'system' | 'tools' | 'messages' | 'options' | undefined },
): Generator<Printable> {
  const { part, tool } = selection;
  if (part === 'tools' && tool !== undefined)
    yield { data: { tools: envelope.tools.filter(({ name }) => name === tool) }, doc: () => [] };
  else if (part !== undefined && !hasSelection(selection)) yield { data: { [part]: envelope[part] }, doc: () => [] };
  else
    for (const item of selectMessages(numberMessages(envelope), selection))
      yield { data: messageLine(item), doc: () => [] };
}

function messageLine({ number, message, provenance, isCached, share }: NumberedMessage): EnvelopeMessageLine {
  return {
    schema: 'ctx/message',
    schemaVersion: 1,
    number,
    entryId: provenance?.entryId ?? null,
    line: provenance?.line ?? null,
    origin: provenance?.origin ?? null,
    isCached,
    ...share,
    message: { ...message },
  };
}

/** Throws a CtxError (usage) for a tool that an envelope neither defines nor has messages of. */
export function refuseUnknownTool(envelope: ContextEnvelope, tool: string): void {
  const { cached, uncached } = envelope.messages;
  refuseUnknown(`the context has no tool "${tool}"`, tool, [
    ...definedIn(envelope),
    ...[...cached, ...uncached].flatMap(listToolNames),
  ]);
}

/** Throws a CtxError (usage) unless the name is a region, or a part or tool of one of the envelopes. */
export function refuseUnknownPart(envelopes: readonly ContextEnvelope[], part: string): void {
  const named = envelopes.flatMap((envelope) => [
    ...envelope.system.parts.map(({ name }) => name),
    ...definedIn(envelope),
  ]);
  refuseUnknown(`neither context has a part "${part}"`, part, ['system', 'tools', 'options', 'messages', ...named]);
}

function definedIn({ tools }: ContextEnvelope): readonly string[] {
  return tools.map(({ name }) => asString(name) ?? '');
}

const MOST_LISTED = 20;

function refuseUnknown(what: string, name: string, all: readonly string[]): void {
  const known = [...new Set(all)].filter((one) => one !== '');
  if (known.includes(name)) return;
  const more = known.length > MOST_LISTED ? `, and ${known.length - MOST_LISTED} more` : '';
  const hint = known.length === 0 ? 'it has no tools' : `choose from ${known.slice(0, MOST_LISTED).join(', ')}${more}`;
  throw new CtxError('usage', what, { hint });
}
