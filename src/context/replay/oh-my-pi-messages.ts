import { listObjects } from '#base/json.js';
import type { Entry, StoredMessage } from '#session/entry.js';
import { isOhMyPiSession } from '#session/oh-my-pi.js';
import type { Session } from '#session/session.js';
import { isFailedAnswer, readEntryMessage, toDeveloperMessage } from './convert.js';

/** The messages of a path with the two rules by which oh-my-pi sends them in another way than Pi. */
export class OhMyPiMessages {
  /** `failedCalls`: the ids of the calls of failed answers so far, which are not sent. */
  constructor(
    private readonly session: Session,
    private readonly failedCalls = new Set<unknown>(),
  ) {}

  fork(): OhMyPiMessages {
    return new OhMyPiMessages(this.session, new Set(this.failedCalls));
  }

  /** The message that an entry adds; null if none. What an extension adds is sent as a developer, but for words of the user. */
  read(entry: Entry): StoredMessage | null {
    const message = readEntryMessage(entry);
    const isAdded = message?.role === 'custom' && entry.attribution !== 'user';
    return isAdded && isOhMyPiSession(this.session) ? toDeveloperMessage(message) : message;
  }

  /** Whether a message is the result of a call in a failed answer, which is sent no more than the call. */
  isLeftOut(message: StoredMessage): boolean {
    const { role, content, toolCallId } = message;
    if (role === 'toolResult') return this.failedCalls.has(toolCallId);
    const hasFailed = isFailedAnswer(message);
    if (role !== 'assistant' || (!hasFailed && this.failedCalls.size === 0)) return false;
    for (const { type, id } of listObjects(content)) {
      if (type !== 'toolCall') continue;
      if (!hasFailed) this.failedCalls.delete(id);
      else if (isOhMyPiSession(this.session)) this.failedCalls.add(id);
    }
    return false;
  }
}
