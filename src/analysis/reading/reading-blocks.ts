import { formatIndentedJson } from '#base/json-text.js';
import { asString, asText, type JsonObject, listObjects } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { isFailedAnswer, readEntryMessage } from '#context/replay/convert.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { isSummaryText } from '#context/words/message-text.js';
import { type CallArguments, isReadTool, readToolCall } from '#context/words/tool-call.js';
import type { ContentBlock, Entry } from '#session/entry.js';
import { buildTextPatch } from './patch-lines.js';
import type { ReadingBlock } from './reading-block.js';

export interface ReadingOptions {
  /** The tool call that a result answers, where it is known. */
  readonly call?: JsonObject | undefined;
  /** The working folder, which paths omit. */
  readonly cwd?: string | undefined;
  /** Whether the arguments of a call stay as they are stored. */
  readonly isRecorded?: boolean;
}

/** The blocks of a message, as a person reads it. Texts are whole, and as they were sent. */
export function buildReadingBlocks(message: LlmMessage, reading: ReadingOptions = {}): readonly ReadingBlock[] {
  const blocks = listBlocks(message).flatMap((block) => buildBlock(block, message, reading));
  return [...blocks, ...buildFailureBlock(message)];
}

/** The blocks of a command that the user ran, and its output. */
export function buildShellBlocks(execution: JsonObject): readonly ReadingBlock[] {
  const { command, output, exitCode, cancelled, excludeFromContext } = execution;
  const details: string[] = [];
  if (typeof exitCode === 'number' && exitCode !== 0) details.push(`exit code ${exitCode}`);
  if (cancelled === true) details.push('cancelled');
  if (excludeFromContext === true) details.push('not sent to the model');
  const called = buildCallBlocks({ name: '$', arguments: { command } }, '');
  const blocks = called.map((block) => (block.kind === 'call' ? { ...block, details } : block));
  return output ? [...blocks, { kind: 'output', content: { text: asText(output), language: '' } }] : blocks;
}

function buildBlock(
  block: ContentBlock,
  message: LlmMessage,
  { call, cwd = '', isRecorded = false }: ReadingOptions,
): readonly ReadingBlock[] {
  switch (block.type) {
    case 'text': {
      const text = asString(block.text) ?? '';
      const kind = message.role === 'toolResult' ? 'output' : 'text';
      return [{ kind, content: { text, language: findLanguage(message, text, call) } }];
    }
    case 'thinking':
      return [{ kind: 'thinking', content: { text: asString(block.thinking) ?? '', language: 'markdown' } }];
    case 'toolCall':
      return isRecorded ? buildRecordedCall(block) : buildCallBlocks(block, cwd);
    case 'image':
      return [buildImageBlock(block)];
    default:
      return [{ kind: 'unknown', content: { text: formatIndentedJson(block), language: 'json' } }];
  }
}

/**
 * Models write Markdown, in answers and in summaries, and a file that was read is in the language of its name. Other
 * texts of users and tools may contain marks without meaning them.
 */
function findLanguage({ role }: LlmMessage, text: string, call: JsonObject | undefined): string {
  if (role === 'assistant' || isSummaryText(text)) return 'markdown';
  const { tool, path } = readToolCall(call ?? {});
  return path !== null && isReadTool(tool) ? readExtension(path) : '';
}

function buildImageBlock({ mimeType, data }: JsonObject): ReadingBlock {
  const text = asString(data) ?? '';
  const bytes = Math.floor((text.replace(/=+$/, '').length * 3) / 4);
  return { kind: 'image', type: asText(mimeType ?? 'unknown type'), bytes, data: text };
}

function buildFailureBlock(message: LlmMessage): readonly ReadingBlock[] {
  const { isError, stopReason, errorMessage } = message;
  if (isError === true) return [{ kind: 'failure', text: 'the tool reported an error' }];
  if (!isFailedAnswer(message)) return [];
  return [{ kind: 'failure', text: `${asText(stopReason)}: ${asText(errorMessage ?? 'no message')}` }];
}

/** The blocks of an entry with a message or a summary; null for other entries, such as labels. */
export function buildEntryBlocks(entry: Entry, reading: ReadingOptions): readonly ReadingBlock[] | null {
  const blocks = buildMessageBlocks(entry, reading);
  const summary = readEntryMessage(entry)?.summary ?? entry.summary;
  if (blocks || summary === undefined) return blocks;
  return [{ kind: 'text', content: { text: asText(summary), language: 'markdown' } }];
}

/** The blocks of an entry with a message; null for summaries and other entries. */
export function buildMessageBlocks(entry: Entry, reading: ReadingOptions): readonly ReadingBlock[] | null {
  const message = readEntryMessage(entry);
  switch (message?.role) {
    case 'user':
    case 'assistant':
    case 'toolResult':
    case 'custom':
      // A custom message is sent in the form of a user message.
      return buildReadingBlocks(message as LlmMessage, reading);
    case 'bashExecution':
      return buildShellBlocks(message);
    default:
      return null;
  }
}

/** A tool call: a line with its subject, and blocks for longer arguments. Every argument is in one of them. */
function buildCallBlocks(block: JsonObject, cwd: string): readonly ReadingBlock[] {
  const call = readToolCall(block, cwd);
  const rest = new Map(Object.entries(call.rest));
  const subject = readSubject(call);
  const longer: ReadingBlock[] = [];
  if (subject === '' && call.command !== null) longer.push(buildArgument('command', call.command, 'bash'));
  longer.push(...takeEditBlocks(rest), ...takeFileBlocks(rest, call.path));
  const counts = longer.flatMap((each) => (each.kind === 'diff' ? [`+${each.added} -${each.removed}`] : []));
  const short = [...rest].flatMap(([name, value]) => (isShort(value) ? [`${name} ${String(value)}`] : []));
  const others = Object.fromEntries([...rest].filter(([, value]) => !isShort(value)));
  if (Object.keys(others).length > 0) longer.push(buildArgument('', formatIndentedJson(others), 'json'));
  return [
    { kind: 'call', tool: call.tool, subject, details: [...counts, ...short], id: asString(block.id) },
    ...longer,
  ];
}

/** A tool call as it is stored: its name, and all of its arguments as JSON. */
function buildRecordedCall({ name, id, arguments: given }: JsonObject): readonly ReadingBlock[] {
  return [
    { kind: 'call', tool: asText(name ?? '?'), subject: '', details: [], id: asString(id) },
    buildArgument('', formatIndentedJson(given), 'json'),
  ];
}

/** Empty for a command of several lines, which is a block. */
function readSubject({ command, path, pattern }: CallArguments): string {
  if (command !== null) return command.trim().includes('\n') ? '' : command.trim();
  return [pattern, path].filter((part) => part !== null).join(' in ');
}

const SHORT = 80;

function isShort(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= SHORT && !value.includes('\n');
  return typeof value === 'number' || typeof value === 'boolean';
}

function buildArgument(name: string, text: string, language: string): ReadingBlock {
  return { kind: 'argument', name, content: { text, language } };
}

/** A text that an edit replaces, and its replacement. */
interface Replacement {
  readonly before: string;
  readonly after: string;
}

/** The arguments of a replacement, in the edit tools of Pi and other agents. */
const REPLACEMENT_KEYS: readonly Replacement[] = [
  { before: 'oldText', after: 'newText' },
  { before: 'old_string', after: 'new_string' },
  { before: 'oldString', after: 'newString' },
];

/** Takes the replacements of an edit out of the arguments. */
function takeEditBlocks(rest: Map<string, unknown>): readonly ReadingBlock[] {
  const edits: Replacement[] = [];
  const own = readReplacement(Object.fromEntries(rest));
  if (own) {
    edits.push(own);
    for (const { before, after } of REPLACEMENT_KEYS) {
      rest.delete(before);
      rest.delete(after);
    }
  }
  const listed = listObjects(rest.get('edits')).map(readReplacement);
  if (listed.length > 0 && listed.every((each) => each !== null)) {
    edits.push(...listed);
    rest.delete('edits');
  }
  if (edits.length === 0) return [];
  return [buildDiffBlock(edits.map(({ before, after }) => buildTextPatch(before, after)).join('\n@@\n'))];
}

function readReplacement(fields: JsonObject): Replacement | null {
  for (const keys of REPLACEMENT_KEYS) {
    const before = asString(fields[keys.before]);
    const after = asString(fields[keys.after]);
    if (before !== null && after !== null) return { before, after };
  }
  return null;
}

function buildDiffBlock(text: string): ReadingBlock {
  const lines = text.split('\n');
  const countLines = (sign: '+' | '-'): number => lines.filter((line) => line.startsWith(sign)).length;
  return { kind: 'diff', added: countLines('+'), removed: countLines('-'), content: { text, language: 'diff' } };
}

/** Takes the text of a written file, or a patch, out of the arguments. */
function takeFileBlocks(rest: Map<string, unknown>, path: string | null): readonly ReadingBlock[] {
  const blocks: ReadingBlock[] = [];
  for (const [name, value] of rest) {
    if (typeof value !== 'string' || isShort(value)) continue;
    if (PATCH.test(value)) blocks.push(buildDiffBlock(value));
    else blocks.push(buildArgument(name, value, path !== null && name === 'content' ? readExtension(path) : ''));
    rest.delete(name);
  }
  return blocks;
}

/** The patch format of Codex. */
const PATCH = /^\s*\*\*\* Begin Patch/;

function readExtension(path: string): string {
  return /\.(\w{1,12})$/.exec(path.replace(/:\d[\d-]*$/, ''))?.[1]?.toLowerCase() ?? '';
}
