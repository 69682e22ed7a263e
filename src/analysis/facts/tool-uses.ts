import { asObject, asString, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { PATH_NAMES } from '#context/words/tool-call.js';
import { lowerAscii, readMessageText, toOneLine, truncateText } from './text.js';

/** A tool call with its result. */
export interface ToolUse {
  /** The id of the call; null if it has none that is a text. */
  readonly id: string | null;
  readonly name: string;
  readonly args: JsonObject;
  /** The indexes of its call and its result among the messages; -1 if there is none. */
  readonly callAt: number;
  readonly resultAt: number;
  readonly result: string;
  readonly isError: boolean;
}

/** The tool uses of a list of messages in the order of their calls; results without a call are at their own place. */
export function listToolUses(messages: readonly LlmMessage[]): readonly ToolUse[] {
  const uses: ToolUse[] = [];
  const open = new Map<unknown, number>();
  for (const [at, message] of messages.entries()) {
    if (message.role === 'toolResult') {
      const { toolCallId, toolName } = message;
      const found = open.get(toolCallId);
      const use = found === undefined ? undefined : uses[found];
      const outcome = { resultAt: at, result: readMessageText(message), isError: message.isError === true };
      if (found !== undefined && use) uses[found] = { ...use, ...outcome };
      else uses.push({ id: asString(toolCallId), name: readName(toolName), args: {}, callAt: -1, ...outcome });
      open.delete(toolCallId);
    }
    if (message.role !== 'assistant') continue;
    for (const block of listBlocks(message)) {
      if (block.type !== 'toolCall') continue;
      open.set(block.id, uses.length);
      const called = {
        id: asString(block.id),
        name: readName(block.name),
        args: asObject(block.arguments),
        callAt: at,
      };
      uses.push({ ...called, resultAt: -1, result: '', isError: false });
    }
  }
  return uses;
}

function readName(value: unknown): string {
  return asString(value) ?? 'unknown';
}

/** The file of a call, and the operation on it; null for a call without a file. */
export function findFileUse({ name, args }: Pick<ToolUse, 'name' | 'args'>): FileUse | null {
  const path = PATH_NAMES.map((key) => asString(args[key])).find((value) => value !== null);
  if (!path) return null;
  return { path, kind: MODIFIES.test(lowerAscii(name)) ? 'modified' : 'read' };
}

export interface FileUse {
  readonly path: string;
  readonly kind: 'read' | 'modified';
}

const MODIFIES = /^(?:edit|write|multi_?edit|str_replace|create|apply_?patch|append|insert|delete|move|rename)/;

/** The command of a call, on one line; null if it runs none. */
export function commandOf({ args }: Pick<ToolUse, 'args'>): string | null {
  const command = asString(args.command) ?? asString(args.cmd);
  return command === null ? null : toOneLine(command);
}

/** The error line of a failed result; null for a result that did not fail. */
export function findErrorLine(use: ToolUse): string | null {
  const { result, isError } = use;
  if (!isError || isSearchWithoutResult(use)) return null;
  const lines = result.split(/\r?\n/);
  return (
    findLine(lines, (line) => isShort(line) && statesFailure(line)) ??
    (findLine(lines, isShort) === null ? findLine(lines, statesFailure) : null) ??
    findLine(lines.toReversed(), () => true) ??
    'failed without a message'
  );
}

/** Whether an error says that the user stopped the call, or did not allow it: then it has not failed. */
export function isStoppedByUser(error: string): boolean {
  return STOPPED_BY_USER.test(error);
}

const STOPPED_BY_USER =
  /^(?:(?:command|operation|tool|request)(?: was)? )?(?:aborted|cancell?ed)\b|^The user (?:doesn't|does not) want to (?:proceed|take this action)\b/i;

function isShort({ length }: string): boolean {
  return length <= LONGEST_ERROR;
}

function statesFailure(line: string): boolean {
  return FAILURE.test(line) || ERROR_NAME.test(line);
}

/** The first line with a word that passes a test, without blanks around it. */
function findLine(lines: readonly string[], passes: (line: string) => boolean): string | null {
  for (const each of lines) {
    const line = toOneLine(each);
    if (line !== '' && passes(line)) return line;
  }
  return null;
}

/** The maximum length of an error line: longer lines are likely machine-generated code, and are a last resort. */
const LONGEST_ERROR = 500;

/** Words that state a failure, and names of errors, such as `TypeError` and `ENOENT`. */
const FAILURE =
  /\b(?:error(?: TS\d+|\[\w+\])?:|fatal:|(?:panic|failed|not found|no such|cannot|could not|permission denied|refused|timed? ?out)\b)/i;
const ERROR_NAME = /\b(?:[A-Z]\w*(?:Error|Exception)|FAIL|E[A-Z]{4,})\b/;

/** Programs that exit with 1 to report no match, or a difference, have not failed. */
function isSearchWithoutResult(use: ToolUse): boolean {
  const command = commandOf(use) ?? '';
  const last = command.slice(Math.max(command.lastIndexOf('&'), command.lastIndexOf(';')) + 1);
  const isSearch = /(?:^|\|)\s*(?:grep|rg|ag|ack|diff|test|which|pgrep)\b/.test(last);
  return isSearch && /^\s*(?:\(no output\)\s*)?(?:Command exited with|Exit) code 1\s*$/.test(use.result);
}

type Call = Pick<ToolUse, 'name' | 'args'>;

/** Names a call in a few words: its command, or its tool and file. */
export function describeCall(call: Call): string {
  const command = commandOf(call);
  if (command !== null) return `\`${truncateText(command, LONGEST_COMMAND)}\``;
  const file = findFileUse(call);
  return file ? `${call.name} ${file.path}` : call.name;
}

/** Names a command in a line. */
export const LONGEST_COMMAND = 160;

/** Whether a command tests, builds or publishes, so that its result matters later too. */
export function isLastingCommand(command: string): boolean {
  return WORTH_SAYING.test(command);
}

const WORTH_SAYING =
  /\b(?:test|check|lint|build|tsc|make|compile|install|add|commit|push|merge|rebase|tag|publish|deploy|release|migrate|pytest|vitest|jest|cargo|mvn|gradle)\b/;
