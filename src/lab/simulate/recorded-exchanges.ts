import { readRecordedAnswer, type RecordedAnswer } from '#analysis/cache/recorded-answer.js';
import { commandOf, findFileUse } from '#analysis/facts/tool-uses.js';
import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import { CONTEXT_CHANGE_TYPES } from '#context/replay/entry-kinds.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import { readTransformerName } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { Shrink } from './document.js';

/** A tool call of an answer, by what it asks for. */
export interface RecordedCall {
  readonly callId: string;
  readonly tool: string;
  /** The file or the command: calls with the same one are about the same content. null: it names neither. */
  readonly what: string | null;
}

/** Something that is recorded between two requests and has made the context smaller. */
type RecordedShrink = Readonly<Pick<Shrink, 'kind' | 'reason' | 'tokensBefore'>>;

/** The record of one request and its answer. It does not depend on the engine. */
export interface RecordedExchange extends RecordedAnswer {
  /** Counted from 1 along the path. */
  readonly number: number;
  /**
   * Tokens of the answer as they were billed, 0 where nothing is recorded, and dollars; null: they are not recorded.
   */
  readonly output: { readonly tokens: number; readonly cost: number | null };
  /** Dollars of the request and its answer, as recorded in one sum; null: they are not. */
  readonly billedCost: number | null;
  /** The time of the newest cache warming since the request before; NaN where there is none. */
  readonly warmed: number;
  readonly calls: readonly RecordedCall[];
  /** Since the request before. */
  readonly shrinks: readonly RecordedShrink[];
}

export function listRecordedExchanges(session: Session, path: readonly Head[]): readonly RecordedExchange[] {
  const all: RecordedExchange[] = [];
  let warmed = NaN;
  let shrinks: RecordedShrink[] = [];
  for (const head of path) {
    if (head.type === 'usage' && session.entry(head).kind === 'cache_warm') warmed = head.time;
    if (CONTEXT_CHANGE_TYPES.has(head.type)) shrinks.push(...listShrinks(session.entry(head)));
    if (!answersRequest(head)) continue;
    const entry = session.entry(head);
    const { usage, content } = asObject(entry.message);
    const billedCost = readUsageNumbers(asObject(usage)).cost;
    const asked = { output: readOutput(usage), billedCost, calls: listObjects(content).flatMap(listCalls) };
    all.push({ ...readRecordedAnswer(head, entry), ...asked, number: all.length + 1, warmed, shrinks });
    warmed = NaN;
    shrinks = [];
  }
  return all;
}

function listShrinks(entry: JsonObject): readonly RecordedShrink[] {
  switch (entry.type) {
    case 'compaction':
      return [{ kind: 'compaction', reason: 'recorded', tokensBefore: asCount(entry.tokensBefore) }];
    case 'context_edit':
      return [{ kind: 'prune', reason: 'recorded edit', tokensBefore: null }];
    case 'reset_boundary':
      return [{ kind: 'prune', reason: 'recorded /clear', tokensBefore: null }];
    default: {
      const name = readTransformerName(entry);
      if (name === 'compaction') return [{ kind: 'compaction', reason: 'recorded', tokensBefore: null }];
      return [{ kind: 'prune', reason: `recorded transform ${name}`, tokensBefore: null }];
    }
  }
}

function readOutput(usage: unknown): RecordedExchange['output'] {
  if (!isObject(usage)) return { tokens: 0, cost: null };
  const cost = isObject(usage.cost) ? asCount(usage.cost.output) : null;
  return { tokens: asCount(usage.output) ?? 0, cost };
}

function listCalls(block: JsonObject): readonly RecordedCall[] {
  const callId = asString(block.id);
  if (block.type !== 'toolCall' || callId === null) return [];
  const tool = asString(block.name) ?? 'unknown';
  const args = asObject(block.arguments);
  return [{ callId, tool, what: findFileUse({ name: tool, args })?.path ?? commandOf({ args }) }];
}
