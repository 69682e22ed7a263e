import { asString, isObject, type JsonObject } from '#base/json.js';
import { onceFor } from '#base/once.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ReadPatch } from '#context/replay/patch-step.js';
import type { Replay } from '#context/replay/replay.js';
import { firstLevel, settingsOf } from '#context/replay/settings.js';
import { BY_CHARACTERS, tokensOfParts, tokensOfTools, usageNumbers } from '#context/replay/tokens.js';
import { contextSize, type Estimate, estimateOf, tokensNow, upFrom } from '#context/size/size.js';
import { replayPath, walk } from '#context/walk.js';
import type { Session } from '#session/session.js';
import { type Head, keyOfHead, placeKey } from '#session/table/head.js';
import { answersRequest, startsTurn } from '#session/tree/tree.js';
import type { CacheRequest } from '../cache/document.js';
import { reportCache } from '../cache/report.js';
import type { RowOf } from './define.js';
import { answerIn, maybeWhole, messageIn, type OwnRow, wholeOf } from './row-groups.js';
import type { envelopes } from './index.js';

export interface PathToReplay {
  readonly session: Session & { readonly readPatch: ReadPatch };
  readonly path: readonly Head[];
  /** Also build a row for each request, which doubles the time. */
  readonly withRequests: boolean;
}

/** The row of a request, and its answer. */
interface RequestRow {
  readonly head: Head;
  readonly row: OwnRow<'envelopes'>;
}

/** The results of replaying a path. */
export interface Replayed {
  readonly requests: readonly RequestRow[];
  /** The lines of entries with a message in the context at the end. */
  readonly linesShown: ReadonlySet<number>;
  /** The size of the context at the end. */
  contextTokens(): number;
  readonly isPreambleKnown: boolean;
}

/** Replays a path, leniently like all counting. */
export function replayed({ session, path, withRequests }: PathToReplay): Replayed {
  const source = { session, path, readPatch: session.readPatch, baseline: {} };
  const { replay, steps } = walk(session, path, { ...source, lenient: true });
  const preambleOf = onceFor(preambleSize);
  const cached = new Map(withRequests ? reportCache(source).requests.map((each) => [placeKey(each), each]) : []);
  const requests: RequestRow[] = [];
  let [turn, edits, level] = [0, 0, firstLevel(session)];
  for (const step of steps) {
    const { head } = step;
    const request = answersRequest(head) ? cached.get(keyOfHead(head)) : undefined;
    if (request) {
      const preamble = preambleOf(replay.declaredAsSent());
      const messages = replay.messages.tokens();
      const { compactions, transforms } = replay;
      const row = {
        request: request.request,
        turn,
        ...answerIn(head, step.entry),
        ...billed(messageIn(step.entry)),
        ...cacheOf(request),
        thinking_level: level,
        ...preamble,
        messages_tokens_estimated: messages,
        total_tokens_estimated: preamble.system_tokens_estimated + preamble.tools_tokens_estimated + messages,
        compactions: compactions.length,
        transforms: transforms.length,
        edits,
      };
      requests.push({ head, row });
    }
    if (head.type === 'thinking_level_change') level = asString(step.entry['thinkingLevel']) ?? 'off';
    if (head.type === 'context_edit') edits += 1;
    if (startsTurn(head)) turn += 1;
  }
  return { requests, ...atTheEnd(replay, { session, path }) };
}

type PreambleSize = Pick<
  RowOf<typeof envelopes>,
  'system_parts' | 'tools' | 'system_tokens_estimated' | 'tools_tokens_estimated'
>;

function preambleSize({ system, tools }: EnvelopeContent): PreambleSize {
  return {
    system_parts: system.parts.length,
    tools: tools.length,
    system_tokens_estimated: tokensOfParts(system.parts),
    tools_tokens_estimated: tokensOfTools(tools),
  };
}

function atTheEnd(replay: Replay, sized: PathToSize): Omit<Replayed, 'requests'> {
  const now = estimateOf(replay, settingsOf(sized.session, sized.path).model);
  return {
    linesShown: new Set(replay.messages.provenance().map(({ line }) => line)),
    contextTokens: () => tokensAtEnd(sized, () => now),
    isPreambleKnown: now.isPreambleKnown,
  };
}

type PathToSize = Pick<PathToReplay, 'session' | 'path'>;

function tokensAtEnd({ session, path }: PathToSize, now: () => Estimate): number {
  const whole = { session, path, options: { lenient: true } };
  const end = { upward: upFrom(path), method: BY_CHARACTERS };
  return tokensNow(session, end, () => contextSize(whole, session.readPatch, now())).tokens;
}

/** Replays only the declarations of a path: the size of the context is read from its last recorded request, if possible. */
export function replayedPreamble({ session, path }: PathToSize): Replayed {
  const { readPatch } = session;
  const { system, tools } = replayPath(session, path, { readPatch, lenient: true, messages: 'none' }).sources();
  const replayedEnd = (): Estimate =>
    estimateOf(replayPath(session, path, { readPatch, lenient: true }), settingsOf(session, path).model);
  return {
    requests: [],
    linesShown: new Set(),
    contextTokens: () => tokensAtEnd({ session, path }, replayedEnd),
    isPreambleKnown: system !== 'unknown' && tools !== 'unknown',
  };
}

type Row = Partial<RowOf<typeof envelopes>>;

/** The usage that the provider reported for a request. */
function billed({ usage }: JsonObject) {
  const numbers = isObject(usage) ? usageNumbers(usage) : null;
  return {
    input_recorded: numbers && wholeOf(numbers.input),
    cache_read_recorded: numbers && wholeOf(numbers.cacheRead),
    cache_write_recorded: numbers && wholeOf(numbers.cacheWrite),
    output_recorded: numbers && wholeOf(numbers.output),
    cost_recorded: numbers && numbers.cost,
  } satisfies Row;
}

/** The cache use of a request. */
function cacheOf({ recorded, unbilled, break: broken, piMiss, ...request }: CacheRequest) {
  return {
    prompt_tokens_recorded: maybeWhole(recorded?.promptTokens),
    unbilled,
    prefix_tokens_estimated: maybeWhole(request.prefixTokensEstimated),
    cache_read_expected_estimated: maybeWhole(request.expectedCacheReadEstimated),
    idle_ms: maybeWhole(request.idleMilliseconds),
    cache_break: broken?.class ?? null,
    break_entry_id: broken?.entryId ?? null,
    break_undeclared: broken && broken.undeclared,
    rebilled_tokens_recorded: maybeWhole(broken?.rebilledTokens),
    rebilled_tokens_estimated: maybeWhole(broken?.rebilledTokensEstimated),
    rebilled_cost: broken?.rebilledCost ?? null,
    pi_miss_tokens_recorded: maybeWhole(piMiss?.tokens),
  } satisfies Row;
}
