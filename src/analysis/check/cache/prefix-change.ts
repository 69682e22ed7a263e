import { isJsonEqual } from '#base/canonical-json.js';
import type { EnvelopeContent, LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';

/** The differences between a request and an earlier one. Failed answers do not count, since Pi does not send them. */
export interface PrefixChange {
  /** The names of the changed, added and removed system parts; `order` if only their order changed. */
  readonly parts: readonly string[];
  readonly tools: boolean;
  readonly options: boolean;
  /** The first message of the earlier request that changed; null if none did. */
  readonly message: number | null;
  /** Whether messages were appended. */
  readonly isLonger: boolean;
}

export function comparePrefixes(before: EnvelopeContent, after: EnvelopeContent): PrefixChange {
  const { message, isLonger } = compareMessages(before.messages.cached, after.messages.cached);
  return {
    parts: listChangedParts(before.system.parts, after.system.parts),
    tools: !areEqualTools(before.tools, after.tools),
    options: !isJsonEqual(before.options, after.options),
    message,
    isLonger,
  };
}

export function isUnchangedPrefix({ parts, tools, options, message, isLonger }: PrefixChange): boolean {
  return parts.length === 0 && !tools && !options && message === null && !isLonger;
}

function compareMessages(
  before: readonly LlmMessage[],
  after: readonly LlmMessage[],
): Pick<PrefixChange, 'message' | 'isLonger'> {
  let at = skipFailed(before, 0);
  let other = skipFailed(after, 0);
  while (at < before.length && other < after.length) {
    if (!isJsonEqual(before[at], after[other])) return { message: at, isLonger: false };
    at = skipFailed(before, at + 1);
    other = skipFailed(after, other + 1);
  }
  return { message: at < before.length ? at : null, isLonger: other < after.length };
}

function skipFailed(messages: readonly LlmMessage[], start: number): number {
  let at = start;
  for (let message = messages[at]; message && isFailedAnswer(message); message = messages[at]) at += 1;
  return at;
}

/** Whether two tool lists are equal. Most tools are identical objects, which are not serialised. */
export function areEqualTools(some: readonly ToolDefinition[], others: readonly ToolDefinition[]): boolean {
  return some === others || (some.length === others.length && some.every((tool, at) => isJsonEqual(tool, others[at])));
}

function listChangedParts(before: readonly SystemPart[], after: readonly SystemPart[]): readonly string[] {
  if (before === after || areSameParts(before, after)) return [];
  const old = mapTextsByName(before);
  const now = mapTextsByName(after);
  const names = [...new Set([...old.keys(), ...now.keys()])].filter((name) => old.get(name) !== now.get(name));
  return names.length === 0 ? ['order'] : names;
}

function mapTextsByName(parts: readonly SystemPart[]): ReadonlyMap<string, string> {
  return new Map(parts.map(({ name, text }) => [name, text]));
}

function areSameParts(some: readonly SystemPart[], others: readonly SystemPart[]): boolean {
  return some.length === others.length && some.every((part, at) => isSamePart(part, others[at]));
}

function isSamePart({ name, text, separator }: SystemPart, other: SystemPart | undefined): boolean {
  return name === other?.name && text === other.text && separator === other.separator;
}
