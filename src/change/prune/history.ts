import { listToolUses, type ToolUse } from '#analysis/facts/tool-uses.js';
import { sumBy } from '#base/lists.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText } from '#context/replay/convert.js';
import { hasPacket, PACKET_TYPE } from '#context/replay/ctx-entries.js';
import type { ContextEnvelope, Provenance } from '#context/replay/envelope.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { readTransformerName } from '#session/entry.js';
import { buildHeadKey, buildPlaceKey, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { startsTurn } from '#session/tree/turns.js';
import { RESTORE_NAME } from '../revert/settled-places.js';
import { isPacket } from './packet.js';

/** The kind of a message, whatever role it is sent under. */
export type ItemKind =
  | 'user'
  | 'bash'
  | 'custom'
  | 'branch-summary'
  | 'compaction-summary'
  | 'packet'
  | 'assistant'
  | 'toolResult';

/** Kinds of messages that replace others. */
export const SUBSTITUTE_KINDS: ReadonlySet<ItemKind> = new Set(['branch-summary', 'compaction-summary', 'packet']);

/** A message of the context. */
export interface HistoryItem {
  /** The place in this history, and the place in the context before anything was pruned. */
  readonly at: number;
  readonly place: number;
  readonly kind: ItemKind;
  readonly message: LlmMessage;
  /** The message before anything was pruned. */
  readonly original: LlmMessage;
  /** The entry, and the edit or transform that gave the message its content. */
  readonly from: Provenance;
  /** Counted from 0 for the oldest in the context; -1 above the first one. */
  readonly turn: number;
  /** The number of its turn in the session, as in `@{turn:3}`; 0 before the first one. */
  readonly turnNumber: number;
  readonly sessionId: string;
  /** Estimated. */
  readonly tokens: number;
  /** An edit or a transform has given it its content, and it keeps that, so that the cached prefix stays. */
  readonly isFrozen: boolean;
  /** Another agent has added it by itself, such as a reminder: it begins no turn. */
  readonly isAdded?: boolean;
}

/** The messages of a context, oldest first, with their turns, calls and sizes. */
export interface History {
  readonly items: readonly HistoryItem[];
  /** The number of turns. The last one is the newest, and stays unchanged. */
  readonly turns: number;
  /** Tool calls with their results; they name places in `items`. */
  readonly uses: readonly ToolUse[];
  /** The context window in tokens; null where it is unknown. */
  readonly limit: number | null;
  /** Estimated tokens of the whole context: prompt and tools included. */
  readonly tokens: number;
}

/** The age of a message in turns: 0 in the newest turn. */
export function ageOf({ turns }: History, { turn }: HistoryItem): number {
  return turns - 1 - turn;
}

/** The context at an entry as strategies look at it. Throws a CtxError for an entry that cannot be read again. */
export function buildHistory(session: Session, envelope: ContextEnvelope, at: Head | null): History {
  const path = at ? pathTo(session.tree, at) : [];
  const heads = new Map(path.map((head) => [buildHeadKey(head), head]));
  const turnNumbers = numberTurns(path);
  const isPrune = buildPruneTest(session);
  const { provenance, limit, tokens } = envelope.meta;
  const items = envelope.messages.cached.flatMap((message, place): readonly HistoryItem[] => {
    const from = provenance[place];
    if (!from) return [];
    const key = buildPlaceKey(from);
    const head = heads.get(key);
    const kind = findItemKind(session, message, { from, head, isPrune });
    const item: HistoryItem = {
      at: place,
      place,
      kind,
      message,
      original: message,
      from,
      // `rebuildHistory` counts the turns of the context.
      turn: 0,
      turnNumber: turnNumbers.get(key) ?? 0,
      sessionId: session.header.id,
      tokens: countMessageTokens(message),
      isFrozen: from.origin === 'edit' || (from.origin === 'transform' && kind !== 'compaction-summary'),
      isAdded: kind === 'custom' && head?.isAdded === true,
    };
    return [item];
  });
  return rebuildHistory(items, { limit, tokens: tokens.total });
}

/** The turn that each entry of a path belongs to, by its `buildPlaceKey`. */
function numberTurns(path: readonly Head[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  let turns = 0;
  for (const head of path) {
    if (startsTurn(head)) turns += 1;
    numbers.set(buildHeadKey(head), turns);
  }
  return numbers;
}

/** A history of fewer or other items. */
export function rebuildHistory(items: readonly HistoryItem[], about: Pick<History, 'limit' | 'tokens'>): History {
  let turn = -1;
  let wasInput = false;
  const numbered = items.map((item, at): HistoryItem => {
    if (TURNLESS_KINDS.has(item.kind)) return { ...item, at, turn: -1 };
    // Within a turn, such a message neither begins one nor comes between an input and the next.
    if (item.isAdded && turn >= 0) return { ...item, at, turn };
    const isInput = INPUT_KINDS.has(item.kind);
    // A message that an extension adds to a prompt belongs to the prompt's turn.
    if (isInput && !wasInput) turn += 1;
    wasInput = isInput;
    return { ...item, at, turn };
  });
  const uses = listToolUses(numbered.map(({ message }) => message));
  return { ...about, items: numbered, turns: turn + 1, uses };
}

/** Kinds of messages that begin a turn. */
export const INPUT_KINDS: ReadonlySet<ItemKind> = new Set(['user', 'bash', 'custom', 'branch-summary']);
/** Kinds of messages that replace others and belong to no turn. */
const TURNLESS_KINDS: ReadonlySet<ItemKind> = new Set(['compaction-summary', 'packet']);

interface Origin {
  readonly from: Provenance;
  readonly head: Head | undefined;
  /** Whether a transform is one that pruned. */
  readonly isPrune: (head: Head) => boolean;
}

/** The transforms that add packets: a restore brings back those of a prune. */
const PACKET_TRANSFORMERS: ReadonlySet<unknown> = new Set(['prune', RESTORE_NAME]);

/** Parses each transform once. */
function buildPruneTest(session: Session): Origin['isPrune'] {
  const results = new Map<number, boolean>();
  return (head) => {
    const isPrune = results.get(head.index) ?? PACKET_TRANSFORMERS.has(readTransformerName(session.entry(head)));
    results.set(head.index, isPrune);
    return isPrune;
  };
}

function findItemKind(session: Session, message: LlmMessage, { from, head, isPrune }: Origin): ItemKind {
  if (message.role !== 'user') return message.role;
  if (head?.type === 'compaction' && hasPacket(session.entry(head))) return 'packet';
  if (from.origin === 'compaction' || findSummaryText(message) !== null) return 'compaction-summary';
  if (!head) return 'user';
  // A message of any other transform is no packet: user messages of the newest turn stay.
  if (from.origin === 'transform') return isPacket(message) && isPrune(head) ? 'packet' : 'user';
  if (head.type === 'branch_summary') return 'branch-summary';
  if (head.type === 'custom_message') {
    const entry = session.entry(head);
    return entry.type === 'custom_message' && entry.customType === PACKET_TYPE ? 'packet' : 'custom';
  }
  return KIND_OF_ROLE[head.role ?? ''] ?? 'user';
}

/** The kind of a message by its role. */
export const KIND_OF_ROLE: Readonly<Record<string, ItemKind>> = {
  user: 'user',
  assistant: 'assistant',
  toolResult: 'toolResult',
  bashExecution: 'bash',
  custom: 'custom',
  branchSummary: 'branch-summary',
  compactionSummary: 'compaction-summary',
};

/** Estimated tokens of all of some messages. */
export function sumItemTokens(items: readonly HistoryItem[]): number {
  return sumBy(items, ({ tokens }) => tokens);
}
