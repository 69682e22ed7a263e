import type { JsonObject } from '#base/json.js';
import { type Block, commandLine, type Doc, line, type Span, span } from '#ui/doc/doc.js';
import { type EnvelopeComparison, renderDiffSummary } from '../diff/summary.js';
import { describeShrinking, renderCacheEffect, renderLosses } from './effects-view.js';
import type { PlanEffects } from './effects.js';
import { renderLeaving } from './leaving-messages.js';
import { renderEntries } from './planned-entries.js';

/** The view of the entries that are or would be appended. */
export interface PlanDisplay {
  readonly entries: readonly JsonObject[];
  /** The action and its file. */
  readonly title: readonly Span[];
  /** The words after the title that the user must see first; null for none. */
  readonly caution: string | null;
  readonly compared: EnvelopeComparison;
  /** null once it is written. */
  readonly effects: PlanEffects | null;
  /** The command's own view of the plan, which replaces the list of removed messages. */
  readonly about?: Doc | undefined;
  /** Sentences that the user should read. */
  readonly notes: readonly string[];
  readonly next: NextCommands;
}

/** Command lines that may follow a write; null for one that makes no sense. */
export interface NextCommands {
  /** Continues the session in Pi. */
  readonly resume: string | null;
  /** Undoes the plan. */
  readonly undo: string | null;
  /** Does it again, where the plan is what undid it. */
  readonly redo: string | null;
}

/** One screen: the entries to write, the resulting context, and the removed messages. */
export function renderPlan({ entries, title, caution, compared, effects, about, notes, next }: PlanDisplay): Doc {
  const { before, after } = compared;
  return [
    line(...title, ...renderCaution(caution)),
    line(describeShrinking(before, after)),
    ...renderEntries(entries, about ? FEWER_ENTRIES : MOST_ENTRIES),
    ...renderDiffSummary(compared),
    ...(effects ? renderCacheEffect(effects.cache) : []),
    ...(about ?? renderLeaving(before, after)),
    ...(effects?.loss ? renderLosses(effects.loss) : []),
    ...notes.map(renderNote),
    ...renderNext(next),
  ];
}

const MOST_ENTRIES = 12;
/** Fewer where the command's own view of the changes follows. */
const FEWER_ENTRIES = 6;

/** The end of the first line of a plan: what the user must know before all else. */
export function renderCaution(caution: string | null): readonly Span[] {
  return caution === null ? [] : [span(`; ${caution}`, 'warning')];
}

/** The document of a plan that the user has already seen and confirmed: only what is new. */
export function renderWrittenPlan(title: readonly Span[], notes: readonly string[], next: NextCommands): Doc {
  return [line(...title), ...notes.map(renderNote), ...renderNext(next)];
}

/** Never wrapped, so that they can be copied. */
function renderNext({ resume, undo, redo }: NextCommands): Doc {
  return Object.entries({ resume, undo, redo }).flatMap(([name, command]) =>
    command === null ? [] : [commandLine(`${name}: `, command)],
  );
}

/** A sentence that the user should read. */
export function renderNote(note: string): Block {
  return line(span('note', 'warning'), `: ${note}`);
}
