import { asText, isObject } from '#base/json.js';
import type { StoredMessage } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { LlmMessage } from '../replay/content.js';
import type { ReplayedParts } from './estimated-parts.js';
import {
  isOutputPartial,
  isUsageDerived,
  readFirstSampling,
  readRecordedTokens,
  readUsageNumbers,
} from './recorded-usage.js';
import { BY_CHARACTERS, countMessageTokens, type TokenMethod } from './tokens.js';

/** A request with a provider's token count. */
export interface RecordedRequest {
  readonly prompt: number;
  /** Prompt and answer: the context after the answer. Only the prompt if the output was not counted to its end. */
  readonly total: number;
  /** Estimated tokens of the answer that `total` excludes. */
  readonly uncounted: number;
  /** `provider/model`. */
  readonly model: string;
  /** Whether the counts follow from totals of the session, since the request has no count of its own. */
  readonly isDerived: boolean;
}

/** null where Pi would not trust the usage: see `readRecordedTokens`. */
export function readRecordedRequest(message: LlmMessage, method: TokenMethod = BY_CHARACTERS): RecordedRequest | null {
  const total = readRecordedTokens(message);
  const { usage, provider, model } = message;
  if (total === null || !isObject(usage)) return null;
  const { input, cacheRead, cacheWrite } = readUsageNumbers(readFirstSampling(usage));
  const prompt = input + cacheRead + cacheWrite || total;
  const [counted, uncounted] = isOutputPartial(usage) ? [prompt, countMessageTokens(message, method)] : [total, 0];
  const isDerived = isUsageDerived(usage);
  return { prompt, total: counted, uncounted, model: `${asText(provider)}/${asText(model)}`, isDerived };
}

/** A request with a provider's token count, and the estimate of its context. */
export interface EstimatedRequest extends ReplayedParts {
  readonly request: RecordedRequest;
}

/** The request of an answer with a recorded count; null for any other message. */
export function readEstimatedRequest(message: StoredMessage, estimate: () => ReplayedParts): EstimatedRequest | null {
  if (message.role !== 'assistant') return null;
  // Assistant messages are sent unchanged.
  const request = readRecordedRequest(message);
  return request && { ...estimate(), request };
}

/** Parses only answers with a usage. */
export function readRecordedRequestAt(session: Session, head: Head, method?: TokenMethod): RecordedRequest | null {
  if (!answersRequest(head) || head.usageLength === 0) return null;
  const { message } = session.entry(head);
  // The head confirms that it is an assistant message.
  return isObject(message) ? readRecordedRequest(message as LlmMessage, method) : null;
}
