import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { areSameMessages } from '#engines/drive/engine-change.js';
import type { LiveBranch } from '../branch.js';
import type { MessagesResult, PiMessage } from '../pi.js';
import { systemOf } from '../transforms.js';

interface Requested {
  readonly branch: LiveBranch;
  /** The replayed envelope. */
  readonly durable: EnvelopeContent;
  /** The envelope of this request. */
  readonly content: EnvelopeContent;
  /** The messages that Pi would send. */
  readonly messages: readonly PiMessage[];
  /** Whether they lack transforms of this request. */
  readonly isStale: boolean;
}

/** The messages that Pi has to send instead; undefined: none. */
export function requestOf({ branch, durable, content, messages, isStale }: Requested): MessagesResult | undefined {
  const { cached, uncached } = content.messages;
  const isDeclared = content.system === durable.system && content.tools === durable.tools;
  const isCached = isDeclared && areSameMessages(cached, durable.messages.cached);
  if (isCached && !isStale) return uncached.length === 0 ? undefined : { messages: [...messages, ...uncached] };
  const system = isDeclared ? systemOf(branch.replay(), messages) : [declared(content)];
  return { messages: [...system, ...cached, ...uncached] };
}

function declared({ system, tools }: EnvelopeContent): JsonObject {
  return { role: 'system', content: system.compiled, toolsAdded: tools, timestamp: 0 };
}

/** The transforms that leave out messages which hooks dropped, and which Pi keeps in its session. */
export function withoutDropped(dropped: readonly JsonObject[], branch: LiveBranch): readonly JsonObject[] {
  if (dropped.length === 0) return [];
  const texts = new Set(dropped.map((message) => JSON.stringify(message)));
  const { cached } = branch.replay().content().messages;
  const messages: readonly LlmMessage[] = cached.filter((message) => !texts.has(JSON.stringify(message)));
  if (messages.length === cached.length || messages.length === 0) return [];
  const invalidateCacheReason = 'a hook left out a message';
  const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason, messages };
  return [{ schemaVersion: 1, transformerName: 'message', patch: [op] }];
}
