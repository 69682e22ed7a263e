import { readSummaryLines, type SummarySection, withoutCheckbox } from '#analysis/facts/summary-lines.js';
import { normalizeText, toOneLine, truncateText } from '#analysis/facts/text.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';
import { fitFiles, formatFileLists } from '../file-ops.js';
import { defineSummarizer, type SummaryTask } from './define.js';
import {
  type ConversationParts,
  dropRepeats,
  type ExtractedLine,
  fitLines,
  formatSections,
  gatherParts,
  type Heading,
  RANKS,
} from './extract-gather.js';

export default defineSummarizer({
  name: 'extract',
  summary: 'Quote users, tools and assistant by fixed rules: no model, no network, deterministic',
  flags: {},
  summarize: (task) => Promise.resolve({ text: extractSummary(task) }),
});

/** Of the room that is left, what the lists of files may take, and what the beginning of a split turn may take. */
const MOST_FOR_FILES = 0.5;
const MOST_FOR_PREFIX = 0.4;
/** Headings without lines are left out below. */
const SCARCE = 1200;

/** The summary of a task: never longer than its bound, and the same for the same task. */
export function extractSummary(task: SummaryTask): string {
  const { turnPrefix, files, maxTokens } = task;
  const room = maxTokens * CHARACTERS_PER_TOKEN;
  const isScarce = room < SCARCE;
  const modifiedOnly = formatFileLists(fitFiles({ read: [], modified: files.modified }, room * MOST_FOR_FILES));
  const forText = room - modifiedOnly.length;
  const prefix =
    turnPrefix.length === 0 ? '' : SPLIT + prefixText(task, forText * MOST_FOR_PREFIX - SPLIT.length, isScarce);
  const history = historyText(task, forText - prefix.length, isScarce);
  const text = history + prefix;
  // Files that were only read take what nothing else needed.
  return truncateText(text + formatFileLists(fitFiles(files, room - text.length)), room);
}

const SPLIT = '\n\n---\n\n**Turn Context (split turn):**\n\n';

function historyText(
  { messages, turnPrefix, previousSummary, instructions, isWritten }: SummaryTask,
  room: number,
  isScarce: boolean,
): string {
  if (messages.length === 0 && turnPrefix.length > 0) {
    const before = previousSummary?.replaceAll(FILE_LISTS, '') ?? 'No prior history.';
    if (before.length <= room) return before;
  }
  const gathered = gatherParts(messages, isWritten);
  const before = [previousSummary, ...gathered.summaries].flatMap((summary) =>
    summary === null ? [] : linesOfPrevious(summary),
  );
  const lines = dropRepeats([...brought(before, gathered), ...newLines(gathered, turnPrefix.length > 0, before)]);
  return laidOut(HEADINGS, lines, { room, instructions, isScarce });
}

const FILE_LISTS = /\n*<(read-files|modified-files)>\n[\s\S]*?\n<\/\1>/g;

/**
 * Updates the content of the previous summary: a new message of the user ends the work in progress, a newer list of
 * tasks or next steps replaces an older one, and a failure that succeeded later is resolved.
 */
function brought(before: readonly ExtractedLine<Section>[], now: ConversationParts): readonly ExtractedLine<Section>[] {
  const hasTodos = now.openTodos.length + now.doneTodos.length > 0;
  const resolved = new Set(now.runs.map(normalizeText));
  return before.flatMap((old): readonly ExtractedLine<Section>[] => {
    if (old.section === 'next' && (hasTodos || now.nextSteps.length > 0)) return [];
    if (old.section === 'inProgress') {
      const isOver = now.wishes.length > 0 || now.reports.length > 0;
      return isOver
        ? [{ section: 'done', text: checked(old.text, 'x'), rank: RANKS.request }]
        : [{ ...old, text: checked(old.text, ' ') }];
    }
    const command = /^`[^`]+`/.exec(old.text)?.[0];
    const isResolved =
      old.section === 'blocked' && command !== undefined && resolved.has(normalizeText(`Ran ${command}`));
    return [isResolved ? { section: 'critical', text: `${old.text}; succeeded later`, rank: RANKS.resolved } : old];
  });
}

function newLines(
  now: ConversationParts,
  isTurnOpen: boolean,
  before: readonly ExtractedLine<Section>[],
): readonly ExtractedLine<Section>[] {
  const rules = now.wishes.filter(({ kind }) => kind !== 'request');
  const requests = now.wishes.filter(({ kind }) => kind === 'request');
  const done = requests.filter(({ isAnswered }) => isAnswered || isTurnOpen);
  const open = requests.filter(({ isAnswered }) => !isAnswered && !isTurnOpen);
  const blocking = now.failures.filter(({ isResolved, isOld }) => !isResolved && !isOld);
  const past = now.failures.filter(({ isResolved, isOld }) => isResolved || isOld);
  const goal = before.some(({ section }) => section === 'goal') ? [] : [now.opening ?? []].flat();
  return [
    ...goal.map(line('goal', RANKS.goal)),
    ...rules.map(({ text }) => text).map(line('constraints', RANKS.rule)),
    // That a request was followed by an answer does not say that it was met.
    ...done.map(({ text }) => `Asked: ${text}`).map(line('done', RANKS.request)),
    ...now.doneTodos.map((text) => checked(text, 'x')).map(line('done', RANKS.report)),
    ...now.reports.map((text) => checked(`Reported: ${text}`, 'x')).map(line('done', RANKS.report)),
    ...now.runs.map((text) => checked(text, 'x')).map(line('done', RANKS.detail)),
    ...open.map(({ text }) => checked(text, ' ')).map(line('inProgress', RANKS.open)),
    ...blocking.map(({ text }) => text).map(line('blocked', RANKS.failure)),
    ...now.decisions.map(line('decisions', RANKS.decision)),
    ...now.openTodos.map(line('next', RANKS.open)),
    ...now.nextSteps.map(line('next', RANKS.report)),
    ...past.map(({ text }) => text).map(line('critical', RANKS.resolved)),
    ...now.notes.map(line('critical', RANKS.detail)),
  ];
}

function prefixText({ turnPrefix, instructions, isWritten }: SummaryTask, room: number, isScarce: boolean): string {
  const now = gatherParts(turnPrefix, isWritten);
  const lines = dropRepeats([
    ...[now.opening ?? []].flat().map(line('request', RANKS.goal)),
    ...now.wishes.map(({ text }) => text).map(line('request', RANKS.rule)),
    ...now.doneTodos.map((text) => checked(text, 'x')).map(line('soFar', RANKS.report)),
    ...now.decisions.map(line('soFar', RANKS.decision)),
    ...now.runs.map(line('soFar', RANKS.detail)),
    ...now.openTodos.map((text) => checked(text, ' ')).map(line('needed', RANKS.open)),
    ...now.failures.map(({ text, isResolved }) => line('needed', isResolved ? RANKS.resolved : RANKS.failure)(text)),
    ...now.notes.map(line('needed', RANKS.detail)),
  ]);
  return laidOut(PREFIX_HEADINGS, lines, { room, instructions, isScarce });
}

function line<In extends Section | PrefixSection>(section: In, rank: number): (text: string) => ExtractedLine<In> {
  return (text) => ({ section, text, rank });
}

interface Layout {
  readonly room: number;
  readonly instructions: string | null;
  readonly isScarce: boolean;
}

/** Sections with as many lines as there is room for. */
function laidOut<In extends string>(
  headings: Parameters<typeof formatSections<In>>[0],
  lines: readonly ExtractedLine<In>[],
  { room, instructions, isScarce }: Layout,
): string {
  const frame = isScarce
    ? headings.reduce((sum, { title }) => sum + title.length + 3, 0)
    : formatSections(headings, []).length;
  const ranked = lines.map((each) => ({ ...each, text: toOneLine(each.text), rank: focused(each, instructions) }));
  return formatSections(headings, fitLines(ranked, room - frame), isScarce);
}

/** Ranks a line that shares a word with the user's instructions for the summary as high as a rule. */
function focused({ text, rank }: ExtractedLine, instructions: string | null): number {
  if (instructions === null) return rank;
  const words = normalizeText(instructions)
    .split(/[^\w./-]+/)
    .filter((word) => word.length >= SHORTEST_WORD);
  const said = normalizeText(withoutCheckbox(text));
  return words.some((word) => said.includes(word)) ? Math.min(rank, RANKS.rule) : rank;
}

const SHORTEST_WORD = 4;

/** The lines of a summary that was made before. The lists of files are left out, since those of the task hold them. */
function linesOfPrevious(summary: string): readonly ExtractedLine<Section>[] {
  return readSummaryLines(summary).map(({ section, text }) => ({
    section,
    text: section === 'done' && !text.startsWith('Asked: ') ? checked(text, 'x') : withoutCheckbox(text),
    rank: rankOf(section, text),
  }));
}

function rankOf(section: Section, text: string): number {
  switch (section) {
    case 'goal':
      return RANKS.goal;
    case 'constraints':
      return RANKS.rule;
    case 'inProgress':
    case 'next':
      return RANKS.open;
    case 'blocked':
      return RANKS.failure;
    case 'decisions':
      return RANKS.decision;
    case 'critical':
      return RANKS.resolved;
    case 'done':
      if (/^(?:\[x\] )?Ran `/.test(text)) return RANKS.detail;
      return /^(?:\[x\] )?Reported: /.test(text) ? RANKS.report : RANKS.request;
  }
}

function checked(text: string, mark: 'x' | ' '): string {
  return `[${mark}] ${withoutCheckbox(text)}`;
}

type Section = SummarySection;

const HEADINGS: readonly Heading<Section | 'progress'>[] = [
  { section: 'goal', title: '## Goal', bullet: '- ' },
  { section: 'constraints', title: '## Constraints & Preferences', bullet: '- ' },
  { section: 'progress', title: '## Progress', bullet: '' },
  { section: 'done', title: '### Done', bullet: '- ' },
  { section: 'inProgress', title: '### In Progress', bullet: '- ' },
  { section: 'blocked', title: '### Blocked', bullet: '- ' },
  { section: 'decisions', title: '## Key Decisions', bullet: '- ' },
  { section: 'next', title: '## Next Steps', bullet: '1. ' },
  { section: 'critical', title: '## Critical Context', bullet: '- ' },
];

type PrefixSection = 'request' | 'soFar' | 'needed';

/** Those of the beginning of a turn. */
const PREFIX_HEADINGS: readonly Heading<PrefixSection>[] = [
  { section: 'request', title: '## Original Request', bullet: '- ' },
  { section: 'soFar', title: '## Progress So Far', bullet: '- ' },
  { section: 'needed', title: '## Context Needed to Continue', bullet: '- ' },
];
