import { asObject, asString, asText, type JsonObject } from '#base/json.js';
import { sliceStart } from '#base/text.js';
import type { ContentBlock } from '#session/entry.js';
import type { LlmMessage } from '../replay/content.js';
import { listBlockTexts } from './message-blocks.js';
import { formatNameFirst, readToolCall } from './tool-call.js';
import { unwrapQueuedWords } from './user-words.js';

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
  return shorten(`${formatStart(message, call)}${previewContent(message, cwd)}`.trim());
}

/** A message of reminders alone is shown with their words. */
function previewContent(message: LlmMessage, cwd: string): string {
  const short = listBlockTexts(message, (block) => previewBlock(shortenReminders(block), cwd));
  const isWorded = short.some((text) => text !== REMINDER);
  return joinParts(isWorded ? short : listBlockTexts(message, (block) => previewBlock(block, cwd)));
}

const THINKING = '[thinking]';

/**
 * Joins the parts of a message. Thinking is set apart, or the answer would read as a thought; several thoughts in a row
 * are one.
 */
function joinParts(parts: readonly string[]): string {
  let line = '';
  let last: string | null = null;
  for (const part of parts) {
    const isThought = part === THINKING;
    if (isThought && last === THINKING) continue;
    if (last !== null) line += isThought || last === THINKING ? ' · ' : ' ';
    line += part;
    last = part;
  }
  return line;
}

function shortenReminders(block: ContentBlock): ContentBlock {
  const { text } = block;
  return typeof text === 'string' && text.startsWith('<')
    ? { ...block, text: unwrapQueuedWords(text).replace(REMINDERS, `${REMINDER} `).trimEnd() }
    : block;
}

function formatStart(message: LlmMessage, call: string | null): string {
  const { role, toolName } = message;
  if (role !== 'toolResult') return formatOutcome(message);
  // A failure comes first: a long command would push it off the line.
  if (call !== null) return `${formatOutcome(message)}${shorten(call, CALL_CHARACTERS)} → `;
  return `${asText(toolName ?? '?')}: ${formatOutcome(message)}`;
}

/** A text cut to `most` characters, with `…` for the rest. */
export function shorten(text: string, most = PREVIEW_CHARACTERS): string {
  if (text.length <= most) return text;
  const start = text.trim();
  if (start.length <= most) return start;
  return `${sliceStart(start, most - 1).trimEnd()}…`;
}

/** The outcome of a message that failed or was aborted. */
function formatOutcome({ isError, stopReason, errorMessage }: JsonObject): string {
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

function previewBlock(block: ContentBlock, cwd: string): string {
  switch (block.type) {
    case 'text':
      return shorten((asString(block.text) ?? '').replace(SUMMARY_INTRODUCTION, '').replace(/<\/summary>$/, ''));
    case 'thinking':
      return THINKING;
    case 'toolCall':
      return formatCall(block, cwd);
    case 'image':
      return '[image]';
    default:
      return `[${asText(block.type ?? 'block without a type')}]`;
  }
}

/**
 * A tool call on one line with its main argument: `read src/a.ts:10-40`, `bash npm test`. Paths are relative to `cwd`.
 */
export function formatCall(block: JsonObject, cwd = ''): string {
  const { tool, command, path, pattern } = readToolCall(block, cwd);
  if (command !== null) return `${tool} ${shorten(command)}`;
  const start = pattern === null ? '' : ` ${shorten(pattern)}`;
  if (path !== null) return pattern === null ? `${tool} ${formatNameFirst(path)}` : `${tool}${start} in ${path}`;
  return pattern === null ? `${tool}(${formatArguments(block.arguments)})` : `${tool}${start}`;
}

/** The values of a call's arguments, without the name of a single one. */
function formatArguments(given: unknown): string {
  const all = Object.entries(asObject(given));
  const name = (each: string): string => (all.length === 1 ? '' : `${each}=`);
  return all.map(([each, value]) => `${name(each)}${shorten(asText(value))}`).join(', ');
}
