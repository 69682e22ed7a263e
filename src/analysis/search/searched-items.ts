import { asString, isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { nameEntry } from '#context/words/entry-text.js';
import { listToolNames } from '#context/words/message-blocks.js';
import { buildHeadKey, buildPlaceKey, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { listEntryTexts, listSentTexts, listToolTexts, type TextPlace } from './entry-texts.js';

/** A searched item: a stored entry, or a part of a context. */
export interface SearchedItem {
  /** null for system parts and tools, which several entries may have declared. */
  readonly head: Head | null;
  readonly name: string;
  /** The name of the system part or tool; null for an entry. */
  readonly part: string | null;
  readonly role: string | null;
  /** The tools that it calls, answers or declares. */
  readonly tools: readonly string[];
  readonly places: Iterable<TextPlace>;
  readonly isFromContext: boolean;
}

/** A context in the order in which a model reads it: system parts, tools, messages. */
export function* listContextItems(
  session: Session,
  envelope: ContextEnvelope,
  path: readonly Head[],
): Generator<SearchedItem> {
  const { system, tools, messages, meta } = envelope;
  for (const { name, text } of system.parts) {
    yield {
      ...DECLARED,
      name: 'system',
      part: name,
      role: 'system',
      tools: [],
      places: [{ place: name, text, isForModel: true }],
    };
  }
  for (const tool of tools) {
    const name = asString(tool.name) ?? '';
    yield {
      ...DECLARED,
      name: 'tool',
      part: name,
      role: null,
      tools: [name],
      places: addPrefix(name, listToolTexts(tool)),
    };
  }
  const heads = new Map(path.map((head) => [buildHeadKey(head), head]));
  for (const [at, message] of [...messages.cached, ...messages.uncached].entries()) {
    const from = meta.provenance[at];
    const head = (from && heads.get(buildPlaceKey(from))) ?? null;
    yield {
      head,
      name: head ? nameEntry(head, session) : message.role,
      part: null,
      role: message.role,
      tools: listToolNames(message),
      places: listSentTexts(message),
      isFromContext: true,
    };
  }
}

const DECLARED = { head: null, isFromContext: true } as const;

/** Stored entries, parsed one by one. */
export function* listEntryItems(session: Session, heads: Iterable<Head>): Generator<SearchedItem> {
  for (const head of heads) {
    const entry = session.entry(head);
    const { message } = entry;
    yield {
      head,
      name: nameEntry(head, session),
      part: null,
      role: head.role,
      // Only its role identifies it, and no other field is read.
      tools: isObject(message) ? listToolNames(message as LlmMessage) : [],
      places: listEntryTexts(entry),
      isFromContext: false,
    };
  }
}

function* addPrefix(name: string, places: Iterable<TextPlace>): Generator<TextPlace> {
  for (const place of places) yield { ...place, place: `${name}.${place.place}` };
}
