import { canonicalJson } from '#base/canonical-json.js';
import { isObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { setParts } from '#context/replay/system-messages.js';
import { applyList, diffList, type ItemChange, type Sameness } from './list-diff.js';

/** A changed generation option; options that are not set are omitted. */
export interface OptionChange {
  readonly name: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The changes that turn one request into another. */
export interface EnvelopeDiff {
  readonly parts: readonly ItemChange<SystemPart>[];
  readonly tools: readonly ItemChange<ToolDefinition>[];
  readonly options: readonly OptionChange[];
  readonly cached: readonly ItemChange<LlmMessage>[];
  readonly uncached: readonly ItemChange<LlmMessage>[];
}

/** The source of a message, which identifies its states; undefined or null if unknown. */
export type FindSource = (message: LlmMessage) => unknown;

/**
 * Compares two requests. `sourceOf` identifies the messages that are states of the same one; without it they
 * are aligned by content. `selectCompared`: the fields of a message that count (default: all).
 */
export function diffEnvelopes(
  before: EnvelopeContent,
  after: EnvelopeContent,
  sourceOf: FindSource = () => null,
  selectCompared: (message: LlmMessage) => LlmMessage = (message) => message,
): EnvelopeDiff {
  const messages = buildSameness(sourceOf, selectCompared);
  return {
    parts: diffList(before.system.parts, after.system.parts, SAME_PART),
    tools: diffList(before.tools, after.tools, SAME_TOOL),
    options: diffOptions(before.options, after.options),
    cached: diffList(before.messages.cached, after.messages.cached, messages),
    uncached: diffList(before.messages.uncached, after.messages.uncached, messages),
  };
}

/** Applies a difference: `applyDiff(a, diffEnvelopes(a, b))` equals `b` (law L7). */
export function applyDiff(content: EnvelopeContent, diff: EnvelopeDiff): EnvelopeContent {
  const { system, messages } = content;
  const options: Record<string, unknown> = { ...content.options };
  for (const change of diff.options) {
    if (Object.hasOwn(change, 'after')) define(options, change.name, change.after);
    else delete options[change.name];
  }
  return {
    ...setParts(content, applyList(system.parts, diff.parts)),
    tools: applyList(content.tools, diff.tools),
    options,
    messages: {
      cached: applyList(messages.cached, diff.cached),
      uncached: applyList(messages.uncached, diff.uncached),
    },
  };
}

export function isEmptyDiff({ parts, tools, options, cached, uncached }: EnvelopeDiff): boolean {
  return [parts, tools, options, cached, uncached].every(({ length }) => length === 0);
}

/** Matches a renamed part by its text. */
export const SAME_PART: Sameness<SystemPart> = {
  text: (part) => JSON.stringify(part),
  identity: ({ name }) => name,
  isLike: (before, after) => before.text === after.text,
};

/** Tools are sent as stored, so another order of keys is a change. */
const SAME_TOOL: Sameness<ToolDefinition> = {
  text: (tool) => JSON.stringify(tool),
  identity: ({ name }) => name,
  isLike: (before, after) => canonicalJson({ ...before, name: '' }) === canonicalJson({ ...after, name: '' }),
};

function buildSameness(
  sourceOf: FindSource,
  selectCompared: (message: LlmMessage) => LlmMessage,
): Sameness<LlmMessage> {
  return {
    text: (message) => JSON.stringify(selectCompared(message)),
    identity: (message) => sourceOf(message),
    isLike: (before, after) => before.role === after.role && isSimilarText(readText(before), readText(after)),
  };
}

/** The text of a message for a reader to compare. */
function readText({ content }: LlmMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return canonicalJson(content);
  return content
    .map((block: unknown) => (isObject(block) && typeof block.text === 'string' ? block.text : canonicalJson(block)))
    .join('\n');
}

export function diffOptions(
  before: EnvelopeContent['options'],
  after: EnvelopeContent['options'],
): readonly OptionChange[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const was = Object.hasOwn(before, name) ? { before: before[name] } : {};
    const is = Object.hasOwn(after, name) ? { after: after[name] } : {};
    const isEqual = 'before' in was === 'after' in is && canonicalJson(before[name]) === canonicalJson(after[name]);
    return isEqual ? [] : [{ name, ...was, ...is }];
  });
}

/** Works for a name that every object has, such as `__proto__`. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** The share of the longer text that must be equal at its beginning and end to count as an edit of the other. */
const LEAST_SHARE = 0.4;

/** Whether one text is likely an edit of another: cheap and symmetric. */
export function isSimilarText(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const longer = Math.max(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end >= longer * LEAST_SHARE;
}
