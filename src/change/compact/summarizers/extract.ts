import { cutCheckbox, readSummaryLines, type SummarySection } from '#analysis/facts/summary-lines.js';
import { normalizeText, toOneLine, truncateText } from '#analysis/facts/text.js';
import { CHARACTERS_PER_TOKEN } from '#context/size/tokens.js';
import { fitFiles, formatFileLists } from '../file-ops.js';
import { type ConversationParts, gatherParts } from './conversation-parts.js';
import { defineSummarizer, type SummaryTask } from './define.js';
import { dropRepeats, type ExtractedLine, fitLines, formatSections, type Heading, RANKS } from './summary-layout.js';

export default defineSummarizer({
  name: 'extract',
  summary: 'Quote users, tools and assistant by fixed rules: no model, no network, deterministic',
  origin: 'put together by rules, without a model',
  flags: {},
  summarize: (task) => Promise.resolve({ text: extractSummary(task) }),
});

/** The shares of the remaining room that the lists of files and the beginning of a split turn may take. */
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
    turnPrefix.length === 0 ? '' : SPLIT + buildPrefix(task, forText * MOST_FOR_PREFIX - SPLIT.length, isScarce);
  const history = buildHistory(task, forText - prefix.length, isScarce);
  const text = history + prefix;
  // Files that were only read take what nothing else needed.
  return truncateText(text + formatFileLists(fitFiles(files, room - text.length)), room);
}

const SPLIT = '\n\n---\n\n**Turn Context (split turn):**\n\n';

function buildHistory(
  { messages, turnPrefix, previousSummary, instructions, isWritten }: SummaryTask,
  room: number,
  isScarce: boolean,
): string {
  if (messages.length === 0 && turnPrefix.length > 0) {
    const before = previousSummary?.replaceAll(FILE_LISTS, '') ?? 'No prior history.';
    if (before.length <= room) return before;
  }
  const parts = gatherParts(messages, isWritten);
  const before = [previousSummary, ...parts.summaries].flatMap((summary) =>
    summary === null ? [] : listPreviousLines(summary),
  );
  const lines = dropRepeats([...updateLines(before, parts), ...listNewLines(parts, turnPrefix.length > 0, before)]);
  return layOut(HEADINGS, lines, { room, instructions, isScarce });
}

const FILE_LISTS = /\n*<(read-files|modified-files)>\n[\s\S]*?\n<\/\1>/g;

/**
 * Updates the content of the previous summary: a new message of the user ends the work in progress, a newer list of
 * tasks or next steps replaces an older one, and a failure that succeeded later is resolved.
 */
function updateLines(
  before: readonly ExtractedLine<Section>[],
  parts: ConversationParts,
): readonly ExtractedLine<Section>[] {
  const hasTodos = parts.openTodos.length + parts.doneTodos.length > 0;
  const isOver = parts.instructions.length > 0 || parts.reports.length > 0;
  const resolved = new Set(parts.runs.map(normalizeText));
  return before.flatMap((old): readonly ExtractedLine<Section>[] => {
    if (old.section === 'next' && (hasTodos || parts.nextSteps.length > 0)) return [];
    if (old.section === 'inProgress') {
      return isOver
        ? [{ section: 'done', text: addCheckbox(old.text, 'x'), rank: RANKS.request }]
        : [{ ...old, text: addCheckbox(old.text, ' ') }];
    }
    const command = /^`[^`]+`/.exec(old.text)?.[0];
    const isResolved =
      old.section === 'blocked' && command !== undefined && resolved.has(normalizeText(`Ran ${command}`));
    return [isResolved ? { section: 'critical', text: `${old.text}; succeeded later`, rank: RANKS.resolved } : old];
  });
}

function listNewLines(
  parts: ConversationParts,
  isTurnOpen: boolean,
  before: readonly ExtractedLine<Section>[],
): readonly ExtractedLine<Section>[] {
  const rules = parts.instructions.filter(({ isRule, isCorrection }) => isRule || isCorrection);
  const requests = parts.instructions.filter(({ isRule, isCorrection }) => !isRule && !isCorrection);
  const done = requests.filter(({ isAnswered }) => isAnswered || isTurnOpen);
  const open = requests.filter(({ isAnswered }) => !isAnswered && !isTurnOpen);
  const hasGoal = before.some(({ section }) => section === 'goal');
  return [
    ...(parts.opening === null || hasGoal ? [] : [parts.opening]).map(toLine('goal', RANKS.goal)),
    ...rules.map(({ text }) => text).map(toLine('constraints', RANKS.rule)),
    // An answer that follows a request does not prove that the request was met.
    ...done.map(({ text }) => `Asked: ${text}`).map(toLine('done', RANKS.request)),
    ...parts.doneTodos.map((text) => addCheckbox(text, 'x')).map(toLine('done', RANKS.report)),
    ...parts.reports.map((text) => addCheckbox(`Reported: ${text}`, 'x')).map(toLine('done', RANKS.report)),
    ...parts.runs.map((text) => addCheckbox(text, 'x')).map(toLine('done', RANKS.detail)),
    ...open.map(({ text }) => addCheckbox(text, ' ')).map(toLine('inProgress', RANKS.open)),
    ...parts.failures.filter(({ isOpen }) => isOpen).map(({ text }) => toLine('blocked', RANKS.failure)(text)),
    ...parts.decisions.map(toLine('decisions', RANKS.decision)),
    ...parts.openTodos.map(toLine('next', RANKS.open)),
    ...parts.nextSteps.map(toLine('next', RANKS.report)),
    ...parts.failures.filter(({ isOpen }) => !isOpen).map(({ text }) => toLine('critical', RANKS.resolved)(text)),
    ...parts.notes.map(toLine('critical', RANKS.detail)),
  ];
}

function buildPrefix({ turnPrefix, instructions, isWritten }: SummaryTask, room: number, isScarce: boolean): string {
  const parts = gatherParts(turnPrefix, isWritten);
  const lines = dropRepeats([
    ...(parts.opening === null ? [] : [parts.opening]).map(toLine('request', RANKS.goal)),
    ...parts.instructions.map(({ text }) => text).map(toLine('request', RANKS.rule)),
    ...parts.doneTodos.map((text) => addCheckbox(text, 'x')).map(toLine('soFar', RANKS.report)),
    ...parts.decisions.map(toLine('soFar', RANKS.decision)),
    ...parts.runs.map(toLine('soFar', RANKS.detail)),
    ...parts.openTodos.map((text) => addCheckbox(text, ' ')).map(toLine('needed', RANKS.open)),
    ...parts.failures.map(({ text, isOpen }) => toLine('needed', isOpen ? RANKS.failure : RANKS.resolved)(text)),
    ...parts.notes.map(toLine('needed', RANKS.detail)),
  ]);
  return layOut(PREFIX_HEADINGS, lines, { room, instructions, isScarce });
}

function toLine<In extends Section | PrefixSection>(section: In, rank: number): (text: string) => ExtractedLine<In> {
  return (text) => ({ section, text, rank });
}

interface Layout {
  readonly room: number;
  readonly instructions: string | null;
  readonly isScarce: boolean;
}

/** Sections with as many lines as there is room for. */
function layOut<In extends string>(
  headings: Parameters<typeof formatSections<In>>[0],
  lines: readonly ExtractedLine<In>[],
  { room, instructions, isScarce }: Layout,
): string {
  const frame = isScarce
    ? headings.reduce((sum, { title }) => sum + title.length + 3, 0)
    : formatSections(headings, []).length;
  const ranked = lines.map((each) => ({ ...each, text: toOneLine(each.text), rank: rankFocused(each, instructions) }));
  return formatSections(headings, fitLines(ranked, room - frame), isScarce);
}

/** Ranks a line that shares a word with the user's instructions for the summary as high as a rule. */
function rankFocused({ text, rank }: ExtractedLine, instructions: string | null): number {
  if (instructions === null) return rank;
  const words = normalizeText(instructions)
    .split(/[^\w./-]+/)
    .filter((word) => word.length >= SHORTEST_WORD);
  const line = normalizeText(cutCheckbox(text));
  return words.some((word) => line.includes(word)) ? Math.min(rank, RANKS.rule) : rank;
}

const SHORTEST_WORD = 4;

/** The lines of a summary that was made before. The lists of files are left out, since those of the task hold them. */
function listPreviousLines(summary: string): readonly ExtractedLine<Section>[] {
  return readSummaryLines(summary).map(({ section, text }) => ({
    section,
    text: section === 'done' && !text.startsWith('Asked: ') ? addCheckbox(text, 'x') : cutCheckbox(text),
    rank: rankPrevious(section, text),
  }));
}

function rankPrevious(section: Section, text: string): number {
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

function addCheckbox(text: string, mark: 'x' | ' '): string {
  return `[${mark}] ${cutCheckbox(text)}`;
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

/** The headings for the beginning of a split turn. */
const PREFIX_HEADINGS: readonly Heading<PrefixSection>[] = [
  { section: 'request', title: '## Original Request', bullet: '- ' },
  { section: 'soFar', title: '## Progress So Far', bullet: '- ' },
  { section: 'needed', title: '## Context Needed to Continue', bullet: '- ' },
];
