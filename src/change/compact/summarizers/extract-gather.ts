import { decisionsIn, type Instruction, instructionsIn, nextStepsIn, sentencesIn } from '#analysis/facts/sentences.js';
import { cut, endsTurn, oneLine, textOf } from '#analysis/facts/text.js';
import { lastTodos } from '#analysis/facts/todos.js';
import { toolUsesIn } from '#analysis/facts/tool-uses.js';
import type { LlmMessage } from '#context/replay/content.js';
import { summaryIn } from '#context/replay/convert.js';
import { failuresIn, type Failure, runsIn } from './extract-failures.js';

/** A sentence of a user's, with what became of it. */
interface Wish extends Instruction {
  readonly isAnswered: boolean;
}

/** What a list of messages holds that a summary should say, each list in the order of the messages. */
export interface Gathered {
  /** The first sentence of the first user message; null where there is none. */
  readonly opening: string | null;
  readonly wishes: readonly Wish[];
  /** What the assistant said at the end of each turn. */
  readonly reports: readonly string[];
  readonly decisions: readonly string[];
  /** `isOld`: the user has written since. */
  readonly failures: readonly (Failure & { readonly isOld: boolean })[];
  /** Commands that went well and change or test something. */
  readonly runs: readonly string[];
  readonly openTodos: readonly string[];
  readonly doneTodos: readonly string[];
  readonly nextSteps: readonly string[];
  /** Commands that the user ran, and summaries of other branches. */
  readonly notes: readonly string[];
  /** A summary that stands among the messages, and takes part like the previous one. */
  readonly summaries: readonly string[];
}

export function gather(messages: readonly LlmMessage[]): Gathered {
  const lastAnswer = messages.findLastIndex(endsTurn);
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const said = messages.map((message) => (message.role === 'toolResult' ? '' : textOf(message)));
  const ofUser = [...messages.keys()].filter((at) => messages[at]?.role === 'user');
  const written = ofUser.filter((at) => noteIn(said[at] ?? '') === null && !isSummary(messages[at]));
  const ofAssistant = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
  const todos = lastTodos(messages);
  const uses = toolUsesIn(messages);
  return {
    opening: written.flatMap((at) => sentencesIn(said[at] ?? '').slice(0, 1)).map(brief)[0] ?? null,
    wishes: written.flatMap((at) => {
      const isAnswered = at < lastAnswer || at < lastUser;
      return instructionsIn(said[at] ?? '').map(({ kind, text }) => ({ kind, text: cut(text, LONGEST), isAnswered }));
    }),
    reports: ofAssistant
      .filter((at) => messages[at] && endsTurn(messages[at]))
      .flatMap((at) => sentencesIn(said[at] ?? '').slice(0, 1))
      .map(brief),
    decisions: ofAssistant.flatMap((at) => decisionsIn(said[at] ?? '')).map(brief),
    failures: failuresIn(uses).map((failure) => ({ ...failure, isOld: failure.at < lastUser })),
    runs: runsIn(uses),
    openTodos: todos.filter(({ isDone }) => !isDone).map(({ text }) => brief(text)),
    doneTodos: todos.filter(({ isDone }) => isDone).map(({ text }) => brief(text)),
    nextSteps: nextStepsIn(said[ofAssistant.at(-1) ?? -1] ?? '').map(brief),
    notes: ofUser.flatMap((at) => noteIn(said[at] ?? '') ?? []),
    summaries: messages.flatMap((message) => summaryIn(message) ?? []),
  };
}

/** An instruction is kept whole up to here. */
const LONGEST = 1000;
const BRIEF = 300;

function brief(text: string): string {
  return cut(text, BRIEF);
}

function isSummary(message: LlmMessage | undefined): boolean {
  return message !== undefined && summaryIn(message) !== null;
}

/** What a user message says that no user wrote: a command that the user ran, or the summary of a branch. */
function noteIn(text: string): string | null {
  const [, command] = /^Ran `([^\n]*)`\n/.exec(text) ?? [];
  if (command !== undefined) {
    const [, code] = /\n\nCommand exited with code (\d+)/.exec(text) ?? [];
    return brief(`The user ran \`${command}\`${code === undefined ? '' : `: exit code ${code}`}`);
  }
  const [, branch] = /^The following is a summary of a branch .*?<summary>\n([\s\S]*)<\/summary>$/.exec(text) ?? [];
  return branch === undefined ? null : cut(`Another branch: ${oneLine(branch)}`, LONGEST);
}
