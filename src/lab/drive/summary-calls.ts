import type { SummaryTask } from '#change/compact/summarizers/define.js';
import { countValueTokens, sumMessageTokens } from '#context/size/tokens.js';

/** A call of a model that a summary takes. Tokens are estimated, where the session does not record the call. */
export interface SummaryCall {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Dollars that the session records; null: it does not. */
  readonly cost: number | null;
  /** The tokens are those that the provider counted. */
  readonly isRecorded: boolean;
}

/** The call that writes this summary of some tokens. */
export function estimateSummaryCall(inputTokens: number, summary: string): SummaryCall {
  return {
    inputTokens: Math.max(0, inputTokens),
    outputTokens: countValueTokens(summary),
    cost: null,
    isRecorded: false,
  };
}

export function estimateTaskCall({ messages, turnPrefix, previousSummary }: SummaryTask, summary: string): SummaryCall {
  const messageTokens = sumMessageTokens([...messages, ...turnPrefix]);
  return estimateSummaryCall(messageTokens + countValueTokens(previousSummary ?? ''), summary);
}
