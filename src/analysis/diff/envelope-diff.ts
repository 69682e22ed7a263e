import { canonicalJson, isObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage, SystemPart, ToolDefinition } from '#context/replay/content.js';
import { withParts } from '#context/replay/system.js';
import { applyList, type ItemChange, diffList, type Sameness } from './list-diff.js';

/** A generation option that is set to something else; what is not set is left out. */
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

/** Where a message comes from, so that two states of one are known as such; undefined or null where nothing says. */
export type SourceOf = (message: LlmMessage) => unknown;

/**
 * Compares what two requests hold. `sourceOf` tells which messages are states of one and the same; without it they
 * are aligned by their content alone.
 */
export function diffEnvelopes(
  before: EnvelopeContent,
  after: EnvelopeContent,
  sourceOf: SourceOf = () => null,
): EnvelopeDiff {
  const messages = sameMessage(sourceOf);
  return {
    parts: diffList(before.system.parts, after.system.parts, SAME_PART),
    tools: diffList(before.tools, after.tools, SAME_TOOL),
    options: diffOptions(before.options, after.options),
    cached: diffList(before.messages.cached, after.messages.cached, messages),
    uncached: diffList(before.messages.uncached, after.messages.uncached, messages),
  };
}

/** Law L7: `applyDiff(a, diffEnvelopes(a, b))` is b. */
export function applyDiff(content: EnvelopeContent, diff: EnvelopeDiff): EnvelopeContent {
  const { system, messages } = content;
  const options: Record<string, unknown> = { ...content.options };
  for (const change of diff.options) {
    if (Object.hasOwn(change, 'after')) define(options, change.name, change.after);
    else delete options[change.name];
  }
  return {
    ...withParts(content, applyList(system.parts, diff.parts)),
    tools: applyList(content.tools, diff.tools),
    options,
    messages: {
      cached: applyList(messages.cached, diff.cached),
      uncached: applyList(messages.uncached, diff.uncached),
    },
  };
}

export function isSame({ parts, tools, options, cached, uncached }: EnvelopeDiff): boolean {
  return [parts, tools, options, cached, uncached].every(({ length }) => length === 0);
}

/** A part of another name with the same text was renamed. */
export const SAME_PART: Sameness<SystemPart> = {
  text: (part) => JSON.stringify(part),
  identity: ({ name }) => name,
  isLike: (before, after) => before.text === after.text,
};

/** Tools are sent as they were written, so another order of keys is a change. */
const SAME_TOOL: Sameness<ToolDefinition> = {
  text: (tool) => JSON.stringify(tool),
  identity: ({ name }) => name,
  isLike: (before, after) => canonicalJson({ ...before, name: '' }) === canonicalJson({ ...after, name: '' }),
};

function sameMessage(sourceOf: SourceOf): Sameness<LlmMessage> {
  return {
    text: (message) => JSON.stringify(message),
    identity: (message) => sourceOf(message),
    isLike: (before, after) => before.role === after.role && isLikeText(wordsOf(before), wordsOf(after)),
  };
}

/** The text that a person would compare two messages by. */
function wordsOf({ content }: LlmMessage): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return canonicalJson(content);
  return content
    .map((block: unknown) =>
      isObject(block) && typeof block['text'] === 'string' ? block['text'] : canonicalJson(block),
    )
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

/** Also for a name that objects have from the beginning, such as `__proto__`. */
function define(target: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
}

/** So much of the longer text has to be the same at its beginning and end for it to be the other one, changed. */
const LEAST_SHARE = 0.4;

/** Whether one text looks like another that was edited: cheap, and the same both ways round. */
export function isLikeText(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  const longer = Math.max(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  return start + end >= longer * LEAST_SHARE;
}
