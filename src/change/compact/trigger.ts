import { isObject } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import type { RequestModel } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import { type OutputReserve, readOutputReserve } from '#context/request/output-reserve.js';
import { readUsageNumbers } from '#context/size/recorded-usage.js';
import type { StoredMessage } from '#session/entry.js';
import { isAnswer } from '#session/heads/answer.js';
import type { Head } from '#session/heads/head.js';
import { buildProjection } from './build-projection.js';
import { estimateMessages } from './estimate.js';
import { isContextOverflow, isCutShort } from './overflow.js';
import type { Projection } from './projection.js';
import type { CompactionSettings } from './settings.js';

/** Whether Pi would compact before it sends the next prompt. */
export interface Trigger {
  /**
   * overflow: the last request was too long, or left too little room for its answer; threshold: less room is left than
   * is reserved.
   */
  readonly reason: 'overflow' | 'threshold' | null;
  /** Whether it is an overflow because the last answer was cut off, for lack of room. */
  readonly isCutOff: boolean;
  /** The request that was refused only for the tokens that it reserved for its answer; null for any other reason. */
  readonly outputReserve: OutputReserve | null;
  /** The context size; null if the last usage precedes the last compaction, so that Pi waits for the next answer. */
  readonly tokens: number | null;
  /** The maximum tokens; null if the context window is unknown. */
  readonly threshold: number | null;
  /**
   * The tokens of a truncated last answer, if the model's output limit is unknown: below that limit it would be an
   * overflow. Else null.
   */
  readonly cutAt: number | null;
}

export interface TriggerRequest {
  readonly path: readonly Head[];
  /** The context window in tokens; null if it is unknown. */
  readonly contextWindow: number | null;
  /** The output limit in tokens; null if it is unknown. */
  readonly maxOutput: number | null;
  readonly settings: CompactionSettings;
}

/** Checks the end of a path as Pi does before a prompt. */
export function findTrigger(
  session: OpenSession,
  { path, contextWindow, maxOutput, settings }: TriggerRequest,
): Trigger {
  const projection = buildProjection(session, path);
  const threshold = contextWindow === null ? null : contextWindow - settings.reserveTokens;
  const last = findLastAnswer(projection);
  // An older answer, or that of another model, tells nothing about the next request.
  const isCurrent = last !== null && isByModel(last, findSettings(session, path).model) && !last.isCompacted;
  const isCut = isCurrent && isCutShort(last.message, maxOutput);
  const isOverflow = isCurrent && isContextOverflow(last.message, last.isEdited ? null : contextWindow);
  if (isCut === true || isOverflow) {
    return {
      reason: 'overflow',
      isCutOff: isCut === true,
      outputReserve: last && readOutputReserve(last.message),
      tokens: projection.tokens,
      threshold,
      cutAt: null,
    };
  }

  const tokens = findTokens(projection, last);
  const isOver = tokens !== null && threshold !== null && tokens > threshold;
  const mayBeCut = last !== null && isCut === null && !isOver;
  return {
    reason: isOver ? 'threshold' : null,
    isCutOff: false,
    outputReserve: null,
    tokens,
    threshold,
    cutAt: mayBeCut ? countOutput(last) : null,
  };
}

interface Answer {
  readonly message: StoredMessage;
  /** A compaction that is younger has dealt with it. */
  readonly isCompacted: boolean;
  /** An edit since: what was billed no longer holds. */
  readonly isEdited: boolean;
}

function findLastAnswer({ entries, compacted }: Projection): Answer | null {
  const at = entries.findLastIndex(({ messages }) => messages[0] !== undefined && isAnswer(messages[0]));
  const message = entries[at]?.messages[0];
  if (!message) return null;
  const isEdited = entries.slice(at + 1).some(({ head }) => head.type === 'context_edit');
  return { message, isCompacted: isOlder(message, compacted), isEdited };
}

function isOlder({ timestamp }: StoredMessage, compacted: number | null): boolean {
  return compacted !== null && typeof timestamp === 'number' && timestamp <= compacted;
}

/** A refusal by another model has no meaning for this one. */
function isByModel({ message }: Answer, model: RequestModel): boolean {
  return message.provider === model?.provider && message.model === model?.modelId;
}

function countOutput({ message: { usage } }: Answer): number {
  return isObject(usage) ? readUsageNumbers(usage).output : 0;
}

function findTokens(projection: Projection, last: Answer | null): number | null {
  const { entries, tokens, compacted } = projection;
  if (!last) return tokens;
  if (last.isCompacted) return null;
  if (entries.some(({ head, isMade }) => head.type === 'context_edit' || isMade)) return tokens;
  const { usage, stopReason } = last.message;
  const billed = isObject(usage) ? readUsageNumbers(usage).total : 0;
  if (stopReason !== 'error' && billed > 0) return billed;
  const estimate = estimateMessages(entries);
  return estimate.usage && isOlder(estimate.usage, compacted) ? null : estimate.tokens;
}
