import { asText, isObject, objectsIn } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { textOf } from './system-message.js';

/** A conversation as text, so that a model summarises it and does not go on with it. Pi's `serializeConversation`. */
export function serializeConversation(messages: readonly LlmMessage[]): string {
  return messages.flatMap(partsOf).join('\n\n');
}

function partsOf({ role, content }: LlmMessage): readonly string[] {
  switch (role) {
    case 'user': {
      const text = textOf(content, '');
      return text === '' ? [] : [`[User]: ${text}`];
    }
    case 'assistant':
      return [...wordsOf(content), ...callsOf(content)];
    case 'toolResult': {
      const text = textOf(content, '');
      return text === '' ? [] : [`[Tool result]: ${shortened(text)}`];
    }
  }
}

function wordsOf(content: unknown): readonly string[] {
  return objectsIn(content).some(({ type }) => type === 'text') ? [`[Assistant]: ${textOf(content)}`] : [];
}

function callsOf(content: unknown): readonly string[] {
  const calls = objectsIn(content).filter(({ type }) => type === 'toolCall');
  if (calls.length === 0) return [];
  const texts = calls.map(({ name, arguments: args }) => {
    const fields = Object.entries(isObject(args) ? args : {});
    return `${asText(name)}(${fields.map(([key, value]) => `${key}=${JSON.stringify(value)}`).join(', ')})`;
  });
  return [`[Assistant tool calls]: ${texts.join('; ')}`];
}

const LONGEST_RESULT = 2000;

/** Never cut through a surrogate pair; the number is as Pi says it, which does not count that. */
function shortened(text: string): string {
  if (text.length <= LONGEST_RESULT) return text;
  const isPair = /^[\uD800-\uDBFF][\uDC00-\uDFFF]$/.test(text.slice(LONGEST_RESULT - 1, LONGEST_RESULT + 1));
  const head = text.slice(0, isPair ? LONGEST_RESULT - 1 : LONGEST_RESULT);
  return `${head}\n\n[... ${text.length - LONGEST_RESULT} more characters truncated]`;
}
