import { diffList } from '#analysis/diff/list-diff.js';
import { asText, isObject, type JsonObject } from '#base/json.js';
import { joinSystemMessages } from '#change/compact/system-message.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId } from '#session/heads/head.js';
import type { EventRun, RequestChange } from '../extension-fields.js';
import type { HookHost } from '../hook-host.js';
import type { HookedPath } from '../hooked-path.js';
import type { HandlerAnswer } from '../plugin/serve-hook.js';
import { type AnswerUse, type Emission, emitAll, ignoreAnswer, readAnswerMembers } from './emit.js';

/** The request that Pi would have sent. */
export interface SentByExtension {
  readonly content: EnvelopeContent;
  readonly changes: readonly RequestChange[];
  readonly runs: readonly EventRun[];
}

interface Item {
  readonly message: StoredMessage;
  readonly entryId: string | null;
}

/**
 * Runs the two phases of Pi's request: `context` handlers see the conversation, and Pi puts the prompt and the tools back
 * after each; `context_with_system` handlers see the full transcript, and what they return is sent.
 */
export async function runTranscript(
  host: HookHost,
  hooked: HookedPath,
  {
    content,
    isProjected,
    ...about
  }: Pick<Emission, 'at' | 'view' | 'append'> & { content: EnvelopeContent; isProjected: boolean },
): Promise<SentByExtension> {
  const before = isProjected ? listProjectedItems(hooked, content) : listItems(content);
  let messages: readonly StoredMessage[] = before.map(({ message }) => message);
  let isChanged = false;
  const use = (list: readonly StoredMessage[]): void => void ([messages, isChanged] = [list, true]);
  const context = await emitAll(host, {
    ...about,
    event: 'context',
    make: () => ({ type: 'context', messages: messages.filter((message) => !isSystem(message)) }),
    take: (emitted) => replaceMessages(emitted, messages, conversation, use),
  });
  const restored = messages;
  const whole = await emitAll(host, {
    ...about,
    event: 'context_with_system',
    make: () => ({ type: 'context_with_system', messages }),
    take: (emitted) => replaceMessages(emitted, messages, transcript, use),
  });
  const runs = [...context, ...whole];
  if (!isChanged) return { content, changes: [], runs };
  const sent = hooked.buildContent(messages);
  // The prompt and the tools are Pi's, which transforms of the session may have changed, unless a handler changes them.
  const isOwn = JSON.stringify(messages.filter(isSystem)) !== JSON.stringify(restored.filter(isSystem));
  const now = isOwn ? { ...sent, options: content.options } : { ...content, messages: sent.messages };
  return { content: addTail(now, content.messages.uncached), changes: listRequestChanges(before, messages), runs };
}

function listProjectedItems(hooked: HookedPath, { messages }: EnvelopeContent): readonly Item[] {
  const projected = hooked
    .projection()
    .entries.flatMap(({ head, messages: ofEntry, isMade }) =>
      ofEntry.map((message) => ({ message, entryId: isMade ? null : formatId(head.id) })),
    );
  return [...projected, ...messages.uncached.map((message) => ({ message, entryId: null }))];
}

/** A request that an `ephemeral` hook has changed, as a transcript. */
function listItems({ system, tools, messages }: EnvelopeContent): readonly Item[] {
  const head: StoredMessage = { role: 'system', content: system.compiled, toolsAdded: tools, timestamp: 0 };
  return [head, ...messages.cached, ...messages.uncached].map((message) => ({ message, entryId: null }));
}

/** The new transcript, or a sentence about what is wrong with it. */
type Restore = (
  returned: readonly JsonObject[],
  current: readonly StoredMessage[],
  isInPlace: boolean,
) => readonly StoredMessage[] | string;

function replaceMessages(
  emitted: HandlerAnswer,
  current: readonly StoredMessage[],
  { visible, restore }: { visible: (list: readonly StoredMessage[]) => readonly StoredMessage[]; restore: Restore },
  use: (list: readonly StoredMessage[]) => void,
): AnswerUse {
  const returned = readAnswerMembers(emitted).messages;
  const list = returned ?? emitted.event?.messages;
  if (list === undefined || list === null) return ignoreAnswer(emitted);
  if (!Array.isArray(list) || !list.every(isObject)) return { wrong: 'messages must be a list of messages' };
  const seen = visible(current);
  if (JSON.stringify(list) === JSON.stringify(seen)) return { outcome: 'unchanged' };
  const next = restore(list, current, returned === undefined || returned === null);
  if (typeof next === 'string') {
    use(list);
    return { wrong: next };
  }
  use(next);
  return { outcome: 'changed', what: `${seen.length} → ${list.length} messages` };
}

function isSystem({ role }: StoredMessage): boolean {
  return role === 'system';
}

const conversation = {
  visible: (list: readonly StoredMessage[]) => list.filter((message) => !isSystem(message)),
  restore: ((returned, current, isInPlace) => {
    const system = current.filter(isSystem);
    // Messages that are changed, but not the list: Pi keeps system messages in their places.
    if (isInPlace && returned.length === current.length - system.length) return restorePlaces(current, returned);
    const head = joinSystemMessages(system);
    return head ? [head, ...returned] : returned;
  }) satisfies Restore,
};

function restorePlaces(current: readonly StoredMessage[], returned: readonly JsonObject[]): readonly StoredMessage[] {
  const rest = [...returned];
  return current.map((message) => (isSystem(message) ? message : (rest.shift() ?? message)));
}

const transcript = {
  visible: (list: readonly StoredMessage[]) => list,
  restore: ((returned, current) => {
    const isDropped = current[0] !== undefined && isSystem(current[0]) && !(returned[0] && isSystem(returned[0]));
    return isDropped
      ? 'the leading system message is gone: the request has no prompt and no tools of its own'
      : returned;
  }) satisfies Restore,
};

/** Messages for this request alone that are still its last ones stay uncached. */
function addTail(content: EnvelopeContent, tail: EnvelopeContent['messages']['uncached']): EnvelopeContent {
  const { cached } = content.messages;
  const start = cached.length - tail.length;
  if (tail.length === 0 || JSON.stringify(cached.slice(start)) !== JSON.stringify(tail)) return content;
  return { ...content, messages: { cached: cached.slice(0, start), uncached: tail } };
}

function listRequestChanges(before: readonly Item[], messages: readonly StoredMessage[]): readonly RequestChange[] {
  const shown = before.filter(({ message }) => !isSystem(message));
  const after = messages.filter((message) => !isSystem(message)).map((message) => ({ message, entryId: null }));
  return diffList<Item>(shown, after, SAME).map((change) => {
    const from = 'from' in change ? shown[change.from] : undefined;
    const item = change.kind === 'added' || change.kind === 'changed' ? change.after : from;
    return { kind: change.kind, entryId: from?.entryId ?? null, role: asText(item?.message.role) };
  });
}

const SAME = {
  text: ({ message }: Item) => JSON.stringify(message),
  identity: ({ message }: Item) => {
    const { role, toolCallId, timestamp } = message;
    return toolCallId === undefined && timestamp === undefined ? null : JSON.stringify([role, toolCallId, timestamp]);
  },
  isLike: (one: Item, other: Item) => one.message.role === other.message.role,
};
