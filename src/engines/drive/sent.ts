import { createHash } from 'node:crypto';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlm } from '#context/replay/convert.js';
import { tokensOfMessage } from '#context/replay/tokens.js';
import type { AgentMessage } from '../contract.js';
import { EngineFailure } from './failure.js';
import { frozen, isFrozen } from './frozen.js';

interface Sent {
  /** null: it is not sent. */
  readonly message: LlmMessage | null;
  /** Estimated. */
  readonly tokens: number;
}

/** Messages as they are sent, each looked at once. */
export class SentMessages {
  private readonly known = new WeakMap<AgentMessage, Sent>();
  /** By what they say, so that a copy of a message counts as that message. */
  private readonly bySaying = new Map<string, AgentMessage>();
  private readonly indexed = new WeakSet<AgentMessage>();
  /** What an engine gave last. */
  private last: readonly AgentMessage[] = [];

  of(message: AgentMessage): Sent {
    const found = this.known.get(message);
    if (found) return found;
    const llm = toLlm(message);
    const sent = { message: llm && frozen(llm), tokens: llm === null ? 0 : tokensOfMessage(llm) };
    this.known.set(message, sent);
    return sent;
  }

  tokens(messages: readonly AgentMessage[]): number {
    return messages.reduce((sum, message) => sum + this.of(message).tokens, 0);
  }

  /**
   * Messages that an engine gives, as nobody can change them any more; a copy of a known message is that message. What
   * they begin with as those before is not looked at again: most requests do so with all of it.
   */
  taken(given: readonly AgentMessage[], known: () => readonly AgentMessage[]): readonly AgentMessage[] {
    let same = 0;
    while (same < given.length && given[same] === this.last[same]) same += 1;
    const rest = given.slice(same);
    const isAnyNew = !rest.every(isFrozen);
    if (isAnyNew) for (const message of known()) this.index(message);
    const taken = isAnyNew ? rest.map((message) => (isFrozen(message) ? message : this.take(message))) : rest;
    this.last = given.slice(0, same).concat(taken);
    return this.last;
  }

  private index(message: AgentMessage): void {
    if (this.indexed.has(message)) return;
    this.indexed.add(message);
    this.bySaying.set(digest(JSON.stringify(message)), message);
  }

  private take(message: AgentMessage): AgentMessage {
    const text = written(message);
    const key = digest(text);
    const found = this.bySaying.get(key);
    if (found) return found;
    const copy = frozen(JSON.parse(text) as AgentMessage);
    this.bySaying.set(key, copy);
    return copy;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function written(message: AgentMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    throw new EngineFailure('not-json', 'assemble', 'a message is no JSON');
  }
}
