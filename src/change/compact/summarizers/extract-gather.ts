import {
  endsTurn,
  findInstructions,
  findMessageDecisions,
  findNextSteps,
  type Instruction,
  listUserSentences,
  messageText,
  normalizeText,
  splitSentences,
  toOneLine,
  truncateText,
} from '#analysis/facts/text.js';
import {
  commandOf,
  describeCall,
  findErrorLine,
  findFileUse,
  findTodos,
  isLastingCommand,
  listToolUses,
  LONGEST_COMMAND,
  type ToolUse,
} from '#analysis/facts/tool-uses.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import type { SummaryTask } from './define.js';

/** A sentence of a user's, with what became of it. */
interface UserInstruction extends Instruction {
  readonly isAnswered: boolean;
}

/** The parts of a conversation that a summary should say, each list in the order of the messages. */
export interface ConversationParts {
  /** The first sentence of the first user message; null where there is none. */
  readonly opening: string | null;
  readonly wishes: readonly UserInstruction[];
  /** The assistant's text at the end of each turn. */
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
  /** A summary among the messages, which counts like the previous one. */
  readonly summaries: readonly string[];
}

/** `isWritten`: whether the user wrote a message; extensions and hooks send theirs in the same role. */
export function gatherParts(
  messages: readonly LlmMessage[],
  isWritten: SummaryTask['isWritten'] = () => true,
): ConversationParts {
  const lastAnswer = messages.findLastIndex(endsTurn);
  const lastUser = messages.findLastIndex(({ role }) => role === 'user');
  const said = messages.map((message) => (message.role === 'toolResult' ? '' : messageText(message)));
  const ofUser = [...messages.keys()].filter((at) => messages[at]?.role === 'user');
  const written = ofUser.filter(
    (at) =>
      noteIn(said[at] ?? '') === null &&
      messages[at] &&
      findSummaryText(messages[at]) === null &&
      isWritten(messages[at]),
  );
  const ofAssistant = [...messages.keys()].filter((at) => messages[at]?.role === 'assistant');
  const todos = findTodos(messages);
  const uses = listToolUses(messages);
  return {
    opening: written.flatMap((at) => listUserSentences(said[at] ?? '').slice(0, 1)).map(brief)[0] ?? null,
    wishes: written.flatMap((at) => {
      const isAnswered = at < lastAnswer || at < lastUser;
      return findInstructions(said[at] ?? '').map(({ kind, text }) => ({
        kind,
        text: truncateText(text, LONGEST),
        isAnswered,
      }));
    }),
    reports: ofAssistant
      .filter((at) => messages[at] && endsTurn(messages[at]))
      .flatMap((at) => splitSentences(said[at] ?? '').slice(0, 1))
      .map(brief),
    decisions: ofAssistant.flatMap((at) => (messages[at] ? findMessageDecisions(messages[at]) : [])).map(brief),
    failures: failuresIn(uses).map((failure) => ({ ...failure, isOld: failure.at < lastUser })),
    runs: runsIn(uses),
    openTodos: todos.filter(({ isDone }) => !isDone).map(({ text }) => brief(text)),
    doneTodos: todos.filter(({ isDone }) => isDone).map(({ text }) => brief(text)),
    nextSteps: findNextSteps(said[ofAssistant.at(-1) ?? -1] ?? '').map(brief),
    notes: ofUser.flatMap((at) => noteIn(said[at] ?? '') ?? []),
    summaries: messages.flatMap((message) => findSummaryText(message) ?? []),
  };
}

/** An instruction is kept whole up to here. */
const LONGEST = 1000;
const BRIEF = 300;

function brief(text: string): string {
  return truncateText(text, BRIEF);
}

/** The text of a user message that no user wrote: a command that the user ran, or the summary of a branch. */
function noteIn(text: string): string | null {
  const [, command] = /^Ran `([^\n]*)`\n/.exec(text) ?? [];
  if (command !== undefined) {
    const [, code] = /\n\nCommand exited with code (\d+)/.exec(text) ?? [];
    return brief(`The user ran \`${command}\`${code === undefined ? '' : `: exit code ${code}`}`);
  }
  const [, branch] = /^The following is a summary of a branch .*?<summary>\n([\s\S]*)<\/summary>$/.exec(text) ?? [];
  return branch === undefined ? null : truncateText(`Another branch: ${toOneLine(branch)}`, LONGEST);
}

/** Something that went wrong, and what was done before the same thing went well. */
interface Failure {
  readonly text: string;
  readonly isResolved: boolean;
  /** The call's place among the messages. */
  readonly at: number;
}

/**
 * Finds failures: one line for each command, and for each tool and file, with its last error. It is fixed if
 * the same succeeded later; the files that were changed in between are named.
 */
function failuresIn(uses: readonly ToolUse[]): readonly Failure[] {
  const failures = new Map<string, Failure & { readonly since: number }>();
  const changes: Change[] = [];
  for (const [at, use] of uses.entries()) {
    const [key, error] = [describeCall(use), findErrorLine(use)];
    const known = failures.get(key);
    if (error !== null) {
      failures.delete(key);
      failures.set(key, {
        text: `${key} failed: ${truncateText(error, LONGEST_FAILURE)}`,
        isResolved: false,
        at: use.callAt,
        since: at,
      });
    } else if (known && !known.isResolved && use.resultAt !== -1) {
      const changed = changedSince(changes, known.since);
      const how = changed.length === 0 ? 'succeeded later' : `succeeded after changes of ${changed.join(', ')}`;
      failures.set(key, { ...known, text: `${known.text}; ${how}`, isResolved: true });
    }
    const path = changedBy(use);
    if (path !== null) changes.push({ at, path });
  }
  return [...failures.values()].map(({ text, isResolved, at }) => ({ text, isResolved, at }));
}

interface Change {
  readonly at: number;
  readonly path: string;
}

/** The files of the last changes, a few at most, in the order of the changes. */
function changedSince(changes: readonly Change[], since: number): readonly string[] {
  const paths = new Set<string>();
  for (let last = changes.length - 1; last >= 0 && paths.size < MOST_CHANGES; last -= 1) {
    const change = changes[last];
    if (!change || change.at <= since) break;
    paths.add(change.path);
  }
  return [...paths].toReversed();
}

const MOST_CHANGES = 6;
const LONGEST_FAILURE = 300;

function changedBy(use: ToolUse): string | null {
  const file = findFileUse(use);
  return file?.kind === 'modified' && !use.isError ? file.path : null;
}

/** The commands that went well the last time, of those that test, build or publish something. */
function runsIn(uses: readonly ToolUse[]): readonly string[] {
  const runs = new Map<string, boolean>();
  for (const use of uses) {
    const command = commandOf(use);
    if (command === null || !isLastingCommand(command)) continue;
    runs.delete(command);
    runs.set(command, !use.isError && use.resultAt !== -1);
  }
  return [...runs].flatMap(([command, isGood]) => (isGood ? `Ran \`${truncateText(command, LONGEST_COMMAND)}\`` : []));
}

/** The ranks of lines, in the order in which they are kept; of one rank the newest line is kept longest. docs/use/summarizers.md states this order. */
export const RANKS = {
  goal: 0,
  rule: 1,
  open: 2,
  failure: 3,
  request: 4,
  decision: 5,
  resolved: 6,
  report: 7,
  detail: 8,
} as const;

/** A line of a summary: text of one line, without its bullet. */
export interface ExtractedLine<Section extends string = string> {
  readonly section: Section;
  readonly text: string;
  readonly rank: number;
}

/** Lines that say the same as one before are left out, whatever their section. */
export function dropRepeats<Any extends ExtractedLine>(lines: readonly Any[]): readonly Any[] {
  const seen = new Set<string>();
  return lines.filter(({ text }) => {
    const key = normalizeText(text.replace(/^(?:\[[ x]\]|Asked:) /, ''));
    if (key === '' || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

/** The lines that fit into `room` UTF-16 code units, in their order. Better ranks win, then newer lines. */
export function fitLines<Any extends ExtractedLine>(lines: readonly Any[], room: number): readonly Any[] {
  const byWorth = lines.map((line, at) => ({ line, at })).toSorted((a, b) => a.line.rank - b.line.rank || b.at - a.at);
  const kept = new Set<number>();
  let left = room;
  for (const { line, at } of byWorth) {
    const cost = line.text.length + BULLET_LENGTH;
    if (cost > left) continue;
    left -= cost;
    kept.add(at);
  }
  return lines.filter((_, at) => kept.has(at));
}

/** Of `- ` or `12. ` and the newline. */
const BULLET_LENGTH = 6;

export interface Heading<Section extends string> {
  readonly section: Section;
  readonly title: string;
  /** The text before each line. */
  readonly bullet: '- ' | '1. ' | '';
}

/** Sections in their order, each with its lines; `(none)` in one that has none, unless room is scarce. */
export function formatSections<Section extends string>(
  headings: readonly Heading<Section>[],
  lines: readonly ExtractedLine<Section>[],
  isScarce = false,
): string {
  const blocks = headings.flatMap(({ section, title, bullet }) => {
    const own = lines.filter((line) => line.section === section);
    // A heading above others has no lines of its own.
    if (own.length === 0 && (isScarce || title === PROGRESS)) return isScarce ? [] : [title];
    const bulleted = own.map(({ text }, at) => `${bullet === '1. ' ? `${at + 1}. ` : bullet}${text}`);
    return [[title, ...(own.length === 0 ? ['- (none)'] : bulleted)].join('\n')];
  });
  // Pi's own format has no blank line below the heading of all progress.
  return blocks.join('\n\n').replace(`${PROGRESS}\n\n###`, `${PROGRESS}\n###`);
}

const PROGRESS = '## Progress';
