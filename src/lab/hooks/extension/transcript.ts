import { diffList } from '#analysis/diff/list-diff.js';
import { asText, isObject, type JsonObject } from '#base/json.js';
import { joinSystemMessages } from '#change/compact/system-message.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { StoredMessage } from '#session/entry.js';
import { formatId } from '#session/heads/head.js';
import type { RequestChange } from '../document.js';
import type { HookedPath } from '../hooked-path.js';
import type { HandlerAnswer } from '../plugin/hook-methods.js';
import { type AnswerUse, ignoreAnswer, readAnswerMembers, type StockHandlers } from './stock-handlers.js';

/** The request that Pi would have sent. */
export interface ExtendedRequest {
  readonly content: EnvelopeContent;
  readonly changes: readonly RequestChange[];
}

/**
 * Runs the two phases of Pi's request: `context` handlers see the conversation, and Pi puts the prompt and the tools back
 * after each; `context_with_system` handlers see the full transcript, and what they return is sent. `isProjected`: the
 * messages are those of the path, in the agent's own form.
 */
export async function runTranscript(
  handlers: StockHandlers,
  content: EnvelopeContent,
  isProjected: boolean,
): Promise<ExtendedRequest> {
  const { hooked } = handlers;
  const before = isProjected ? listProjectedItems(hooked, content) : listItems(content);
  let messages: readonly StoredMessage[] = before.map(({ message }) => message);
  let isChanged = false;
  const runPhase = (phase: Phase): Promise<void> =>
    handlers.emit(phase.event, {
      make: () => ({ type: phase.event, messages: phase.listSeen(messages) }),
      take(answer) {
        const replaced = replaceMessages(answer, messages, phase);
        isChanged ||= replaced.messages !== null;
        messages = replaced.messages ?? messages;
        return replaced.use;
      },
    });

  await runPhase(conversation);
  const restored = messages;
  await runPhase(transcript);
  if (!isChanged) return { content, changes: [] };

  const sent = hooked.buildContent(messages);
  // The prompt and the tools are Pi's, which transforms of the session may have changed, unless a handler changes them.
  const isOwnSystem = JSON.stringify(messages.filter(isSystem)) !== JSON.stringify(restored.filter(isSystem));
  const changed = isOwnSystem ? { ...sent, options: content.options } : { ...content, messages: sent.messages };
  return { content: addTail(changed, content.messages.uncached), changes: listRequestChanges(before, messages) };
}

interface Item {
  readonly message: StoredMessage;
  /** null: it is of no entry, or made of several. */
  readonly entryId: string | null;
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

/** One of the two phases: the messages that its handlers see, and the transcript that their list comes to. */
interface Phase {
  readonly event: 'context' | 'context_with_system';
  listSeen(current: readonly StoredMessage[]): readonly StoredMessage[];
  /**
   * A sentence for a list that is wrong. `isInPlace`: the handler returned none, and changed the list that it was
   * given.
   */
  restore(
    returned: readonly JsonObject[],
    current: readonly StoredMessage[],
    isInPlace: boolean,
  ): readonly StoredMessage[] | string;
}

interface Replaced {
  /** The new transcript; null: it stays. */
  readonly messages: readonly StoredMessage[] | null;
  readonly use: AnswerUse;
}

function replaceMessages(answer: HandlerAnswer, current: readonly StoredMessage[], phase: Phase): Replaced {
  const returned = readAnswerMembers(answer).messages ?? null;
  const list = returned ?? answer.event?.messages ?? null;
  if (list === null) return { messages: null, use: ignoreAnswer(answer) };
  if (!Array.isArray(list) || !list.every(isObject))
    return { messages: null, use: { wrong: 'messages must be a list of messages' } };

  const seen = phase.listSeen(current);
  if (JSON.stringify(list) === JSON.stringify(seen)) return { messages: null, use: { outcome: 'unchanged' } };
  const next = phase.restore(list, current, returned === null);
  // Pi sends a list that is wrong too.
  if (typeof next === 'string') return { messages: list, use: { wrong: next } };
  return { messages: next, use: { outcome: 'changed', what: `${seen.length} → ${list.length} messages` } };
}

function isSystem({ role }: StoredMessage): boolean {
  return role === 'system';
}

const conversation: Phase = {
  event: 'context',
  listSeen: (current) => current.filter((message) => !isSystem(message)),
  restore(returned, current, isInPlace) {
    const system = current.filter(isSystem);
    // Messages that are changed, but not the list: Pi keeps system messages in their places.
    if (isInPlace && returned.length === current.length - system.length) return restorePlaces(current, returned);
    const head = joinSystemMessages(system);
    return head ? [head, ...returned] : returned;
  },
};

function restorePlaces(current: readonly StoredMessage[], returned: readonly JsonObject[]): readonly StoredMessage[] {
  const rest = [...returned];
  return current.map((message) => (isSystem(message) ? message : (rest.shift() ?? message)));
}

const transcript: Phase = {
  event: 'context_with_system',
  listSeen: (current) => current,
  restore(returned, current) {
    const [first] = current;
    const [firstReturned] = returned;
    const hadSystem = first !== undefined && isSystem(first);
    const hasSystem = firstReturned !== undefined && isSystem(firstReturned);
    return hadSystem && !hasSystem
      ? 'the leading system message is gone: the request has no prompt and no tools of its own'
      : returned;
  },
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
