import type { LlmMessage } from '#context/replay/content.js';
import { type Fact, toFact } from './fact.js';
import {
  commandOf,
  describeCall,
  findErrorLine,
  findFileUse,
  isLastingCommand,
  isStoppedByUser,
  listToolUses,
  type ToolUse,
} from './tool-uses.js';

/** A call without its result so far. */
export interface PendingCall {
  readonly description: string;
  /** The keys for matching a later call of the same kind: its command, or the operation on its file. */
  readonly keys: readonly string[];
  /** The command without its options, for matching a later one; null for a call that runs none. */
  readonly program: string | null;
  readonly command: string | null;
  /** Whether its failure matters after the turn. */
  readonly isLasting: boolean;
}

/** The calls of an assistant's message, by their ids. */
export function readPendingCalls(message: LlmMessage): ReadonlyMap<unknown, PendingCall> {
  return new Map(listToolUses([message]).map((use) => [use.id, toPendingCall(use)]));
}

function toPendingCall(use: ToolUse): PendingCall {
  const command = commandOf(use);
  return {
    description: describeCall(use),
    keys: listKeys(use, command),
    program: command && cutOptions(command),
    command,
    isLasting: command !== null && isLastingCommand(command),
  };
}

/** A successful change of a file implies that it can be read. */
function listKeys(use: ToolUse, command: string | null): readonly string[] {
  if (command !== null) return [`ran ${cutFolderAndPipe(command)}`];
  const file = findFileUse(use);
  if (!file) return [`called ${use.name}`];
  return file.kind === 'modified' ? [`modified ${file.path}`, `read ${file.path}`] : [`read ${file.path}`];
}

/** A command without parts that only set its folder or limit its output. */
function cutFolderAndPipe(command: string): string {
  let rest = command.slice(0, LONGEST_KEY).replace(/^(?:cd [^\s;&|]+ ?(?:&&|;) ?)+/, '');
  for (let shorter = rest.replace(SHOWS_LESS, ''); shorter !== rest; shorter = rest.replace(SHOWS_LESS, '')) {
    rest = shorter;
  }
  return rest.trim();
}

/** The limit in UTF-16 code units. */
const LONGEST_KEY = 2000;
/** One match at a time: a pattern for several would backtrack over each blank between them. */
const SHOWS_LESS = /(?: ?2>&1| ?\| ?(?:head|tail|cat)\b[^|;&]*)$/;

/** So `npm run build --if-present` is `npm run build`. Of git, the first two words stay. */
function cutOptions(command: string): string {
  const parts = cutFolderAndPipe(command).replaceAll(QUOTED, QUOTE).split(BETWEEN_PARTS);
  return parts.map((part) => WORDS_BEFORE_OPTIONS.exec(part)?.[0] ?? part).join(' ');
}

/** A quote that does not end is cut off with the end of a long command. */
const QUOTED = /"(?:[^"\\]|\\[^])*(?:"|$)|'[^']*(?:'|$)/g;
const QUOTE = '"';
const BETWEEN_PARTS = / ?(&&|\|\||[;|]) ?/;
/**
 * The words before the options of a command: at least two, since a single program such as `curl -s URL` does something
 * else each time.
 */
const WORDS_BEFORE_OPTIONS = /^(?:git [a-z][\w-]*|[\w./:@-]+(?: [\w./:@][\w./:@-]*)+(?= -(?!- )|$))/;

/** A failed result as a fact; null for one that did not fail. */
export function readFailure(result: LlmMessage, call: PendingCall): Fact | null {
  const [use] = listToolUses([result]);
  const args = call.command === null ? {} : { command: call.command };
  const error = use ? findErrorLine({ ...use, args }) : null;
  if (error === null || isStoppedByUser(error)) return null;
  return { ...toFact('blocker', `${call.description} failed: ${error}`), key: call.keys[0] ?? '' };
}
