import { memoizeLast, once } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { buildHeadKey, buildPlaceKey, formatId, type Head } from '#session/heads/head.js';
import { buildTextForm, containsLine, EMPTY_FORM, listDeclaredTexts, listSentMessageTexts } from './text-form.js';

/** Determines whether the context still contains a line that an entry showed to the model. */
type IsVisible = (head: Head, line: string) => boolean;

/** The stored message of an entry is sent: all of it is visible. */
type IsUnchanged = (head: Head) => boolean;

/**
 * Builds the visible content of each entry. A message is compared only with its own current form, so that "ok" is not
 * visible because another message contains "ok". Summaries and declarations are compared with those in force.
 */
export function buildVisibleForms(envelope: ContextEnvelope): { isVisible: IsVisible; isUnchanged: IsUnchanged } {
  const { all, own, byEdit, summaries, unchanged } = groupMessages(envelope);
  const declared = once(() => buildTextForm(listDeclaredTexts(envelope)));
  const compacted = once(() => buildTextForm(listSentMessageTexts(summaries)));
  const whole = once(() => buildTextForm(listSentMessageTexts(all)));
  /** Entries are processed in order, so the form of the last one is cached. */
  const ofMessage = memoizeLast((message: LlmMessage | undefined) =>
    message ? buildTextForm(listSentMessageTexts([message])) : EMPTY_FORM,
  );

  return { isVisible, isUnchanged: (head) => unchanged.has(buildHeadKey(head)) && SENT_AS_STORED.has(head.role) };

  function isVisible(head: Head, line: string): boolean {
    switch (head.type) {
      case 'message':
        return containsLine(head.role === 'system' ? declared() : ofMessage(own.get(buildHeadKey(head))), line);
      case 'custom_message':
      case 'branch_summary':
        return containsLine(ofMessage(own.get(buildHeadKey(head))), line);
      case 'compaction':
        return containsLine(compacted(), line) || containsLine(declared(), line);
      case 'context_edit':
        return containsLine(ofMessage(byEdit.get(formatId(head.id))), line);
      case 'context_transform':
        return containsLine(declared(), line) || containsLine(whole(), line);
      default:
        return false;
    }
  }
}

interface MessagesByEntry {
  readonly all: readonly LlmMessage[];
  /** The message of an entry, as it is stored or edited, by the `buildPlaceKey` of the entry. */
  readonly own: ReadonlyMap<string, LlmMessage>;
  readonly byEdit: ReadonlyMap<string | null, LlmMessage>;
  readonly summaries: readonly LlmMessage[];
  /** Entries whose message is sent as stored. */
  readonly unchanged: ReadonlySet<string>;
}

function groupMessages({ messages, meta }: ContextEnvelope): MessagesByEntry {
  const all = [...messages.cached, ...messages.uncached];
  const own = new Map<string, LlmMessage>();
  const byEdit = new Map<string | null, LlmMessage>();
  const summaries: LlmMessage[] = [];
  const unchanged = new Set<string>();
  for (const [at, from] of meta.provenance.entries()) {
    const { origin, editId } = from;
    const message = all[at];
    if (!message) continue;
    if (origin === 'compaction') summaries.push(message);
    if (origin === 'entry') unchanged.add(buildPlaceKey(from));
    if (origin === 'edit') byEdit.set(editId ?? null, message);
    if (origin === 'entry' || origin === 'edit') own.set(buildPlaceKey(from), message);
  }
  return { all, own, byEdit, summaries, unchanged };
}

const SENT_AS_STORED: ReadonlySet<string | null> = new Set(['user', 'assistant', 'toolResult']);
