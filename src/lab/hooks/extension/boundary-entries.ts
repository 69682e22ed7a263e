import { asText, isObject, type JsonObject } from '#base/json.js';
import { pluralize } from '#base/numbers.js';
import type { EntryBody } from '#change/plan/new-entries.js';
import { toLlmMessage } from '#context/replay/convert.js';
import { formatId } from '#session/heads/head.js';
import type { HookedPath } from '../hooked-path.js';
import { applyExtensionCompaction } from './compaction.js';
import { ignoreAnswer, readAnswerMembers, type StockHandlers } from './stock-handlers.js';

/** An event at which extensions append entries. */
export type EntriesEvent = 'turn_end' | 'agent_before_settle';

/**
 * Runs the handlers of `turn_end` or `agent_before_settle`, and returns drafts of the entries to append: each handler sees
 * the entries proposed so far, and the context with them. An invalid list of entries is reported, and unless a later
 * handler corrects it, none is appended.
 */
export async function runEntriesBoundary(
  handlers: StockHandlers,
  event: EntriesEvent,
  fields: JsonObject,
): Promise<readonly JsonObject[]> {
  const { hooked } = handlers;
  let drafts: readonly JsonObject[] = [];
  let continues = false;
  let isValid = true;
  await handlers.emit(event, {
    make: () => ({
      type: event,
      ...fields,
      entries: drafts,
      continue: continues,
      context: buildPreview(hooked, isValid ? drafts : []),
    }),
    take(answer) {
      const { entries = drafts, continue: goOn = continues } = readAnswerMembers(answer);
      const fault = Array.isArray(entries) ? findInvalidDraft(entries, hooked) : 'entries must be a list';
      isValid = fault === null;
      if (fault !== null) return { wrong: `Invalid boundary entries: ${fault}` };
      const proposed = entries as readonly JsonObject[];
      const changes = describeChanges(proposed, drafts);
      if (goOn === true && !continues) changes.push('asks for one more request');
      drafts = proposed;
      continues = goOn === true;
      return changes.length === 0 ? ignoreAnswer(answer) : { outcome: 'changed', what: changes.join('; ') };
    },
  });
  return isValid ? drafts : [];
}

/** The change of the proposed entries in words; empty if they stay. */
function describeChanges(entries: readonly JsonObject[], before: readonly JsonObject[]): string[] {
  if (JSON.stringify(entries) === JSON.stringify(before)) return [];
  const types = entries.map(({ type, customType }) =>
    customType === undefined ? asText(type) : `${asText(type)} ${asText(customType)}`,
  );
  return [`${pluralize(entries.length, 'entry', 'entries')}: ${types.join(', ')}`];
}

/** The entries that have the effect of drafts on the context. */
export function toDraftBodies(drafts: readonly JsonObject[], hooked: HookedPath): readonly EntryBody[] {
  return drafts.map((draft): EntryBody => {
    if (draft.type !== 'compaction') return draft as EntryBody;
    const { summary, firstKeptEntryId } = draft as { summary: string; firstKeptEntryId: string | null };
    return applyExtensionCompaction(hooked, { summary, firstKeptEntryId });
  });
}

function buildPreview(hooked: HookedPath, drafts: readonly JsonObject[]): JsonObject {
  const { entries } = hooked.projection(hooked.buildHeads(toDraftBodies(drafts, hooked)));
  const contextMessages = entries.flatMap(({ messages }) => messages);
  const llmMessages = contextMessages.flatMap((message): readonly JsonObject[] => {
    const sent = message.role === 'system' ? message : toLlmMessage(message);
    return sent === null ? [] : [sent];
  });
  const last = llmMessages.at(-1)?.role;
  return {
    contextEntries: entries.map(({ head, messages }) => ({ sourceEntry: hooked.session.entry(head), messages })),
    contextMessages,
    llmMessages,
    pendingMessages: [],
    canContinue: last !== undefined && last !== 'assistant' && last !== 'system',
  };
}

const EDITABLE_ROLES = new Set<unknown>(['user', 'assistant', 'toolResult']);

function findInvalidDraft(drafts: readonly unknown[], hooked: HookedPath): string | null {
  for (const draft of drafts) {
    const fault = isObject(draft) ? findDraftFault(draft, hooked) : 'an entry must be an object';
    if (fault !== null) return fault;
  }
  return null;
}

function findDraftFault(draft: JsonObject, { heads }: HookedPath): string | null {
  const { type, customType, targetId, replacement, content, summary, firstKeptEntryId } = draft;
  const find = (id: unknown): (typeof heads)[number] | undefined => heads.find((head) => formatId(head.id) === id);
  switch (type) {
    case 'custom':
      return typeof customType === 'string' ? null : 'a custom entry must have a customType';
    case 'custom_message':
      return typeof customType === 'string' && (typeof content === 'string' || Array.isArray(content))
        ? null
        : 'a custom message must have a customType and content';
    case 'context_edit': {
      const target = find(targetId);
      if (!target) return `Entry ${asText(targetId)} is not on the active branch`;
      if (target.type !== 'custom_message' && !EDITABLE_ROLES.has(target.role))
        return `Entry ${asText(targetId)} does not contribute editable model content`;
      return replacement === null || (isObject(replacement) && 'content' in replacement)
        ? null
        : 'Context edit replacement must be null or contain string/array content';
    }
    case 'compaction':
      if (typeof summary !== 'string') return 'a compaction must have a summary';
      return firstKeptEntryId === null || find(firstKeptEntryId) ? null : `Entry ${asText(firstKeptEntryId)} not found`;
    default:
      return `entries of type ${JSON.stringify(type)} are not allowed`;
  }
}
