import type { JsonObject } from '#base/json.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import type { LiveBranch } from './branch.js';
import type { MessagesResult, PiMessage } from './pi.js';
import { areSameMessages } from './pipeline/engine-change.js';

/** The messages that Pi sends for a replayed context. `messages`: those that it would send. */
export function buildReplayedMessages(replay: Replay, messages: readonly PiMessage[]): MessagesResult {
  return copyForPi([...buildSystemMessages(replay, messages), ...replay.content().messages.cached]);
}

interface TransformedRequest {
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
export function buildRequestMessages({
  branch,
  durable,
  content,
  messages,
  isStale,
}: TransformedRequest): MessagesResult | undefined {
  const { cached, uncached } = content.messages;
  const isDeclared = content.system === durable.system && content.tools === durable.tools;
  const isCached = isDeclared && areSameMessages(cached, durable.messages.cached);
  if (isCached && !isStale) return uncached.length === 0 ? undefined : copyForPi([...messages, ...uncached]);
  const system = isDeclared ? buildSystemMessages(branch.replay(), messages) : [buildDeclaration(content)];
  return copyForPi([...system, ...cached, ...uncached]);
}

function buildDeclaration({ system, tools }: Pick<EnvelopeContent, 'system' | 'tools'>, timestamp = 0): JsonObject {
  return { role: 'system', content: system.compiled, toolsAdded: tools, timestamp };
}

/**
 * A request of Pi's own: handlers change messages in place, and those of a replay are the entries that Pi has in
 * memory.
 */
function copyForPi(messages: readonly unknown[]): MessagesResult {
  return { messages: structuredClone(messages) as unknown[] };
}

/**
 * The prompt and the tools as one leading message, as Pi sends them for a conversation that an extension changed.
 * A session that does not record them leaves them to Pi.
 */
function buildSystemMessages(replay: Replay, messages: readonly PiMessage[]): readonly unknown[] {
  const system = messages.filter(({ role }) => role === 'system');
  const sources = replay.sources();
  if (sources.system !== 'recorded' || sources.tools !== 'recorded') return system;
  const { timestamp } = (system[0] ?? {}) as { readonly timestamp?: number };
  return [buildDeclaration(replay.declaredAsSent(), timestamp)];
}
