import { asObject, asString, isObject, type JsonObject } from '#base/json.js';
import { listBlocks } from '#context/words/message-blocks.js';
import { messageOf } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';

/** A tool call that an answer of the active path made. */
export interface PathCall {
  readonly name: string;
  /** The command line of a shell tool; null for any other call. */
  readonly command: string | null;
  /** Whether its result is an error; false without a result. */
  readonly hasFailed: boolean;
  readonly head: Head;
}

const callsBySession = new WeakMap<Session, readonly PathCall[]>();

/** The tool calls on the active path in their order, those before a compaction included. Read once for all rules. */
export function listPathCalls(session: Session): readonly PathCall[] {
  const calls = callsBySession.get(session) ?? readCalls(session);
  callsBySession.set(session, calls);
  return calls;
}

function readCalls(session: Session): readonly PathCall[] {
  const calls: PathCall[] = [];
  /** The places of the calls that wait for a result, by their ids. */
  const open = new Map<string, number>();
  for (const head of activePath(session.tree)) {
    if (head.role !== 'assistant' && head.role !== 'toolResult') continue;
    const message = messageOf(session.entry(head));
    if (message?.role === 'assistant') {
      for (const block of listBlocks(message)) {
        if (block.type !== 'toolCall') continue;
        open.set(String(block.id), calls.length);
        const command = findCommand(asObject(block.arguments));
        calls.push({ name: asString(block.name) ?? 'unknown', command, hasFailed: false, head });
      }
    } else if (message?.role === 'toolResult') {
      const { toolCallId, isError } = message;
      const place = open.get(String(toolCallId));
      const call = place === undefined ? undefined : calls[place];
      if (place !== undefined && call && isError === true) calls[place] = { ...call, hasFailed: true };
      open.delete(String(toolCallId));
    }
  }
  return calls;
}

/** The names of arguments in which the shell tools of agents pass their command: a text, or a list of words. */
const COMMAND_NAMES = ['command', 'cmd', 'script'];

function findCommand(args: JsonObject): string | null {
  for (const name of COMMAND_NAMES) {
    const value = args[name];
    if (typeof value === 'string') return value;
    if (Array.isArray(value)) return joinCommand(value.map(String));
  }
  const { action } = args;
  return isObject(action) ? findCommand(action) : null;
}

/** Joins the words of a command. Codex passes `bash -lc LINE` as a list, in which the line is the command. */
function joinCommand(words: readonly string[]): string {
  const [shell = '', flag = '', line] = words;
  const isShell = /(?:^|[/\\])(?:ba|z|da|fi|k)?sh(?:\.exe)?$/.test(shell) && /^-\w*c$/.test(flag);
  return isShell && line !== undefined && words.length === 3 ? line : words.join(' ');
}
