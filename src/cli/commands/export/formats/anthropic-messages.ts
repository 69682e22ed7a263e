import { asString, type JsonObject } from '#base/json.js';
import { isImage, joinedText, textOf, wellFormed } from './payload.js';
import { type ReadyMessage, type ReadyResult, withResultsTogether } from './transformed.js';

/** Messages of the Messages API. Results that follow one another are one message of the user. */
export function anthropicMessages(messages: readonly ReadyMessage[]): readonly JsonObject[] {
  const written: JsonObject[] = [];
  for (const message of withResultsTogether(messages)) {
    if (message.role === 'toolResults') written.push({ role: 'user', content: resultBlocks(message.results) });
    else {
      const content = message.role === 'user' ? userContent(message.content) : answerBlocks(message.content);
      if (content.length > 0) written.push({ role: message.role, content });
    }
  }
  return written;
}

function userContent(content: string | readonly JsonObject[]): string | readonly JsonObject[] {
  if (typeof content === 'string') return isBlank(content) ? '' : textOf({ text: content });
  // What is nothing but half of a pair is nothing.
  return content.flatMap((block) => (isImage(block) ? [imageBlock(block)] : textBlocks({ text: textOf(block) })));
}

function answerBlocks(content: readonly JsonObject[]): readonly JsonObject[] {
  return content.flatMap((block): readonly JsonObject[] => {
    switch (block['type']) {
      case 'thinking':
        return thinkingBlocks(block);
      case 'toolCall':
        return [{ type: 'tool_use', id: block['id'], name: block['name'], input: block['arguments'] ?? {} }];
      default:
        return textBlocks(block);
    }
  });
}

/** Without a signature nobody can tell that it is the model's own, and so it is sent as text. */
function thinkingBlocks({ thinking, thinkingSignature, redacted }: JsonObject): readonly JsonObject[] {
  if (redacted) return [{ type: 'redacted_thinking', data: thinkingSignature }];
  const text = textOf({ text: thinking });
  return isBlank(thinkingSignature)
    ? textBlocks({ text: thinking })
    : [{ type: 'thinking', thinking: text, signature: thinkingSignature }];
}

function textBlocks(block: JsonObject): readonly JsonObject[] {
  return isBlank(block['text']) ? [] : [{ type: 'text', text: textOf(block) }];
}

function isBlank(text: unknown): boolean {
  return (asString(text) ?? '').trim() === '';
}

function imageBlock({ mimeType, data }: JsonObject): JsonObject {
  return { type: 'image', source: { type: 'base64', media_type: mimeType, data } };
}

/** A result that is an error can hold no picture: those of all results stand behind the last one, each with its call. */
function resultBlocks(results: readonly ReadyResult[]): readonly JsonObject[] {
  const blocks = results.map((result) => ({
    type: 'tool_result',
    tool_use_id: result.toolCallId,
    content: resultContent(result.isError ? withoutImages(result.content) : result.content),
    is_error: result.isError,
  }));
  return [...blocks, ...results.filter(({ isError }) => isError).flatMap(imagesOfError)];
}

const ATTACHED = { type: 'text', text: '(image attached after the tool results)' };

/** One remark stands for all pictures that follow one another. */
function withoutImages(content: readonly JsonObject[]): readonly JsonObject[] {
  const kept: JsonObject[] = [];
  for (const block of content) {
    if (!isImage(block)) kept.push(block);
    else if (kept.at(-1)?.['text'] !== ATTACHED.text) kept.push(ATTACHED);
  }
  return kept;
}

function imagesOfError({ toolCallId, toolName, content }: ReadyResult): readonly JsonObject[] {
  const images = content.filter(isImage);
  if (images.length === 0) return [];
  const text = `Images from the error result of tool call ${toolCallId ?? '?'} (${toolName}):`;
  return [{ type: 'text', text }, ...images.map(imageBlock)];
}

function resultContent(content: readonly JsonObject[]): string | readonly JsonObject[] {
  if (!content.some(isImage)) return wellFormed(joinedText(content));
  const blocks = content.map((block) => (isImage(block) ? imageBlock(block) : { type: 'text', text: textOf(block) }));
  const hasText = blocks.some(({ type }) => type === 'text');
  return hasText ? blocks : [{ type: 'text', text: '(see attached image)' }, ...blocks];
}
