import { createHash } from 'node:crypto';
import { deepFreeze, isFrozen } from '#base/freeze.js';
import { countCommon } from '#base/lists.js';
import type { AgentMessage } from '../contract.js';
import { EngineFailure } from './failure.js';

/** Freezes the messages of an engine, and replaces copies of known messages by the originals. */
export class MessageAdopter {
  /** Messages by the hash of their JSON. */
  private readonly byHash = new Map<string, AgentMessage>();
  /** The messages of the transcript that were hashed, and the transcript of that time. */
  private readonly hashed = new WeakSet<AgentMessage>();
  private hashedTranscript: readonly AgentMessage[] = [];
  /** The messages that the engine gave last, as they were adopted. */
  private last: readonly AgentMessage[] = [];

  /** Skips the beginning that the messages share with those of the request before, which is usually all of them. */
  adopt(given: readonly AgentMessage[], listTranscript: () => readonly AgentMessage[]): readonly AgentMessage[] {
    const same = countCommon(given, this.last);
    const rest = given.slice(same);
    if (rest.every(isFrozen)) {
      this.last = given.slice();
      return this.last;
    }
    this.hashTranscript(listTranscript());
    const adopted = rest.map((message) => (isFrozen(message) ? message : this.adoptCopy(message)));
    this.last = [...given.slice(0, same), ...adopted];
    return this.last;
  }

  /** A transcript mostly grows, so its beginning is usually hashed already. */
  private hashTranscript(messages: readonly AgentMessage[]): void {
    for (const message of messages.slice(countCommon(messages, this.hashedTranscript))) {
      if (this.hashed.has(message)) continue;
      this.hashed.add(message);
      this.byHash.set(hashText(JSON.stringify(message)), message);
    }
    this.hashedTranscript = messages;
  }

  private adoptCopy(message: AgentMessage): AgentMessage {
    const text = writeMessage(message);
    const hash = hashText(text);
    const found = this.byHash.get(hash);
    if (found) return found;
    const copy = deepFreeze(JSON.parse(text) as AgentMessage);
    this.byHash.set(hash, copy);
    return copy;
  }
}

function hashText(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

function writeMessage(message: AgentMessage): string {
  try {
    return JSON.stringify(message);
  } catch {
    throw new EngineFailure('not-json', 'assemble', 'a message is not JSON');
  }
}
