import { once, onceFor } from '#base/once.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { type Head, idText, keyOfHead, placeKey } from '#session/table/head.js';
import { placesOfSent, placesOfTool } from './entry-places.js';

/** Determines whether the context still contains a line that an entry showed to the model. */
type IsVisible = (head: Head, line: string) => boolean;

/** The stored message of an entry is sent: all of it is visible. */
type IsUnchanged = (head: Head) => boolean;

/**
 * The visible content of each entry. A message is compared with its own current form only, so that "ok" is not
 * visible because another message contains "ok"; summaries and declarations with those that are in force.
 */
export function visibleForms(envelope: ContextEnvelope): { isVisible: IsVisible; isUnchanged: IsUnchanged } {
  const { all, own, byEdit, summaries, unchanged } = messagesByEntry(envelope);
  const declared = once(() => formOf(declaredTexts(envelope)));
  const compacted = once(() => formOf(textsOf(summaries)));
  const whole = once(() => formOf(textsOf(all)));
  /** Entries are processed in order, so the form of the last one is cached. */
  const ofMessage = onceFor((message: LlmMessage | undefined) => (message ? formOf(textsOf([message])) : NOTHING));

  return { isVisible, isUnchanged: (head) => unchanged.has(keyOfHead(head)) && SENT_AS_STORED.has(head.role) };

  function isVisible(head: Head, line: string): boolean {
    switch (head.type) {
      case 'message':
        return holds(head.role === 'system' ? declared() : ofMessage(own.get(keyOfHead(head))), line);
      case 'custom_message':
      case 'branch_summary':
        return holds(ofMessage(own.get(keyOfHead(head))), line);
      case 'compaction':
        return holds(compacted(), line) || holds(declared(), line);
      case 'context_edit':
        return holds(ofMessage(byEdit.get(idText(head.id))), line);
      case 'context_transform':
        return holds(declared(), line) || holds(whole(), line);
      default:
        return false;
    }
  }
}

interface MessagesByEntry {
  readonly all: readonly LlmMessage[];
  /** The message of an entry, as it is stored or edited, by the `placeKey` of the entry. */
  readonly own: ReadonlyMap<string, LlmMessage>;
  readonly byEdit: ReadonlyMap<string | null, LlmMessage>;
  readonly summaries: readonly LlmMessage[];
  /** Entries whose message is sent as stored. */
  readonly unchanged: ReadonlySet<string>;
}

function messagesByEntry({ messages, meta }: ContextEnvelope): MessagesByEntry {
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
    if (origin === 'entry') unchanged.add(placeKey(from));
    if (origin === 'edit') byEdit.set(editId ?? null, message);
    if (origin === 'entry' || origin === 'edit') own.set(placeKey(from), message);
  }
  return { all, own, byEdit, summaries, unchanged };
}

const SENT_AS_STORED: ReadonlySet<string | null> = new Set(['user', 'assistant', 'toolResult']);

/** Whole lines are looked up first; only parts of longer lines are searched for. */
export interface TextForm {
  readonly lines: ReadonlySet<string>;
  readonly text: string;
}

export const NOTHING: TextForm = { lines: new Set(), text: '' };

export function formOf(texts: readonly string[]): TextForm {
  if (texts.length === 0) return NOTHING;
  const text = texts.join('\n');
  return { lines: new Set(text.split('\n')), text };
}

export function holds({ lines, text }: TextForm, line: string): boolean {
  return lines.has(line) || (line !== '' && text.includes(line));
}

export function textsOf(messages: readonly LlmMessage[]): readonly string[] {
  return messages.flatMap((message) => Array.from(placesOfSent(message), ({ text }) => text));
}

export function declaredTexts({ system, tools }: Pick<ContextEnvelope, 'system' | 'tools'>): readonly string[] {
  const ofTools = tools.flatMap((tool) => Array.from(placesOfTool(tool), ({ text }) => text));
  return [...system.parts.map(({ text }) => text), ...ofTools];
}
