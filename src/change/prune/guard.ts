import picomatch from 'picomatch';
import { findFileUse, type ToolUse } from '#analysis/facts/tool-uses.js';
import { runWithDeadline } from '#analysis/search/deadline.js';
import { listObjects } from '#base/json.js';
import { addTo } from '#base/maps.js';
import { once } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countMessageTokens } from '#context/size/tokens.js';
import type { Proposal, ProposedChange } from './define.js';
import type { History, HistoryItem } from './history.js';
import { findMentionedUses, indexMentions } from './mentions.js';
import type { Policy } from './policy.js';

/** Limits of a prune that hold for every strategy. */
export interface PruneRules {
  /** The reason why a message is protected; null if it is not. */
  protects(item: HistoryItem, uses: readonly ToolUse[]): string | null;
  /** The reason why a change of an item cannot be written; null if it can. */
  forbids(item: HistoryItem, change: ProposedChange, history: History): string | null;
  /** Old turns may go although the newest turn mentions their files: the packet names these. */
  readonly releasesFiles?: boolean;
}

/** Returns the reason for refusing a proposal, in a few words; null if it is allowed. */
export type Guard = (proposal: Proposal) => string | null;

export function buildGuard(history: History, rules: PruneRules): Guard {
  const { items, turns } = history;
  // Most messages that enter a context need no change, so nothing is read before the first proposal.
  const usesAt = once(() => usesByPlace(history));
  const held = once(() => (rules.releasesFiles ? new Map<number, string>() : heldPlaces(history)));
  const whyNot = ({ at, message }: ProposedChange): string | null => {
    const item = items[at];
    if (!item) return 'message not found';
    if (item.turn === turns - 1 && item.kind !== 'packet') return 'in the newest turn';
    if (item.kind === 'packet' && message !== null) return 'only a new packet replaces a packet';
    if (item.isFrozen && message !== null) return 'already pruned; its bytes stay the same';
    const by = rules.protects(item, usesAt().get(at) ?? []) ?? held().get(at);
    if (by !== undefined) return by;
    if (message !== null && countMessageTokens(message) >= item.tokens) return 'would not become smaller';
    return rules.forbids(item, { at, message }, history);
  };
  return ({ changes }) => {
    for (const change of changes) {
      const why = whyNot(change);
      if (why !== null) return why;
    }
    return partsPair(changes, usesAt()) ? 'would separate a call from its result' : null;
  };
}

function usesByPlace({ uses }: History): ReadonlyMap<number, readonly ToolUse[]> {
  const byPlace = new Map<number, ToolUse[]>();
  for (const use of uses) {
    for (const at of new Set([use.callAt, use.resultAt])) {
      addTo(byPlace, at, use);
    }
  }
  return byPlace;
}

/** The places that the newest turn refers to. */
function heldPlaces(history: History): ReadonlyMap<number, string> {
  const held = new Map<number, string>();
  for (const [{ callAt, resultAt }, path] of findMentionedUses(history, indexMentions(history)))
    for (const at of [callAt, resultAt]) held.set(at, `the newest turn mentions ${path}`);
  return held;
}

function partsPair(changes: readonly ProposedChange[], usesAt: ReadonlyMap<number, readonly ToolUse[]>): boolean {
  const after = new Map(changes.map(({ at, message }) => [at, message]));
  const callsAt = new Map(changes.map(({ at, message }) => [at, callIdsIn(message)]));
  const uses = new Set(changes.flatMap(({ at }) => usesAt.get(at) ?? []));
  return [...uses].some((use) => {
    if (use.callAt < 0 || use.resultAt < 0) return false;
    return (
      has(after, use.callAt, () => callsAt.get(use.callAt)?.has(use.id) === true) !==
      has(after, use.resultAt, (message) => message['toolCallId'] === use.id)
    );
  });
}

function has(
  after: ReadonlyMap<number, LlmMessage | null>,
  at: number,
  holds: (message: LlmMessage) => boolean,
): boolean {
  const message = after.get(at);
  return message === undefined || (message !== null && holds(message));
}

function callIdsIn(message: LlmMessage | null): ReadonlySet<unknown> {
  const blocks = message === null ? [] : listObjects(message['content']);
  return new Set(blocks.flatMap((block) => (block['type'] === 'toolCall' ? [block['id']] : [])));
}

/**
 * The protection of a policy, with reasons. `labels` are those of the session, by entry. A pattern without a slash matches a
 * file of that name in any folder, one with a slash for the end of a path unless it begins with one. A slash also stands
 * for the backslash of Windows.
 */
export function buildProtection(
  protect: Policy['protect'],
  labels: ReadonlyMap<unknown, string>,
): PruneRules['protects'] {
  const isTool = matcher(protect.tools);
  const isPath = matcher(protect.paths);
  const isLabel = matcher(protect.labels);
  const roles: ReadonlySet<string> = new Set(protect.roles);
  return ({ kind, from }, uses) => {
    if (roles.has(kind)) return `messages of kind ${kind} are protected`;
    const label = labels.get(from.entryId);
    if (label !== undefined && isLabel(label)) return `entries with the label ${label} are protected`;
    for (const use of uses) {
      if (isTool(use.name)) return `the tool ${use.name} is protected`;
      const path = findFileUse(use)?.path;
      if (path !== undefined && (isPath(path) || isPath(path.replaceAll('\\', '/'))))
        return `the file ${path} is protected`;
    }
    return null;
  };
}

/** The number of steps that a pattern may take without a time limit. */
const FEW_STEPS = 1e6;

/**
 * Whether one of some patterns matches a text. Throws a CtxError (usage) if that takes seconds, as `*a*a*a*b` does with
 * a long name.
 */
function matcher(patterns: readonly string[]): (text: string) => boolean {
  const matchers = patterns.map((pattern) => picomatch(...globOf(pattern.normalize())));
  const most = Math.max(0, ...patterns.map(repetitionsIn));
  return (text) => {
    // A letter with an accent has two encodings, and macOS uses the decomposed one in file names.
    const normal = text.normalize();
    const isMatch = (): boolean => matchers.some((matches) => matches(normal));
    const isFast = normal.length ** most < FEW_STEPS;
    return isFast ? isMatch() : runWithDeadline('a pattern of prune.protect', normal.length, isMatch);
  };
}

/** Each may begin at any place of a text, and a group at several. */
function repetitionsIn(pattern: string): number {
  return pattern.includes('(') ? Number.MAX_VALUE : (pattern.match(/\*+/g) ?? []).length;
}

/** Of a pattern with a slash, picomatch would compare only the name of the file if it was told to look at names. */
function globOf(pattern: string): [glob: string, options: picomatch.PicomatchOptions] {
  if (!pattern.includes('/')) return [pattern, { dot: true, basename: true }];
  const isFromRoot = /^(?:!|\/|\*\*\/|[a-z]:)/i.test(pattern);
  return [isFromRoot ? pattern : `**/${pattern.replace(/^\.\//, '')}`, { dot: true }];
}
