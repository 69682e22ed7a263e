import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { listToolNames } from '#context/words/message-blocks.js';

/** Throws a CtxError (usage) for a tool that an envelope neither defines nor has messages of. */
export function refuseUnknownTool(envelope: ContextEnvelope, tool: string): void {
  const { cached, uncached } = envelope.messages;
  refuseUnknownName(`the context has no tool "${tool}"`, tool, [
    ...listDefinedTools(envelope),
    ...[...cached, ...uncached].flatMap(listToolNames),
  ]);
}

/** Throws a CtxError (usage) unless the name is a region, or a part or tool of one of the envelopes. */
export function refuseUnknownPart(envelopes: readonly ContextEnvelope[], part: string): void {
  const names = envelopes.flatMap((envelope) => [
    ...envelope.system.parts.map(({ name }) => name),
    ...listDefinedTools(envelope),
  ]);
  refuseUnknownName(`neither context has a part "${part}"`, part, ['system', 'tools', 'options', 'messages', ...names]);
}

function listDefinedTools({ tools }: ContextEnvelope): readonly string[] {
  return tools.map(({ name }) => asString(name) ?? '');
}

const MOST_LISTED = 20;

function refuseUnknownName(what: string, name: string, all: readonly string[]): void {
  const names = [...new Set(all)].filter((one) => one !== '');
  if (names.includes(name)) return;
  const more = names.length > MOST_LISTED ? `, and ${names.length - MOST_LISTED} more` : '';
  const hint = names.length === 0 ? 'it has no tools' : `choose from ${names.slice(0, MOST_LISTED).join(', ')}${more}`;
  throw new CtxError('usage', what, { hint });
}
