import { findFileUse } from '#analysis/facts/tool-uses.js';
import { deepFreeze } from '#base/freeze.js';
import { sumBy } from '#base/lists.js';
import { toFileLists } from '#change/compact/file-ops.js';
import type { SummaryTask } from '#change/compact/summarizers/define.js';
import type { PruneRules } from '#change/prune/guard.js';
import { type History, type HistoryItem, rebuildHistory } from '#change/prune/history.js';
import { configureStrategy } from '#change/prune/policy.js';
import { type ConfiguredStrategy, prune } from '#change/prune/prune.js';
import compress from '#change/prune/strategies/compress.js';
import { decay } from '#change/prune/strategies/decay.js';
import images from '#change/prune/strategies/images.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toSummaryMessage } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { fitText, toTextLength } from '../../injectors/text-budget.js';

/** The most tokens of a tool result when it enters the context. */
const MAX_RESULT_TOKENS = 3000;

/** The most tokens of a summary. */
const MAX_SUMMARY_TOKENS = 500;

/** No rules: what stays depends on how far a history decays. */
const NO_RULES: PruneRules = { protects: () => null, forbids: () => null };

/** The model has just asked for a new result, so more of it stays than of an old one. */
const NEW_RESULT_OPTIONS = {
  overCharacters: toTextLength(MAX_RESULT_TOKENS),
  searchCharacters: 8000,
  searchResults: 20,
  fileCharacters: 8000,
  fileLines: 200,
  commandCharacters: 8000,
  commandLines: 200,
  commandTail: 160,
  otherCharacters: 8000,
};

/** The step that shortens new results, with options of `compress`; null: those of the engine. */
export function buildResultShortener(options: Readonly<Record<string, unknown>> | null): ConfiguredStrategy {
  return configureStrategy(compress, options ?? NEW_RESULT_OPTIONS);
}

/**
 * New messages as they enter the context: a tool result that is too long is shortened at once and stays so, whatever comes
 * behind it.
 */
export function shortenNewResults(items: readonly HistoryItem[], step: ConfiguredStrategy): readonly HistoryItem[] {
  const history = addTurn(rebuildHistory(items, { limit: null, tokens: 0 }));
  const stay = prune(history, [step], NO_RULES).history.items;
  return items.map((item, at) => ({
    ...item,
    message: stay[at]?.message ?? item.message,
    tokens: stay[at]?.tokens ?? item.tokens,
  }));
}

/** Adds an empty turn, so that the strategies may shorten the one before it. */
function addTurn(history: History): History {
  return { ...history, turns: history.turns + 1 };
}

/** The decay of a history: the newest turns whole, those before them folded, older ones summed up. */
interface Decay {
  readonly fullTurns: number;
  readonly foldTurns: number;
  /** The history decays as if one turn later, so that results of the newest turn become shorter too. */
  readonly isLast?: true;
}

/** The decays of a history that does not fit, the mildest first. */
export const DECAYS: readonly Decay[] = [
  { fullTurns: 3, foldTurns: 6 },
  { fullTurns: 2, foldTurns: 2 },
  { fullTurns: 1, foldTurns: 0 },
  { fullTurns: 2, foldTurns: 0, isLast: true },
];

/** A message of the conversation, as the model is shown it. */
export interface ShownMessage {
  readonly message: LlmMessage;
  /** Estimated. */
  readonly tokens: number;
  /** Unchanged, shortened, or a summary of several messages. */
  readonly by: 'entry' | 'shortened' | 'summary';
  /** null for a summary. */
  readonly entryId: string | null;
}

/** Frozen, so that a host need not compare it with what it was at the request before. */
export function toShownMessage({ message, original, tokens, from }: HistoryItem): ShownMessage {
  return {
    message: deepFreeze(message),
    tokens,
    by: message === original ? 'entry' : 'shortened',
    entryId: from.entryId,
  };
}

/** The summary that replaces omitted messages, and the time of the first of them. */
interface Summary {
  readonly text: string;
  readonly timestamp: unknown;
}

/** The part of a history that stays. */
export interface DecayedHistory {
  /** The summary of the messages that are left out, followed by those that stay. */
  readonly shown: readonly ShownMessage[];
  readonly tokens: number;
  /** The summary of the messages that are left out, now or earlier; null: none are. */
  readonly summary: Summary | null;
  /** Places of the messages that are left out. */
  readonly dropped: ReadonlySet<number>;
  /** The input of the summary; null where nothing was left out. */
  readonly task: SummaryTask | null;
}

interface DecayRun {
  readonly how: Decay;
  readonly limit: number;
  /** The tokens of the whole request before. */
  readonly tokens: number;
  /** The summary of the messages that were left out earlier. */
  readonly previous: Summary | null;
  summarize(task: SummaryTask): string;
}

/** Lets a history decay: pictures, old pairs, turns that are older still, long results. */
export function decayHistory(items: readonly HistoryItem[], options: DecayRun): DecayedHistory {
  const { how, limit, tokens } = options;
  const whole = rebuildHistory(items, { limit, tokens });
  const { fullTurns, foldTurns } = how;
  // A folded note describes the whole result, so folding comes before shortening.
  const steps = [
    configureStrategy(images, {}),
    configureStrategy(decay, { fullTurns, foldTurns }),
    configureStrategy(compress, {}),
  ];
  const { decisions, history } = prune(how.isLast ? addTurn(whole) : whole, steps, NO_RULES);
  const gone = new Set(decisions.flatMap(({ item, message }) => (message === null ? [item.place] : [])));
  const task = gone.size === 0 ? null : buildSummaryTask(gone, whole, options);
  const first = whole.items.find(({ place }) => gone.has(place));
  const timestamp = options.previous?.timestamp ?? first?.message.timestamp ?? 0;
  const summary = task ? { text: options.summarize(task), timestamp } : options.previous;
  const stays = { shown: history.items.map(toShownMessage), tokens: 0, summary: null, dropped: gone, task };
  return replaceSummary(stays, summary);
}

/** Replaces the summary in front of the messages that stay. */
function replaceSummary(stays: DecayedHistory, summary: Summary | null): DecayedHistory {
  const withoutSummary = stays.shown.filter(({ by }) => by !== 'summary');
  const shown = summary ? [buildSummaryMessage(summary), ...withoutSummary] : withoutSummary;
  return { ...stays, shown, summary, tokens: sumBy(shown, ({ tokens }) => tokens) };
}

/** Replaces the summary by one of a model or a program, cut to its budget. */
export async function rewriteSummary(
  stays: DecayedHistory,
  ask: (task: SummaryTask) => Promise<string>,
): Promise<DecayedHistory> {
  const { task, summary } = stays;
  if (!task || !summary) return stays;
  const written = await ask({ ...task, instructions: ONE_PARAGRAPH });
  return replaceSummary(stays, { ...summary, text: fitText(written.trim(), task.maxTokens).text });
}

const ONE_PARAGRAPH = `Write one paragraph of at most ${MAX_SUMMARY_TOKENS} tokens.`;

function buildSummaryMessage({ text, timestamp }: Summary): ShownMessage {
  const message = deepFreeze(toSummaryMessage(text, timestamp));
  return { message, tokens: countMessageTokens(message), by: 'summary', entryId: null };
}

function buildSummaryTask(gone: ReadonlySet<number>, { items, uses }: History, { previous }: DecayRun): SummaryTask {
  const dropped = items.filter(({ place }) => gone.has(place));
  const files = { read: new Set<string>(), modified: new Set<string>() };
  for (const use of uses) {
    const file = gone.has(items[use.callAt]?.place ?? -1) ? findFileUse(use) : null;
    if (file) files[file.kind].add(file.path);
  }
  return {
    messages: dropped.map(({ original }) => original),
    turnPrefix: [],
    previousSummary: previous?.text ?? null,
    instructions: null,
    files: toFileLists({ read: files.read, written: files.modified, edited: new Set() }),
    maxTokens: MAX_SUMMARY_TOKENS - INTRODUCTION_TOKENS,
  };
}

/** The tokens of the words around a summary. */
const INTRODUCTION_TOKENS = countMessageTokens(toSummaryMessage('', 0));
