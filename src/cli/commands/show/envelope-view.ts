import { withDeadline } from '#analysis/search/deadline.js';
import { CtxError } from '#base/errors.js';
import { asString, asText } from '#base/json.js';
import { largestFirst } from '#base/lists.js';
import { clip, count, modelName, percent } from '#base/words.js';
import type { JsonOf } from '#cli/schemas.js';
import { roleSent } from '#context/replay/convert.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { assumedNote, windowIn } from '#context/size/window.js';
import { searchText, toolNames } from '#context/words/message-text.js';
import { type Block, type Doc, gap, heading, line, type Report, type Span, span, verbatim } from '#ui/doc/doc.js';
import { messageDoc, numbered, type NumberedMessage, originText } from '#ui/parts/message-view.js';
import { summaryDoc } from '#ui/parts/overview.js';
import { optionsDoc, spaced, systemDoc, toolsDoc } from '#ui/parts/regions-view.js';
import { sizeShares, sizeSource, sizeText } from '#ui/parts/size-words.js';

/** Everything in the envelope, for a terminal. */
export function fullDoc(envelope: ContextEnvelope, title: string): Doc {
  return spaced([
    summaryDoc(envelope, title),
    systemDoc(envelope, true),
    toolsDoc(envelope, { isFull: true }),
    optionsDoc(envelope),
    ...numbered(envelope).map((item) => messageDoc(item, true)),
  ]);
}

/** The envelope as a document, with the sections of the original design's `get_context` rendering. */
export function markdownDoc(envelope: ContextEnvelope, isFull: boolean): Doc {
  const messages = numbered(envelope);
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
      : `${percent(meta.size.tokens, meta.limit)} of ${count(meta.limit)} tokens${assumedNote(windowIn(meta))}`;
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
      [span(`${modelName(model)}, thinking ${meta.thinkingLevel}`)],
      [span(`turn ${meta.turnIndex}, before request ${count(meta.requestIndex + 1)}`)],
      [span(`tokens: ${sizeText(meta.size)} (${sizeSource(meta.size, { model, method })}); ${used}`)],
      [span(`parts: ${partsText(sizeShares(meta))}`)],
      ...(meta.usage
        ? [[span(`tokens, recorded: ${count(meta.usage.tokens)} at `), span(meta.usage.entryId ?? '', 'id')]]
        : []),
      ...Object.entries(meta.sources).map(([region, source]) => [span(`${region}: ${source}`)]),
    ]),
  ];
}

function partsText({ system, tools, cached, uncached, notItemised }: ReturnType<typeof sizeShares>): string {
  const parts = {
    system,
    tools,
    messages: cached,
    'for this request only': uncached || null,
    'not itemised': notItemised,
  };
  return Object.entries(parts)
    .flatMap(([name, tokens]) => (tokens === null ? [] : `${name} ${count(tokens)}`))
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
  const origin = originText(item);
  const where = [span(' — '), span(provenance?.entryId ?? '', 'id'), span(origin === '' ? '' : ` (${origin})`)];
  if (isFull)
    return [line(`${number}. `, span(roleSent(message), 'strong'), ...where), ...messageDoc(item, true).slice(1)];
  return [line(`${number}. `, span(roleSent(message), 'strong'), ...where, ` — ${clip(searchText(message), false)}`)];
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
export interface Selection {
  readonly message?: number | undefined;
  readonly role?: string | undefined;
  readonly tool?: string | undefined;
  readonly grep?: RegExp | undefined;
  readonly sort?: string | undefined;
}

export function isSelection({ message, role, tool, grep }: Selection): boolean {
  return message !== undefined || role !== undefined || tool !== undefined || grep !== undefined;
}

/** The messages that match every condition. Throws a CtxError (usage) for a number beyond the last message. */
function selectMessages(
  all: readonly NumberedMessage[],
  { message: number, role, tool, grep }: Selection,
): readonly NumberedMessage[] {
  if (number !== undefined && !all[number - 1]) {
    throw new CtxError('usage', `there is no message ${number}`, {
      hint: all.length === 0 ? 'there are none here' : `the messages here are numbered 1 to ${all.length}`,
    });
  }
  const isSelected = (item: NumberedMessage): boolean =>
    (number === undefined || item.number === number) &&
    (role === undefined || roleSent(item.message) === role) &&
    (tool === undefined || toolNames(item.message).includes(tool));
  const selected = all.filter(isSelected);
  if (grep === undefined) return selected;
  const texts = selected.map(({ message }) => searchText(message));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return withDeadline('--grep', length, () => selected.filter((_, at) => grep.test(texts[at] ?? '')));
}

export function selectedDoc(items: readonly NumberedMessage[], selection: Selection, isFull: boolean): Doc {
  const found = selectMessages(items, selection);
  if (found.length === 0) return [line(span('no message matches', 'faint'))];
  const listed = selection.sort ? largestFirst(found, ({ share }) => share.tokens) : found;
  return spaced(listed.map((item) => messageDoc(item, isFull)));
}

/** A selection as JSON Lines: a part of the envelope under its name, or a line for each message. */
export function* selectedLines(
  envelope: ContextEnvelope,
  selection: Selection & { readonly part?: 'system' | 'tools' | 'messages' | 'options' | undefined },
): Generator<Report> {
  const { part, tool } = selection;
  if (part === 'tools' && tool !== undefined)
    yield { data: { tools: envelope.tools.filter(({ name }) => name === tool) }, doc: () => [] };
  else if (part !== undefined && !isSelection(selection)) yield { data: { [part]: envelope[part] }, doc: () => [] };
  else
    for (const item of selectMessages(numbered(envelope), selection)) yield { data: messageLine(item), doc: () => [] };
}

function messageLine({ number, message, provenance, isCached, share }: NumberedMessage): JsonOf<'message'> {
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
    ...[...cached, ...uncached].flatMap(toolNames),
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
