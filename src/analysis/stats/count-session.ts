import type { JsonObject } from '#base/json.js';
import type { Period } from '#base/time.js';
import type { PriceList } from '#context/models/prices.js';
import { buildPriceList as listedPrices } from '#context/models/registry.js';
import type { Baseline } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import type { TokenMethod } from '#context/size/tokens.js';
import { walkFile } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import type { Heads } from '#session/heads/heads.js';
import { sumRecordedCost } from '#session/recorded-cost.js';
import { readAnswerEnd } from '#session/scan/answer-end.js';
import { countDamage, type Session } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { addClientTotals, type ClientFigure } from './client-totals.js';
import type { UsageDocument } from './document.js';
import { EntryTally } from './entry-tally.js';
import { PathTally } from './path-tally.js';
import type { SessionCounts, SessionStats, SessionUsage, UsageCounts } from './session-stats.js';
import { sumBreakdown } from './token-breakdown.js';
import { countUnpricedCalls, formatDay, toUsageDocument, UsageTally } from './usage-sums.js';

export interface CountOptions {
  readonly method: TokenMethod;
  readonly baseline?: Baseline;
  /** Entries of sessions that were counted before. */
  readonly shared?: SharedEntries;
  readonly title: string;
  /** The usage of its subagents, which a client counts too. */
  readonly subagents?: readonly UsageCounts[];
  /** Whether the usage of subagents that results record is part of the sums. */
  readonly withSubagents?: boolean;
  /** The prices of calls without a recorded cost; without it they are unknown. */
  readonly priceList?: PriceList;
  /** The period whose recorded usage is counted; all by default. */
  readonly period?: Period | null;
  /** Called with each entry when it is counted, so that it is parsed only once. */
  readonly onEntry?: (head: Head, entry: JsonObject) => void;
}

/** Counts a session: every entry is parsed once, and only those of the context are kept. */
export function countSession(
  session: Session & { readonly readPatch: ReadPatch },
  options: CountOptions,
): SessionStats {
  const {
    method,
    baseline = {},
    shared = new SharedEntries(),
    title,
    priceList = () => null,
    period = null,
    onEntry,
  } = options;
  const path = activePath(session.tree);
  const along = new PathTally({ session, path, readPatch: session.readPatch, baseline, method });
  const own = new EntryTally(session, method, priceList, period, options.withSubagents);
  const elsewhere = new EntryTally(session, method, priceList, period);
  const covered = coveredBy(session, priceList, period);
  for (const { head, step, isRepeated } of walkFile(along.walked)) {
    const tally = shared.has(session, head.index) ? elsewhere : own;
    const entry = isRepeated ? null : (step?.entry ?? session.entry(head));
    if (entry) tally.take(head, entry);
    if (entry && tally === own) covered?.take(head, entry);
    if (entry) onEntry?.(head, entry);
    if (step) along.take(step);
  }
  const facts = factsOf(session);
  return {
    ...facts,
    title,
    tokenizer: method.name,
    context: along.context(),
    preambleKnown: along.isPreambleKnown(),
    diagnostics: along.diagnostics,
    ...countsOf(own),
    ...completed(own.usage.sums(), session, { covered, subagents: options.subagents, last: facts.last }),
    runs: own.runs.sums().usage,
    samples: along.samples
      .filter(({ index }) => !shared.has(session, index))
      .map(({ recorded, estimated }) => ({ recorded, estimated })),
    shared: {
      entries: elsewhere.entries,
      tokens: sumBreakdown(elsewhere.ledger),
      usage: elsewhere.usage.sums().usage,
    },
  };
}

/** Counts the recorded usage of a session: of its answers, only the end is parsed. */
export function countUsage(
  session: Session,
  shared: SharedEntries,
  priceList: PriceList,
  period: Period | null = null,
  subagents: readonly UsageCounts[] = [],
): SessionUsage {
  const { heads } = session.tree;
  const own = { entries: 0, user: 0, assistant: 0, usage: new UsageTally(priceList, period) };
  const elsewhere = { ...own, usage: new UsageTally(priceList, period) };
  const covered = coveredBy(session, priceList, period);
  for (let index = 0; index < heads.length; index += 1) {
    const tally = shared.has(session, index) ? elsewhere : own;
    tally.entries += 1;
    if (heads.typeAt(index) === 'message' && heads.roleAt(index) === 'user') tally.user += 1;
    else if (heads.isAnswerAt(index)) tally.assistant += 1;
    const head = heads.usageLengthAt(index) > 0 ? heads.at(index) : undefined;
    if (!head) continue;
    const entry = readAnswerEnd(session, head) ?? session.entry(head);
    tally.usage.take(head, entry);
    if (tally === own) covered?.take(head, entry);
  }
  const facts = factsOf(session);
  return {
    ...facts,
    entries: own.entries,
    messages: { user: own.user, assistant: own.assistant },
    ...completed(own.usage.sums(), session, { covered, subagents, last: facts.last }),
    shared: { entries: elsewhere.entries, usage: elsewhere.usage.sums().usage },
  };
}

/** Counts the calls before the record in which a client states its own sums; null for a session without one. */
class CoveredTally extends UsageTally {
  constructor(
    priceList: PriceList,
    private readonly line: number,
  ) {
    super(priceList);
  }

  override take(head: Head, entry: JsonObject): void {
    if (head.line < this.line) super.take(head, entry);
  }
}

/** The sums of a client say nothing of a period. */
function coveredBy({ agent }: Session, priceList: PriceList, period: Period | null): CoveredTally | null {
  return period === null && agent?.clientTotals ? new CoveredTally(priceList, agent.clientTotals.line) : null;
}

/** Completes the usage of a session with the sums of its client, if it records them. */
function completed(
  own: UsageCounts,
  { agent }: Session,
  { covered, subagents = [], last }: CompletedBy,
): UsageCounts & { readonly client: ClientFigure | null } {
  const totals = agent?.clientTotals ?? null;
  if (totals === null || covered === null) return { ...own, client: null };
  const found = { covered: covered.sums(), elsewhere: subagents, day: last === null ? '' : formatDay(last) };
  const { counts, client } = addClientTotals(own, totals, found);
  return { ...counts, client };
}

interface CompletedBy {
  readonly covered: UsageTally | null;
  readonly subagents: readonly UsageCounts[] | undefined;
  /** The time of the last entry. */
  readonly last: number | null;
}

/** The cost of a session in dollars, as `ctx stats` counts it. All calls of Pi record their cost, which is read without the rest of an answer. */
export function sumSessionCosts(session: Session, subagents: readonly UsageCounts[] = []): SessionCosts {
  const recorded = session.agent ? null : sumRecordedCost(session);
  if (recorded !== null) return { cost: recorded, costListed: null, unpricedCalls: 0 };
  const { usage, byModel } = countUsage(session, new SharedEntries(), listedPrices(), null, subagents);
  const { costListed } = toUsageDocument(usage);
  return {
    cost: usage.cost,
    costListed,
    unpricedCalls: countUnpricedCalls([...byModel.values()].map(toUsageDocument)),
  };
}

/** Dollars, and the number of calls whose cost is not among them. */
interface SessionCosts extends Pick<UsageDocument, 'cost' | 'costListed'> {
  readonly unpricedCalls: number;
}

function countsOf(tally: EntryTally): Omit<SessionCounts, 'samples' | 'shared'> {
  const { entries, messages, usage, ledger, kinds, largest, toolTally } = tally;
  return {
    entries,
    messages: { ...messages },
    ...usage.sums(),
    ledger,
    entryTypes: kinds,
    tools: toolTally.uses(),
    largest,
    repeats: toolTally.repeats(),
  };
}

type SessionFacts = Pick<SessionUsage, 'file' | 'id' | 'cwd' | 'first' | 'last' | 'problems' | 'isUsagePartial'>;

function factsOf(session: Session): SessionFacts {
  const { file, header, agent } = session;
  const problems = countDamage(session);
  const isUsagePartial = agent?.parts.usage === 'approximate';
  return { file, id: header.id, cwd: header.cwd, ...findTimeSpan(session), problems, isUsagePartial };
}

/**
 * The earliest and the latest time of an entry that was not copied, in milliseconds since 1970; of any if all were copied.
 * null if none has a time.
 */
export function findTimeSpan(session: Session): Pick<SessionUsage, 'first' | 'last'> {
  const own = spanOfEntries(session, (index) => (session.copiedFrom?.(index) ?? null) === null);
  return own.first === null ? spanOfEntries(session, () => true) : own;
}

function spanOfEntries(
  { tree: { heads } }: Session,
  isWanted: (index: number) => boolean,
): Pick<SessionUsage, 'first' | 'last'> {
  let first: number | null = null;
  let last: number | null = null;
  for (let index = 0; index < heads.length; index += 1) {
    const time = heads.timeAt(index);
    if (Number.isNaN(time) || !isWanted(index)) continue;
    first = Math.min(first ?? time, time);
    last = Math.max(last ?? time, time);
  }
  return { first, last };
}

/**
 * The entries of related sessions, so that each is counted once. A fork copies entries with their
 * ids and times; entries of version 1 have no ids of their own, so they are compared by type, role and time,
 * and one without a time counts as unique. An entry that another agent is known to have copied is never counted, also
 * if the session that it was copied from is not at hand.
 */
export class SharedEntries {
  private readonly withIds = new Set<string>();
  private readonly withoutIds = new Set<string>();

  /** Whether the entry at an index is another session's, or an earlier session had it. Call it before the session is added. */
  has(session: Session, index: number): boolean {
    return (session.copiedFrom?.(index) ?? null) !== null || this.hasEqual(session, index);
  }

  private hasEqual({ header, tree: { heads } }: Session, index: number): boolean {
    const hasTime = !Number.isNaN(heads.timeAt(index));
    if (hasTime && this.withoutIds.size > 0 && this.withoutIds.has(rest(heads, index))) return true;
    return header.version >= 2 && this.withIds.size > 0 && this.withIds.has(whole(heads, index));
  }

  note({ header, tree: { heads } }: Session): void {
    const hasIds = header.version >= 2;
    const seen = hasIds ? this.withIds : this.withoutIds;
    const keyOf = hasIds ? whole : rest;
    for (let index = 0; index < heads.length; index += 1) seen.add(keyOf(heads, index));
  }
}

function whole(heads: Heads, index: number): string {
  const id = heads.idDigitsAt(index) ?? JSON.stringify(heads.at(index)?.id);
  return `${id}|${rest(heads, index)}`;
}

function rest(heads: Heads, index: number): string {
  return `${heads.typeAt(index)}|${heads.roleAt(index)}|${heads.timeAt(index)}`;
}
