import { withDeadline } from '#analysis/search/pattern-search.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import type { JsonOf } from '#cli/schemas.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type TokenMethod, tokensOfMessage } from '#context/replay/tokens.js';
import { searchText, toolNames } from '#context/words/message-text.js';
import type { Report } from '#ui/doc/define.js';
import { numbered, type NumberedMessage } from '#ui/parts/message-view.js';

/** The messages to print; an undefined field does not restrict them. */
export interface Selection {
  readonly message?: number | undefined;
  readonly role?: string | undefined;
  readonly tool?: string | undefined;
  readonly grep?: RegExp | undefined;
}

export function isSelection({ message, role, tool, grep }: Selection): boolean {
  return message !== undefined || role !== undefined || tool !== undefined || grep !== undefined;
}

/** The messages that match every condition. Throws a CtxError (usage) for a number beyond the last message. */
export function selectMessages(
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
    (role === undefined || item.message.role === role) &&
    (tool === undefined || toolNames(item.message).includes(tool));
  const selected = all.filter(isSelected);
  if (grep === undefined) return selected;
  const texts = selected.map(({ message }) => searchText(message));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  return withDeadline('--grep', length, () => selected.filter((_, at) => grep.test(texts[at] ?? '')));
}

/** A selection as JSON Lines: a part of the envelope under its name, or a line for each message. */
export function* selectedLines(
  envelope: ContextEnvelope,
  selection: Selection & { readonly part?: 'system' | 'tools' | 'messages' | 'options' | undefined },
  method: TokenMethod | undefined,
): Generator<Report> {
  const { part, tool } = selection;
  if (part === 'tools' && tool !== undefined)
    yield { data: { tools: envelope.tools.filter(({ name }) => name === tool) }, doc: () => [] };
  else if (part !== undefined && !isSelection(selection)) yield { data: { [part]: envelope[part] }, doc: () => [] };
  else
    for (const item of selectMessages(numbered(envelope, method), selection))
      yield { data: messageLine(item), doc: () => [] };
}

function messageLine({ number, message, provenance, isCached, method }: NumberedMessage): JsonOf<'message'> {
  return {
    schema: 'ctx/message',
    schemaVersion: 1,
    number,
    entryId: provenance?.entryId ?? null,
    line: provenance?.line ?? null,
    origin: provenance?.origin ?? null,
    isCached,
    tokensEstimated: tokensOfMessage(message, method),
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

const REGIONS: readonly string[] = ['system', 'tools', 'options', 'messages'];

/** Throws a CtxError (usage) unless the name is a region, or a part or tool of one of the envelopes. */
export function refuseUnknownPart(envelopes: readonly ContextEnvelope[], part: string): void {
  const named = envelopes.flatMap((envelope) => [
    ...envelope.system.parts.map(({ name }) => name),
    ...definedIn(envelope),
  ]);
  refuseUnknown(`neither context has a part "${part}"`, part, [...REGIONS, ...named]);
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
