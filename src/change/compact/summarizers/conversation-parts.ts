import { FactReader } from '#analysis/facts/fact-reader.js';
import type { Instruction } from '#analysis/facts/instructions.js';
import { readAnswerFacts, readUserMessage } from '#analysis/facts/message-facts.js';
import { splitSentences } from '#analysis/facts/sentences.js';
import { readMessageText, toOneLine, truncateText } from '#analysis/facts/text.js';
import { findTodos } from '#analysis/facts/todos.js';
import {
  commandOf,
  findFileUse,
  isLastingCommand,
  listToolUses,
  LONGEST_COMMAND,
  type ToolUse,
} from '#analysis/facts/tool-uses.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import type { SummaryTask } from './define.js';

/** An instruction of the user, and whether the assistant or the user has written since. */
interface PastInstruction extends Instruction {
  readonly isAnswered: boolean;
}

/** The parts of a conversation that a summary should say, each list in the order of the messages. */
export interface ConversationParts {
  /** The first sentence of the first user message; null where there is none. */
  readonly opening: string | null;
  readonly instructions: readonly PastInstruction[];
  /** The assistant's first sentence at the end of each turn. */
  readonly reports: readonly string[];
  readonly decisions: readonly string[];
  readonly failures: readonly Failure[];
  /** Commands that went well and change or test something. */
  readonly runs: readonly string[];
  readonly openTodos: readonly string[];
  readonly doneTodos: readonly string[];
  readonly nextSteps: readonly string[];
  /** Commands that the user ran, and summaries of other branches. */
  readonly notes: readonly string[];
  /** A summary among the messages, which counts like the previous one. */
  readonly summaries: readonly string[];
}

/** `isWritten`: whether the user wrote a message; extensions and hooks send theirs in the same role. */
export function gatherParts(
  messages: readonly LlmMessage[],
  isWritten: SummaryTask['isWritten'] = () => true,
): ConversationParts {
  const placed = messages.map((message, at) => ({ message, at }));
  const ofUser = placed.filter(({ message }) => message.role === 'user');
  const written = ofUser.filter(
    ({ message }) =>
      describeNote(readMessageText(message)) === null && findSummaryText(message) === null && isWritten(message),
  );
  const answers = messages.filter(({ role }) => role === 'assistant');
  const turnEnds = placed.filter(({ message }) => message.role === 'assistant' && readAnswerFacts(message).endsTurn);
  const newest = Math.max(turnEnds.at(-1)?.at ?? -1, ofUser.at(-1)?.at ?? -1);
  const lastAnswer = answers.at(-1);
  const todos = findTodos(messages);
  const uses = listToolUses(messages);
  return {
    opening: written.flatMap(({ message }) => readUserMessage(message).opening ?? []).map(shorten)[0] ?? null,
    instructions: written.flatMap(({ message, at }) =>
      readUserMessage(message).instructions.map((instruction) => ({
        ...instruction,
        text: truncateText(instruction.text, LONGEST),
        isAnswered: at < newest,
      })),
    ),
    reports: turnEnds.flatMap(({ message }) => splitSentences(readMessageText(message)).slice(0, 1)).map(shorten),
    decisions: answers.flatMap((message) => readAnswerFacts(message).decisions).map(shorten),
    failures: findFailures(messages, new Set(written.map(({ message }) => message)), uses),
    runs: listRuns(uses),
    openTodos: todos.filter(({ isDone }) => !isDone).map(({ text }) => shorten(text)),
    doneTodos: todos.filter(({ isDone }) => isDone).map(({ text }) => shorten(text)),
    nextSteps: lastAnswer ? readAnswerFacts(lastAnswer).nextSteps.map(shorten) : [],
    notes: ofUser.flatMap(({ message }) => describeNote(readMessageText(message)) ?? []),
    summaries: messages.flatMap((message) => findSummaryText(message) ?? []),
  };
}

/** An instruction is kept whole up to here, in UTF-16 code units. */
const LONGEST = 1000;
const SHORT = 300;

function shorten(text: string): string {
  return truncateText(text, SHORT);
}

/** The text of a user message that no user wrote: a command that the user ran, or the summary of a branch. */
function describeNote(text: string): string | null {
  const [, command] = /^Ran `([^\n]*)`\n/.exec(text) ?? [];
  if (command !== undefined) {
    const [, code] = /\n\nCommand exited with code (\d+)/.exec(text) ?? [];
    return shorten(`The user ran \`${command}\`${code === undefined ? '' : `: exit code ${code}`}`);
  }
  const [, branch] = /^The following is a summary of a branch .*?<summary>\n([\s\S]*)<\/summary>$/.exec(text) ?? [];
  return branch === undefined ? null : truncateText(`Another branch: ${toOneLine(branch)}`, LONGEST);
}

/** A call that failed, with the changes before it succeeded. */
interface Failure {
  readonly text: string;
  /** Whether it still blocks the work: it has not succeeded since, and the user has not written since. */
  readonly isOpen: boolean;
}

/** The failures of a conversation, with the files that were changed before the same call succeeded. */
function findFailures(
  messages: readonly LlmMessage[],
  written: ReadonlySet<LlmMessage>,
  uses: readonly ToolUse[],
): readonly Failure[] {
  const reader = new FactReader();
  const failures = new Map<string, Failure & { readonly at: number }>();
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  for (const [at, message] of messages.entries()) {
    if (message.role === 'user' && !written.has(message)) continue;
    for (const { kind, key, state, text } of reader.take({ kind: 'message', message })) {
      if (kind !== 'blocker') continue;
      const earlier = failures.get(key);
      failures.delete(key);
      if (state === 'open') failures.set(key, { text, isOpen: at > lastUser, at });
      else if (earlier && state === 'gone') failures.set(key, { ...earlier, isOpen: false });
      else if (earlier)
        failures.set(key, { text: `${text}; ${describeRepair(uses, earlier.at, at)}`, isOpen: false, at });
    }
  }
  return [...failures.values()];
}

function describeRepair(uses: readonly ToolUse[], failedAt: number, succeededAt: number): string {
  const changed = uses.flatMap((use) => {
    const file = findFileUse(use);
    const isBetween = use.resultAt > failedAt && use.resultAt < succeededAt;
    return isBetween && file?.kind === 'modified' && !use.isError ? [file.path] : [];
  });
  const last = [...new Set(changed.toReversed())].slice(0, MOST_FILES).toReversed();
  return last.length === 0 ? 'succeeded later' : `succeeded after changes of ${last.join(', ')}`;
}

const MOST_FILES = 6;

/** The commands that went well the last time, of those that test, build or publish something. */
function listRuns(uses: readonly ToolUse[]): readonly string[] {
  const runs = new Map<string, boolean>();
  for (const use of uses) {
    const command = commandOf(use);
    if (command === null || !isLastingCommand(command)) continue;
    runs.delete(command);
    runs.set(command, !use.isError && use.resultAt !== -1);
  }
  const good = [...runs].filter(([, isGood]) => isGood);
  return good.map(([command]) => `Ran \`${truncateText(command, LONGEST_COMMAND)}\``);
}
