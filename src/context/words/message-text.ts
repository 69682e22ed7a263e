import { asObject, asString, asText, type JsonObject, listObjects } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import { nameOf, type Session } from '#session/session.js';
import type { LlmMessage } from '../replay/content.js';
import { readEntryMessage } from '../replay/convert.js';
import { formatNameFirst, readToolCall } from './tool-call.js';
import { findCommandName, readTitleWords, unwrapQueuedWords } from './user-words.js';

const PREVIEW_CHARACTERS = 240;
/** The maximum length of a call before its result. */
const CALL_CHARACTERS = 80;
/** Pi's introduction of every summary, which previews omit. */
const SUMMARY_INTRODUCTION =
  /^The (?:conversation history before this point|following is a summary of a branch)[^<]*<summary>\s*/;

/** Represents what Claude Code tells the model before the words of a message, in a preview. */
const REMINDER = '[reminder]';
const REMINDERS = /^(?:<system-reminder>[^]*?<\/system-reminder>\s*)+/;

/** Describes a message in at most 240 characters. `call`: the call that a tool result answers, if known. */
export function previewMessage(message: LlmMessage, call: string | null = null, cwd = ''): string {
  return shorten(`${startOfLine(message, call)}${contentOf(message, cwd)}`.trim());
}

/** A message of reminders alone is shown with their words. */
function contentOf(message: LlmMessage, cwd: string): string {
  const short = texts(message, (block) => previewOfBlock(withShortReminders(block), cwd));
  const isWorded = short.some((text) => text !== REMINDER);
  return joined(isWorded ? short : texts(message, (block) => previewOfBlock(block, cwd)));
}

const THINKING = '[thinking]';

/** Joins the parts of a message. Thinking is set apart, or the answer would read as a thought; several thoughts in a row are one. */
function joined(parts: readonly string[]): string {
  let line = '';
  let last: string | null = null;
  for (const part of parts) {
    const isThought = part === THINKING;
    if (last !== null && !(isThought && last === THINKING)) line += isThought || last === THINKING ? ' · ' : ' ';
    if (!(isThought && last === THINKING)) line += part;
    last = part;
  }
  return line;
}

function withShortReminders(block: JsonObject): JsonObject {
  const { text } = block;
  return typeof text === 'string' && text.startsWith('<')
    ? { ...block, text: unwrapQueuedWords(text).replace(REMINDERS, `${REMINDER} `).trimEnd() }
    : block;
}

function startOfLine(message: LlmMessage, call: string | null): string {
  const { role, toolName } = message;
  if (role !== 'toolResult') return endOf(message);
  // A failure comes first: a long command would push it off the line.
  if (call !== null) return `${endOf(message)}${shorten(call, CALL_CHARACTERS)} → `;
  return `${asText(toolName ?? '?')}: ${endOf(message)}`;
}

/** A text cut to `most` characters, with `…` for the rest. */
export function shorten(text: string, most = PREVIEW_CHARACTERS): string {
  if (text.length <= most) return text;
  const start = text.trim();
  if (start.length <= most) return start;
  return `${sliceStart(start, most - 1).trimEnd()}…`;
}

/** The outcome of a message that failed or was aborted. */
function endOf({ isError, stopReason, errorMessage }: JsonObject): string {
  if (isError === true) return 'failed: ';
  if (stopReason === 'aborted') return '(aborted) ';
  if (stopReason !== 'error') return '';
  const why = shorten(asText(errorMessage ?? '').trim());
  return why === '' ? '(error) ' : `(error: ${why}) `;
}

/** Whether a text is a summary with Pi's introduction for the model. */
export function isSummaryText(text: string): boolean {
  return SUMMARY_INTRODUCTION.test(text);
}

/** All searchable text of a message: texts, thinking, tool calls with their arguments. */
export function searchableText(message: LlmMessage): string {
  return texts(message, textOfBlock).join('\n');
}

/** The names of the tools that a message calls or answers. */
export function listToolNames(message: LlmMessage): readonly string[] {
  if (message.role === 'toolResult') return [asString(message['toolName']) ?? ''];
  return listObjects(message['content']).flatMap(({ type, name }) =>
    type === 'toolCall' ? (asString(name) ?? '') : [],
  );
}

/** The content of a message as blocks, in any stored form. */
export function listBlocks(message: JsonObject): readonly JsonObject[] {
  const content = message['content'];
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content);
}

function texts(message: LlmMessage, textOf: (block: JsonObject) => string): readonly string[] {
  return listBlocks(message)
    .map(textOf)
    .filter((text) => text !== '');
}

function previewOfBlock(block: JsonObject, cwd: string): string {
  switch (block['type']) {
    case 'text':
      return shorten((asString(block['text']) ?? '').replace(SUMMARY_INTRODUCTION, '').replace(/<\/summary>$/, ''));
    case 'thinking':
      return THINKING;
    case 'toolCall':
      return formatCall(block, cwd);
    case 'image':
      return '[image]';
    default:
      return `[${asText(block['type'] ?? 'block without a type')}]`;
  }
}

/** A tool call on one line with its main argument: `read src/a.ts:10-40`, `bash npm test`. Paths are relative to `cwd`. */
export function formatCall(block: JsonObject, cwd = ''): string {
  const { tool, command, path, pattern } = readToolCall(block, cwd);
  if (command !== null) return `${tool} ${shorten(command)}`;
  const start = pattern === null ? '' : ` ${shorten(pattern)}`;
  if (path !== null) return pattern === null ? `${tool} ${formatNameFirst(path)}` : `${tool}${start} in ${path}`;
  return pattern === null ? `${tool}(${argumentsText(block['arguments'])})` : `${tool}${start}`;
}

/** The values of a call's arguments, without the name of a single one. */
function argumentsText(given: unknown): string {
  const all = Object.entries(asObject(given));
  const name = (each: string): string => (all.length === 1 ? '' : `${each}=`);
  return all.map(([each, value]) => `${name(each)}${shorten(asText(value))}`).join(', ');
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

const MOST_CHARACTERS = 72;

/** The title of a session: its name, else the first words of its user, those that it did not copy if it has any. */
export function findSessionTitle(session: Session): string {
  const name = nameOf(session);
  if (name !== null) return name;
  const own = session.copiedFrom ? firstWords(session, (index) => session.copiedFrom?.(index) === null) : null;
  return own ?? firstWords(session, () => true) ?? `Session ${session.header.id}`;
}

/** The first messages of a user in which words are searched: a client may begin with some of its own. */
const MOST_MESSAGES = 20;

/** The words of the first message that has any; without one, what the first message shows. */
function firstWords(session: Session, isWanted: (index: number) => boolean): string | null {
  const { heads } = session.tree;
  let instead = '';
  let messages = 0;
  for (let at = 0; at < heads.length && messages < MOST_MESSAGES; at += 1) {
    if (heads.roleAt(at) !== 'user' || !isWanted(at)) continue;
    const head = heads.at(at);
    const message = head && readEntryMessage(session.entry(head));
    // The head confirms that it is a user message.
    const words = message ? readTitle(message as LlmMessage) : '';
    if (words !== '') return cutTitle(words);
    if (message && instead === '') instead = describeWordless(message as LlmMessage);
    messages += 1;
  }
  return instead === '' ? null : cutTitle(instead);
}

/** The words of a user's message on one line, without what a client inserted; '' for one without any. */
export function readTitle(message: LlmMessage): string {
  return readTitleWords(
    texts(message, (block) => (block['type'] === 'text' ? (asString(block['text']) ?? '') : '')).join('\n'),
  );
}

/** Names a message without words of a user: the command, or what it shows. */
export function describeWordless(message: LlmMessage): string {
  const shown = previewMessage(message).replace(/^(?:\[reminder\]\s*)+/, '');
  return findCommandName(shown) ?? shown.replaceAll(/\s+/g, ' ');
}

function cutTitle(words: string): string {
  return words.length <= MOST_CHARACTERS ? words : `${sliceStart(words, MOST_CHARACTERS).replace(/\s+\S*$/, '')} …`;
}
