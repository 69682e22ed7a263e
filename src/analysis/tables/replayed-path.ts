import { asString, isObject, type JsonObject } from '#base/json.js';
import { memoizeLast } from '#base/memoize.js';
import { toLenient } from '#context/lenient.js';
import { buildPriceList } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { Replay } from '#context/replay/replay.js';
import { chooseInitialThinkingLevel } from '#context/replay/settings.js';
import { countContextTokens, measureContextSize } from '#context/size/context-size.js';
import { walkUp } from '#context/size/recorded-tail.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import { BY_CHARACTERS, countPartTokens, countToolTokens } from '#context/size/tokens.js';
import { type ContextWalk, replayPath, walk, type WalkStep } from '#context/walk.js';
import type { Head } from '#session/heads/head.js';
import { isCompaction } from '#session/tree/compaction.js';
import { answersRequest, startsTurn } from '#session/tree/turns.js';
import { CacheWalk } from '../cache/cache-walk.js';
import { addCosts } from '../cache/costs.js';
import type { CacheRequest } from '../cache/document.js';
import { DEFAULT_CACHE_OPTIONS } from '../cache/options.js';
import type { RowOf } from './define.js';
import { readAnswerValues, readEntryMessagePart, toWhole, toWholeOrNull } from './entry-values.js';
import type { envelopesTable } from './envelopes-table.js';
import type { LateRow, OwnRow } from './row-groups.js';

export interface PathToReplay {
  readonly session: OpenSession;
  readonly path: readonly Head[];
}

export interface RequestRow {
  readonly row: OwnRow<'envelopes'>;
  /** Set once all requests are known. */
  readonly costs: LateRow<'envelopes'>;
}

/** The context at the end of a path. */
export interface PathEnd {
  /** The lines of entries with a message in the context. */
  readonly linesShown: ReadonlySet<number>;
  contextTokens(): number;
  readonly isPreambleKnown: boolean;
}

/** Replays a path once, leniently like all counting, and collects the values of its requests. */
export class ReplayedPath {
  readonly walked: ContextWalk;
  private readonly cacheWalk: CacheWalk | null;
  private readonly preambleOf = memoizeLast(measurePreamble);
  private readonly broken: { readonly request: CacheRequest; readonly costs: RequestRow['costs'] }[] = [];
  private turn = 0;
  private edits = 0;
  private compactions = 0;
  private level: string;

  /** `withRequests`: also compare the requests, for their rows. */
  constructor(
    private readonly of: PathToReplay,
    withRequests: boolean,
  ) {
    const { session, path } = of;
    const source = { session, path, baseline: {} };
    this.cacheWalk = withRequests ? new CacheWalk(source, DEFAULT_CACHE_OPTIONS) : null;
    this.walked = this.cacheWalk?.walked ?? walk(toLenient(session), path, { baseline: {} });
    this.level = chooseInitialThinkingLevel(session);
  }

  /** Returns the row of the request that the entry answers; null for any other entry. */
  take(step: WalkStep): RequestRow | null {
    const { head } = step;
    // The context of a request is the one before its answer.
    const row = this.cacheWalk && answersRequest(head) ? this.toRow(step) : null;
    const request = this.cacheWalk?.take(step);
    if (step.entry.type === 'thinking_level_change') this.level = asString(step.entry.thinkingLevel) ?? 'off';
    if (head.type === 'context_edit') this.edits += 1;
    if (isCompaction(this.of.session, head)) this.compactions += 1;
    if (startsTurn(head)) this.turn += 1;
    return row && request ? this.toComparedRow(row, request) : null;
  }

  private toComparedRow(row: OwnOf, request: CacheRequest): RequestRow {
    const costs: RequestRow['costs'] = { rebilled_cost: null, rebilled_cost_listed: null };
    if (request.break) this.broken.push({ request, costs });
    // Spread syntax would take twenty times as long.
    return { row: Object.assign(row, { request: request.request }, readCacheValues(request)), costs };
  }

  /** The context once all steps are taken. */
  end(): PathEnd {
    const { replay } = this.walked;
    this.setCosts();
    return {
      linesShown: new Set(replay.messages.listProvenance().map(({ line }) => line)),
      contextTokens: () => countTokensAtEnd(this.of, () => replay),
      isPreambleKnown: replay.isPreambleKnown,
    };
  }

  private setCosts(): void {
    const requests = addCosts(
      this.broken.map(({ request }) => request),
      this.cacheWalk?.rated ?? [],
      buildPriceList(),
    );
    for (const [at, { costs }] of this.broken.entries()) {
      costs.rebilled_cost = requests[at]?.break?.rebilledCost ?? null;
      costs.rebilled_cost_listed = requests[at]?.break?.rebilledCostListed ?? null;
    }
  }

  private toRow({ head, entry, replay }: WalkStep) {
    const preamble = this.preambleOf(replay.declaredAsSent());
    const messages = replay.messages.countSent().tokens;
    return {
      turn: this.turn,
      ...readAnswerValues(head, entry),
      ...readBilled(readEntryMessagePart(entry)),
      thinking_level: this.level,
      ...preamble,
      messages_tokens_estimated: messages,
      total_tokens_estimated: preamble.system_tokens_estimated + preamble.tools_tokens_estimated + messages,
      compactions: this.compactions,
      transforms: replay.transforms.length,
      edits: this.edits,
    } satisfies Row;
  }
}

type OwnOf = Omit<OwnRow<'envelopes'>, 'request' | keyof ReturnType<typeof readCacheValues>>;

type PreambleSize = Pick<
  RowOf<typeof envelopesTable>,
  'system_parts' | 'tools' | 'system_tokens_estimated' | 'tools_tokens_estimated'
>;

function measurePreamble({ system, tools }: EnvelopeContent): PreambleSize {
  return {
    system_parts: system.parts.length,
    tools: tools.length,
    system_tokens_estimated: countPartTokens(system.parts),
    tools_tokens_estimated: countToolTokens(tools),
  };
}

function countTokensAtEnd({ session, path }: PathToReplay, replay: () => Replay): number {
  const whole = { session: toLenient(session), path, options: {} };
  const end = { upward: walkUp(path), method: BY_CHARACTERS };
  return countContextTokens(session, end, () => measureContextSize(whole, replay())).tokens;
}

/**
 * Replays only the declarations of a path: the size of the context is read from its last recorded request, if possible.
 */
export function replayPreamble({ session, path }: PathToReplay): PathEnd {
  const lenient = toLenient(session);
  const { isPreambleKnown } = replayPath(lenient, path, { messages: 'none' });
  return {
    linesShown: new Set(),
    contextTokens: () => countTokensAtEnd({ session, path }, () => replayPath(lenient, path)),
    isPreambleKnown,
  };
}

type Row = Partial<RowOf<typeof envelopesTable>>;

function readBilled({ usage }: JsonObject) {
  const numbers = isObject(usage) ? readUsageNumbers(usage) : null;
  return {
    input_recorded: numbers && toWhole(numbers.input),
    cache_read_recorded: numbers && toWhole(numbers.cacheRead),
    cache_write_recorded: numbers && toWhole(numbers.cacheWrite),
    output_recorded: numbers && toWhole(numbers.output),
    cost_recorded: numbers && numbers.cost,
  } satisfies Row;
}

function readCacheValues(request: CacheRequest) {
  const { break: broken } = request;
  return {
    prompt_tokens_recorded: toWholeOrNull(request.recorded?.promptTokens),
    cache_write_1h_recorded: toWholeOrNull(request.recorded?.cacheWrite1h),
    cache_retention_minutes: toWholeOrNull(request.retentionMinutes),
    cache_expired_recorded: toWholeOrNull(request.expiredTokens),
    unbilled: request.unbilled,
    prefix_tokens_estimated: toWholeOrNull(request.prefixTokensEstimated),
    cache_read_expected_estimated: toWholeOrNull(request.expectedCacheReadEstimated),
    idle_ms: toWholeOrNull(request.idleMilliseconds),
    cache_break: broken?.class ?? null,
    break_entry_id: broken?.entryId ?? null,
    break_undeclared: broken && broken.undeclared,
    rebilled_tokens_recorded: toWholeOrNull(broken?.rebilledTokens),
    rebilled_tokens_estimated: toWholeOrNull(broken?.rebilledTokensEstimated),
    pi_miss_tokens_recorded: toWholeOrNull(request.piMiss?.tokens),
  } satisfies Row;
}
