import { asString, asText, isObject, type JsonObject, listObjects } from '#base/json.js';
import { toTextBlock } from '../blocks.js';

/** A message that a request has, as a message or as the entry of an extension. */
export type SentEntry = JsonObject & { readonly type: string };

/**
 * Lists the entries of a message whose role only oh-my-pi has: those that it sends to the model, in order. Empty if it
 * sends none of them, and null for a role that Pi has too.
 */
export function listOwnEntries(message: JsonObject): readonly SentEntry[] | null {
  switch (message['role']) {
    case 'developer':
      return [toDeveloperEntry('developer', toBlocks(message['content']))];
    case 'fileMention':
      return listMentions(message);
    case 'pythonExecution':
      return message['excludeFromContext'] ? [] : [toUserEntry('python', [toTextBlock(formatPython(message))])];
    case 'custom':
    case 'hookMessage':
      return listExtensionEntries(message);
    default:
      return null;
  }
}

/** The types of messages that are never sent: the plan of another model, and a note about the mode. */
const UNSENT: ReadonlySet<unknown> = new Set(['prewalk-plan', 'vibe-mode-context']);

/** Messages of the user by another way than the prompt: a skill that the user named, and the prompt of a guest. */
const OF_USER: ReadonlySet<unknown> = new Set(['skill-prompt', 'collab-prompt']);

/**
 * Lists the entries of what an extension adds, of an entry `custom_message` or a message. It has the authority of a
 * developer, but images, which only a user may send.
 */
export function listExtensionEntries({ customType, content, attribution }: JsonObject): readonly SentEntry[] {
  if (UNSENT.has(customType) || !(typeof content === 'string' || Array.isArray(content))) return [];
  const name = asString(customType) || 'extension';
  const blocks = toBlocks(content);
  if (OF_USER.has(customType) && attribution === 'user') return [toUserEntry(name, blocks)];
  const texts = blocks.filter(({ type }) => type === 'text');
  const images = blocks.filter(({ type }) => type === 'image');
  if (images.length === 0) return [toDeveloperEntry(name, blocks)];
  return [
    ...(texts.length > 0 ? [toDeveloperEntry(name, texts)] : []),
    toUserEntry(name, [toTextBlock(`[images of ${name}]`), ...images]),
  ];
}

/** The files that the user mentioned: those with a text, and those with an image. */
function listMentions({ files }: JsonObject): readonly SentEntry[] {
  const mentioned = listObjects(files);
  const texts = mentioned.filter(({ image }) => !image);
  const images = mentioned.filter(({ image }) => image);
  return [
    ...(texts.length > 0 ? [toDeveloperEntry(MENTION, [formatFiles(texts)])] : []),
    ...(images.length > 0
      ? [
          toUserEntry(MENTION, [
            formatFiles(images),
            ...images.flatMap(({ image }) => (isObject(image) ? [image] : [])),
          ]),
        ]
      : []),
  ];
}

const MENTION = 'mention';

function formatFiles(files: readonly JsonObject[]): JsonObject {
  const texts = files.map(({ path, content }) => {
    const inner = content ? `\n${asText(content)}\n` : '\n';
    return `<file path="${asText(path)}">${inner}</file>`;
  });
  return toTextBlock(texts.join('\n'));
}

/** The text of Python that the user ran. */
function formatPython({ code, output, cancelled, exitCode }: JsonObject): string {
  const text = `Ran Python:\n\`\`\`python\n${asText(code)}\n\`\`\`\n`;
  const result = output ? `Output:\n\`\`\`\n${asText(output)}\n\`\`\`` : '(no output)';
  return `${text}${result}${formatPythonEnd(cancelled, exitCode)}`;
}

function formatPythonEnd(cancelled: unknown, exitCode: unknown): string {
  if (cancelled) return '\n\n(execution cancelled)';
  const isFailed = typeof exitCode === 'number' && exitCode !== 0;
  return isFailed ? `\n\nExecution failed with code ${exitCode}` : '';
}

function toUserEntry(customType: string, content: readonly JsonObject[]): SentEntry {
  return { type: 'custom_message', customType, content, display: true };
}

function toBlocks(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [toTextBlock(content)] : listObjects(content);
}

/** A result without what oh-my-pi pruned: its texts are one. */
export function joinPrunedResult(message: JsonObject): JsonObject {
  if (message['prunedAt'] === undefined || !Array.isArray(message['content'])) return message;
  const blocks = listObjects(message['content']);
  const text = blocks.map((block) => (block['type'] === 'text' ? asText(block['text']) : '')).join('');
  const first = blocks.findIndex(({ type }) => type === 'text');
  const joined = toTextBlock(text || '[output left out]');
  const content = blocks.flatMap((block, at) => {
    if (block['type'] !== 'text') return [block];
    return at === first ? [joined] : [];
  });
  return { ...message, content: first === -1 ? [joined, ...blocks] : content };
}

/** An entry with words that a client adds with the authority of a developer. */
function toDeveloperEntry(customType: string, content: readonly JsonObject[]) {
  return { type: 'custom_message', customType, content, display: true, sentRole: 'developer' } as const;
}
