import { readMessageText } from '#analysis/facts/text.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer } from '#context/replay/convert.js';
import type { AgentMessage } from '../contract.js';

/** A turn that goes on. */
export class Turn {
  readonly messages: AgentMessage[] = [];
  /** The words of the user. */
  prompt = '';
  /** The newest message is an answer that was aborted or failed. */
  isFailed = false;

  add(message: AgentMessage): void {
    const userText = message.role === 'user' ? readMessageText(message as LlmMessage) : '';
    this.messages.push(message);
    this.prompt = [this.prompt, userText].filter((text) => text !== '').join('\n');
    this.isFailed = isFailedAnswer(message);
  }
}
