import type { SummaryMention, TracedStatement, WhyDocument } from '#analysis/loss/trace.js';
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
  /** The place where `ctx revert` takes back the change that hides the words. */
  readonly undo: UndoPlace;
}

/** The place where `ctx revert` writes. An overfull copy does not fit in the context window. */
export type UndoPlace = 'session' | 'copy' | 'overfull copy' | 'none';

/** The statements that are listed: those of the user first, then those that the model sees. */
const MOST_STATEMENTS = 4;
const MOST_OF_USER = 2;

/** `listed`: the statements that are listed. */
export function renderWhy(
  { statements, summaryNow }: WhyDocument,
  listed: readonly TracedStatement[],
  view: WhyView,
): Doc {
  if (statements.length === 0) return renderNothing(view);
  const rest = statements.length - listed.length;
  return [
    line(span(describeVerdict(statements, summaryNow), 'strong')),
    ...listed.flatMap((each) => [gap, ...renderStatement(each)]),
    ...(rest > 0 ? [gap, line(span(`… and ${pluralize(rest, 'more place')}: --full lists all`, 'faint'))] : []),
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

/** The statements that matter most. */
export function chooseStatements(statements: readonly TracedStatement[]): readonly TracedStatement[] {
  const ofUser = statements.filter(({ name }) => name === 'user').slice(0, MOST_OF_USER);
  const seen = statements.filter(({ isVisible }) => isVisible);
  const chosen = new Set([...new Set([...ofUser, ...seen, ...statements])].slice(0, MOST_STATEMENTS));
  return statements.filter((each) => chosen.has(each));
}

/** One sentence: whether the model can know it. */
function describeVerdict(statements: readonly TracedStatement[], summaryNow: SummaryMention | null): string {
  const seen = statements.filter(isSeenWhole);
  const places = pluralize(statements.length, 'place');
  if (seen.length > 0) return `the model sees it in ${seen.length} of ${places}`;
  if (!summaryNow) return `the model no longer sees it; it was in ${places}`;
  return `the model no longer sees it, and the newest summary ${describeMention(summaryNow)}`;
}

/** Whether the model sees a statement itself, and not only a summary of it. */
function isSeenWhole({ isVisible, name }: TracedStatement): boolean {
  return isVisible && name !== 'compaction';
}

function renderStatement({ entryId, line: number, name, time, snippet, isVisible, ...of }: TracedStatement): Doc {
  return [
    hangingLine(
      HANGING,
      span('said      '),
      span(entryId ?? `line ${number}`, 'id'),
      span(` ${name}${formatWhen(time)}: `, 'faint'),
      span(snippet),
    ),
    hangingLine(HANGING, span('now       '), ...renderFate(isVisible, of)),
  ];
}

/** The words that the summaries have, each summary once. */
function renderSummaries(listed: readonly TracedStatement[]): Doc {
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

function renderFate(isVisible: boolean, { hiddenBy, summary }: Pick<TracedStatement, 'hiddenBy' | 'summary'>) {
  if (isVisible) return [span('in the context')];
  if (!hiddenBy) return [span('not in the context, and no entry took it out: it may never have been sent')];
  const { entryId, line: number, type, time } = hiddenBy;
  // What has a summary is a compaction, also where it is a transform in Pi's words.
  const by = TAKERS[summary ? 'compaction' : (type ?? '')] ?? 'taken out by';
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

/** The entry to undo, so that the model sees the words again; null if it sees them, or no entry hides them. */
export function findUndoable(listed: readonly TracedStatement[]): string | null {
  return listed.some(isSeenWhole) ? null : (chooseAdvised(listed)?.hiddenBy?.entryId ?? null);
}

function chooseAdvised(listed: readonly TracedStatement[]): TracedStatement | undefined {
  return listed.find(({ isVisible }) => !isVisible) ?? listed[0];
}

/** The commands that show it, and bring it back. */
function renderAdvice(listed: readonly TracedStatement[], { name, undo }: WhyView): Doc {
  const first = chooseAdvised(listed);
  const undone = findUndoable(listed);
  const isOverfull = undo === 'overfull copy';
  return [
    ...(first?.entryId
      ? [
          renderSuggestedCommand(
            `ctx cat ${name} ${toShellWord(first.entryId)}`,
            isOverfull ? 'prints it whole, to paste into the next prompt' : 'prints it whole',
          ),
        ]
      : []),
    ...(undone === null ? [] : renderUndo(name, undone, undo)),
    ...(listed.some(isSeenWhole)
      ? []
      : [
          line(
            span('what must outlive compactions belongs in CLAUDE.md or AGENTS.md, which each request has', 'faint'),
          ),
        ]),
  ];
}

function renderUndo(name: string, entryId: string, undo: UndoPlace): readonly Block[] {
  const command = `ctx revert ${name} ${toShellWord(entryId)}`;
  switch (undo) {
    case 'session':
      return [renderSuggestedCommand(`${command} --dry-run`, 'shows the context with it again')];
    case 'copy':
      return [renderSuggestedCommand(`${command} --install`, 'gives it back in a copy that the agent resumes')];
    case 'overfull copy':
      return [line(span('without that compaction, the context does not fit in the window', 'faint'))];
    case 'none':
      return [];
  }
}
