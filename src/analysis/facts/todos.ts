import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { readMessageText, toOneLine } from './text.js';

export interface Todo {
  readonly text: string;
  readonly isDone: boolean;
}

/**
 * The last task list among the messages: of a tool call whose arguments contain `todos`, `tasks`, `items`, `steps` or
 * `plan`, or of an assistant's text with at least two `- [ ]` lines. Empty if there is none.
 */
export function findTodos(messages: readonly LlmMessage[]): readonly Todo[] {
  for (const message of messages.toReversed()) {
    if (message.role !== 'assistant') continue;
    for (const block of listBlocks(message).toReversed()) {
      const found = block.type === 'toolCall' ? readTodosInArguments(asObject(block.arguments)) : [];
      if (found.length > 0) return found;
    }
    const found = readTodosInText(readMessageText(message));
    if (found.length >= FEWEST_BOXES) return found;
  }
  return [];
}

const FEWEST_BOXES = 2;

function readTodosInArguments(args: JsonObject): readonly Todo[] {
  for (const name of ['todos', 'tasks', 'items', 'steps', 'plan']) {
    const todos = listObjects(args[name]).flatMap((item) => readTodo(item) ?? []);
    if (todos.length > 0) return todos;
  }
  return [];
}

function readTodo(item: JsonObject): Todo | null {
  const text = ['content', 'text', 'title', 'task', 'step', 'description']
    .map((key) => asString(item[key]))
    .find(Boolean);
  if (!text || !['status', 'done', 'completed', 'state'].some((key) => Object.hasOwn(item, key))) return null;
  const { status, state, done, completed } = item;
  const isDone = done === true || completed === true || /^(?:done|completed?|finished)$/.test(String(status ?? state));
  return { text: toOneLine(text), isDone };
}

function readTodosInText(text: string): readonly Todo[] {
  return [...text.matchAll(/^[^\S\r\n\u2028\u2029]*[-*] \[([ xX])\] (.+)$/gm)].map(([, box = '', task = '']) => ({
    text: toOneLine(task),
    isDone: box !== ' ',
  }));
}
