import { asObject, asString, type JsonObject, listObjects, listTexts } from '#base/json.js';
import { toTextBlock } from '../../blocks.js';
import { joinTextBlocks, toUserContent } from './content.js';

/** The message that represents an attachment: its words in the request, or its own data if they are not recorded. */
export function buildAttachmentMessage({ attachment, rendered, renderedRole: role }: JsonObject): JsonObject {
  const data = asObject(attachment);
  const { type, ...rest } = data;
  const texts = TEXT_FIELDS.flatMap((field) => asString(rest[field]) ?? joinTextList(rest[field]) ?? []);
  const changes = CHANGE_FIELDS.flatMap((field) => joinTextList(rest[field]) ?? []);
  const words = readRendered(rendered, role);
  return {
    type: 'custom_message',
    customType: `claude-code:${String(type)}`,
    content: words ?? texts[0] ?? (changes.length > 0 ? changes.join('\n') : JSON.stringify(rest)),
    display: false,
    ...(words === null ? { details: { approximate: true } } : {}),
  };
}

/** A list of texts, such as those of several hooks. */
function joinTextList(value: unknown): string | null {
  const texts = listTexts(value);
  return Array.isArray(value) && texts.length > 0 && texts.length === value.length ? texts.join('\n') : null;
}

/** The words of an attachment in the request, which may be several blocks; null if they are not recorded. */
function readRendered(rendered: unknown, role: unknown): string | readonly JsonObject[] | null {
  if (!Array.isArray(rendered)) return null;
  const [first = '', ...others] = listObjects(rendered).map((each) => readWords(each, role));
  return others.length === 0 ? first : [first, ...others].map(toTextBlock);
}

/**
 * The content of the message that represents what the user typed while the agent worked: of an attachment, or of the
 * line that queued it, which is the last one.
 */
export function toQueuedContent(values: readonly JsonObject[]): unknown {
  const { rendered, attachment, content } = values.at(-1) ?? {};
  return (
    readRendered(rendered, null) ?? toUserContent(attachment === undefined ? content : asObject(attachment)['prompt'])
  );
}

/** The message that represents an attachment, with the tags of its words. */
export function buildTaggedMessage({ renderedRole: _role, ...record }: JsonObject): JsonObject {
  return buildAttachmentMessage(record);
}

/** The words of an attachment as they follow the text of a result, if they are recorded. */
export function readWordsAfterResult({ rendered }: JsonObject): string | null {
  return Array.isArray(rendered)
    ? listObjects(rendered)
        .map(({ content }) => `\n\n${joinTextBlocks(content).trimEnd()}`)
        .join('')
    : null;
}

/** Reminders of the role system are sent without their tags. */
function readWords({ content }: JsonObject, role: unknown): string {
  const text = joinTextBlocks(content);
  return role === 'system' ? (REMINDER.exec(text)?.[1] ?? text) : text;
}

const REMINDER = /^<system-reminder>\n([^]*)\n<\/system-reminder>\n?$/;

const TEXT_FIELDS = ['text', 'content', 'context', 'prompt'];
/**
 * The lists of an attachment that tells a change. Lines that were added repeat their names, which are not sent again.
 */
const CHANGE_FIELDS = ['addedLines', 'addedBlocks', 'removedNames', 'removedTypes'];
