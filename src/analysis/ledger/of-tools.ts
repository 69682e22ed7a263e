import type { LlmMessage } from '#context/replay/content.js';
import { attemptOf, isWorthSaying } from '../facts/attempts.js';
import { commandOf, errorIn, fileOf, toolUsesIn, type ToolUse } from '../facts/tool-uses.js';
import { type Fact, fact } from './fact.js';

/** What is remembered of a call until its result comes. */
export interface Call {
  readonly attempt: string;
  /** What makes it the same as a later call: its command, or what it does to its file. */
  readonly keys: readonly string[];
  readonly command: string | null;
  /** Whether its failure matters after the turn. */
  readonly isLasting: boolean;
}

/** The calls of an assistant's message, by their ids. */
export function callsIn(message: LlmMessage): ReadonlyMap<unknown, Call> {
  return new Map(toolUsesIn([message]).map((use) => [use.id, callOf(use)]));
}

function callOf(use: ToolUse): Call {
  const command = commandOf(use);
  const isLasting = command !== null && isWorthSaying(command);
  return { attempt: attemptOf(use), keys: keysOf(use, command), command, isLasting };
}

/** Whoever changes a file has no trouble reading it. */
function keysOf(use: ToolUse, command: string | null): readonly string[] {
  if (command !== null) return [`ran ${bare(command)}`];
  const file = fileOf(use);
  if (!file) return [`called ${use.name}`];
  return file.kind === 'modified' ? [`modified ${file.path}`, `read ${file.path}`] : [`read ${file.path}`];
}

/** A command without what only says where it runs and how much of its output is shown. */
function bare(command: string): string {
  let rest = command.slice(0, LONGEST_KEY).replace(/^(?:cd [^\s;&|]+ ?(?:&&|;) ?)+/, '');
  for (let shorter = rest.replace(SHOWS_LESS, ''); shorter !== rest; shorter = rest.replace(SHOWS_LESS, ''))
    rest = shorter;
  return rest.trim();
}

const LONGEST_KEY = 2000;
/** One at a time: a pattern for several may try each blank between two of them on either side. */
const SHOWS_LESS = /(?: ?2>&1| ?\| ?(?:head|tail|cat)\b[^|;&]*)$/;

/** A failed result as a fact; null for one that did not fail. A result without a call stands for itself. */
export function failureIn(result: LlmMessage, call: Call): Fact | null {
  const [use] = toolUsesIn([result]);
  const args = call.command === null ? {} : { command: call.command };
  const error = use ? errorIn({ ...use, args }) : null;
  if (error === null || STOPPED.test(error)) return null;
  return { ...fact('blocker', `${call.attempt} failed: ${error}`), key: call.keys[0] ?? '' };
}

/** By the user, which says nothing of what it was. */
const STOPPED = /^(?:(?:command|operation|tool|request)(?: was)? )?(?:aborted|cancell?ed)\b/i;
