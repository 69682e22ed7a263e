import { asString, asText, isObject, type JsonObject, objectsIn } from '#base/json.js';
import { startOf } from '#base/words.js';
import type { LlmMessage } from '../replay/content.js';

const PREVIEW_CHARACTERS = 240;
/** What Pi puts before every summary, and a reader knows after the first one. */
const SUMMARY_INTRODUCTION =
  /^The (?:conversation history before this point|following is a summary of a branch)[^<]*<summary>\s*/;

/** At most 240 characters that say what a message is about. */
export function preview(message: LlmMessage): string {
  const name = message.role === 'toolResult' ? `${asText(message['toolName'] ?? '?')}: ` : '';
  return shortened(`${name}${endOf(message)}${texts(message, previewOfBlock).join(' ')}`.trim());
}

/** At most 240 characters of a text; `…` stands for the rest. */
export function shortened(text: string): string {
  if (text.length <= PREVIEW_CHARACTERS) return text;
  const start = text.trim();
  if (start.length <= PREVIEW_CHARACTERS) return start;
  return `${startOf(start, PREVIEW_CHARACTERS - 1).trimEnd()}…`;
}

/** How a message ended, where that was not well. */
function endOf({ isError, stopReason, errorMessage }: JsonObject): string {
  if (isError === true) return 'failed: ';
  if (stopReason === 'aborted') return '(aborted) ';
  if (stopReason !== 'error') return '';
  const why = shortened(asText(errorMessage ?? '').trim());
  return why === '' ? '(error) ' : `(error: ${why}) `;
}

/** All the text of a message that a search looks at: texts, thoughts, tool calls with their arguments. */
export function searchText(message: LlmMessage): string {
  return texts(message, textOfBlock).join('\n');
}

/** The names of the tools that a message calls or answers. */
export function toolNames(message: LlmMessage): readonly string[] {
  if (message.role === 'toolResult') return [asString(message['toolName']) ?? ''];
  return objectsIn(message['content']).flatMap(({ type, name }) => (type === 'toolCall' ? (asString(name) ?? '') : []));
}

/** The content of a message as blocks, whatever form it is stored in. */
export function blocksOf(message: JsonObject): readonly JsonObject[] {
  const content = message['content'];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
}

function texts(message: LlmMessage, textOf: (block: JsonObject) => string): readonly string[] {
  return blocksOf(message)
    .map(textOf)
    .filter((text) => text !== '');
}

function previewOfBlock(block: JsonObject): string {
  switch (block['type']) {
    case 'text':
      return shortened((asString(block['text']) ?? '').replace(SUMMARY_INTRODUCTION, '').replace(/<\/summary>$/, ''));
    case 'thinking':
      return '[thinking]';
    case 'toolCall':
      return `${asText(block['name'])}(${argumentsOf(block['arguments'])})`;
    case 'image':
      return '[image]';
    default:
      return `[${asText(block['type'])}]`;
  }
}

/** The values of a call's arguments, without names where there is just one. */
function argumentsOf(value: unknown): string {
  if (!isObject(value)) return '';
  const fields = Object.entries(value);
  const shown = fields.map(([name, field]) => `${fields.length === 1 ? '' : `${name}=`}${shortened(asText(field))}`);
  return shown.join(', ');
}

function textOfBlock(block: JsonObject): string {
  switch (block['type']) {
    case 'text':
      return asString(block['text']) ?? '';
    case 'thinking':
      return asString(block['thinking']) ?? '';
    case 'toolCall':
      return `${asText(block['name'])} ${asText(block['arguments'])}`;
    default:
      return '';
  }
}
