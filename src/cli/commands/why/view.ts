import type { Statement, SummaryMention, WhyDocument } from '#analysis/loss/trace.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { type Block, type Doc, gap, hangingLine, line, span } from '#ui/doc/doc.js';
import { renderSuggestedCommand } from '#ui/parts/suggested-command.js';

/** The session and the words, as commands in the answer name them. */
export interface WhyView {
  /** The session, as a command line names it. */
  readonly name: string;
  /** The words that were asked for, as a command line has them. */
  readonly words: string;
  /** Whether a change of the session is written as a copy, since it is of another agent. */
  readonly isCopied: boolean;
}

/** The statements that are listed: those of the user first, then those that the model sees. */
const MOST_STATEMENTS = 4;
const MOST_OF_USER = 2;

export function renderWhy(why: WhyDocument, view: WhyView): Doc {
  const { statements, summaryNow } = why;
  if (statements.length === 0) return renderNothing(view);
  const listed = chooseStatements(statements);
  const rest = statements.length - listed.length;
  return [
    line(span(describeVerdict(statements, summaryNow), 'strong')),
    ...listed.flatMap((each) => [gap, ...renderStatement(each)]),
    ...(rest > 0 ? [gap, line(span(`… and ${pluralize(rest, 'more place')}: --json has all`, 'faint'))] : []),
    ...renderSummaries(listed),
    gap,
    ...renderAdvice(listed, view),
  ];
}

function renderNothing({ words }: WhyView): Doc {
  return [
    line(span('not said on this path', 'strong')),
    gap,
    renderSuggestedCommand(`ctx find ${words}`, 'searches all sessions, and other branches of this one'),
  ];
}

function chooseStatements(statements: readonly Statement[]): readonly Statement[] {
  const ofUser = statements.filter(({ name }) => name === 'user').slice(0, MOST_OF_USER);
  const seen = statements.filter(({ isVisible }) => isVisible);
  const chosen = new Set([...new Set([...ofUser, ...seen, ...statements])].slice(0, MOST_STATEMENTS));
  return statements.filter((each) => chosen.has(each));
}

/** One sentence: whether the model can know it. */
function describeVerdict(statements: readonly Statement[], summaryNow: SummaryMention | null): string {
  const seen = statements.filter(isSeenWhole);
  const said = pluralize(statements.length, 'place');
  if (seen.length > 0) return `the model sees it in ${seen.length} of ${said}`;
  if (!summaryNow) return `the model no longer sees it; it was in ${said}`;
  return `the model no longer sees it, and the newest summary ${describeMention(summaryNow)}`;
}

/** Whether the model sees a statement itself, and not only a summary of it. */
function isSeenWhole({ isVisible, name }: Statement): boolean {
  return isVisible && name !== 'compaction';
}

function renderStatement({ entryId, line: number, name, time, snippet, isVisible, hiddenBy }: Statement): Doc {
  return [
    hangingLine(
      HANGING,
      span('said      '),
      span(entryId ?? `line ${number}`, 'id'),
      span(` ${name}${formatWhen(time)}: `, 'faint'),
      span(snippet),
    ),
    hangingLine(HANGING, span('now       '), ...renderFate(isVisible, hiddenBy)),
  ];
}

/** The words that the summaries have, each summary once. */
function renderSummaries(listed: readonly Statement[]): Doc {
  const byEntry = new Map(listed.flatMap(({ summary }) => (summary ? [[summary.line, summary] as const] : [])));
  return [...byEntry.values()].flatMap((summary) => [
    gap,
    hangingLine(
      HANGING,
      span('summary   '),
      span(summary.entryId ?? `line ${summary.line}`, 'id'),
      span(` ${describeMention(summary)}`),
      span(formatPiece(summary), 'faint'),
    ),
  ]);
}

const HANGING = 10;

function renderFate(isVisible: boolean, hiddenBy: Statement['hiddenBy']) {
  if (isVisible) return [span('in the context')];
  if (!hiddenBy) return [span('not in the context, and no entry took it out: it may never have been sent')];
  const { entryId, line: number, type, time } = hiddenBy;
  const by = TAKERS[type ?? ''] ?? 'taken out by';
  return [span(`${by} `), span(entryId ?? `line ${number}`, 'id'), span(formatWhen(time), 'faint')];
}

const TAKERS: Readonly<Record<string, string>> = {
  compaction: 'taken out by the compaction',
  context_edit: 'taken out by the edit',
  context_transform: 'taken out by the transform',
};

function describeMention({ found, asked }: SummaryMention): string {
  if (found === 0) return asked === 1 ? 'does not have the word' : 'has none of the words';
  if (found === asked) return asked === 1 ? 'has the word' : 'has all of the words';
  return `has ${found} of ${asked} words`;
}

function formatPiece({ snippet }: SummaryMention): string {
  return snippet === null ? '' : `: ${snippet}`;
}

function formatWhen(time: string | null): string {
  return time === null ? '' : `, ${time.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')} UTC`;
}

/** The commands that show it, and bring it back. */
function renderAdvice(listed: readonly Statement[], { name, isCopied }: WhyView): Doc {
  const first = listed.find(({ isVisible }) => !isVisible) ?? listed[0];
  const hider = first?.hiddenBy;
  const isGone = !listed.some(isSeenWhole);
  return [
    ...(first?.entryId
      ? [renderSuggestedCommand(`ctx cat ${name} ${toShellWord(first.entryId)}`, 'prints it whole')]
      : []),
    ...(isGone && hider?.entryId ? renderUndo(name, hider.entryId, isCopied) : []),
    ...(isGone
      ? [line(span('what must outlive compactions belongs in CLAUDE.md or AGENTS.md, which each request has', 'faint'))]
      : []),
  ];
}

function renderUndo(name: string, entryId: string, isCopied: boolean): readonly Block[] {
  const command = `ctx revert ${name} ${toShellWord(entryId)}`;
  return isCopied
    ? [renderSuggestedCommand(`${command} --install`, 'gives it back in a copy that the agent resumes')]
    : [renderSuggestedCommand(`${command} --dry-run`, 'shows the context with it again')];
}
