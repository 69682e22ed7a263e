import { sumBy } from '#base/lists.js';
import { countValueTokens } from '#context/size/tokens.js';
import type { AgentMessage } from '../../contract.js';
import type { TranscriptRewriteResult } from '../../runtime-context.js';

// Compares an engine's claims with its behaviour. Each function returns a sentence about a false claim, or null.

/** An estimate may be off by this factor, as engines count tokens in several ways, and by a little more. */
const FACTOR = 3;

const SLACK_TOKENS = 100;

/** A request is never much smaller than its characters: an engine that claims so looks better than it is. */
const FACTOR_BELOW = 1.5;

/** The sizes that a claimed number of tokens may be about. */
export interface ActualSizes {
  /** Estimated tokens. */
  readonly sizes: readonly number[];
  /** The messages of that size, which an engine may count as JSON. */
  readonly messages: readonly AgentMessage[];
}

/** A false claim about the size of a request. */
export function findEstimateFault(claimed: number, actual: ActualSizes): string | null {
  const least = Math.min(...actual.sizes);
  if (claimed >= least / FACTOR_BELOW - SLACK_TOKENS) return findSizeFault('estimatedTokens', claimed, actual);
  return `estimatedTokens is ${claimed}, but the size is about ${least} tokens`;
}

/** A claimed number of tokens that none of the actual sizes comes near. */
export function findSizeFault(name: string, claimed: number, { sizes, messages }: ActualSizes): string | null {
  if (isWithin(claimed, sizes) || isWithin(claimed, [...sizes, countValueTokens(messages)])) return null;
  const least = Math.min(...sizes);
  const most = Math.max(...sizes);
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `${name} is ${claimed}, but the size is about ${range} tokens`;
}

function isWithin(claimed: number, sizes: readonly number[]): boolean {
  const least = Math.min(...sizes);
  const most = Math.max(...sizes);
  return claimed >= least / FACTOR - SLACK_TOKENS && claimed <= most * FACTOR + SLACK_TOKENS;
}

/** A claimed number of messages that is no whole number, or more than there are. */
export function findCountFault(name: string, claimed: number, most: number): string | null {
  if (!Number.isInteger(claimed)) return `${name} is ${claimed}`;
  return claimed <= most ? null : `${name} is ${claimed}, but there are ${most} messages`;
}

/** Bytes may be estimated. */
const SLACK_BYTES = 100;

/** A claim about rewritten entries that differs from `rewrites`: what `rewriteTranscriptEntries` did during the call. */
export function findRewriteFault(
  { changed, bytesFreed, rewrittenEntries }: TranscriptRewriteResult,
  rewrites: readonly TranscriptRewriteResult[],
): string | null {
  const bytes = sumBy(rewrites, (rewrite) => rewrite.bytesFreed);
  const entries = sumBy(rewrites, (rewrite) => rewrite.rewrittenEntries);
  const isChanged = rewrites.some((rewrite) => rewrite.changed);
  if (changed !== isChanged) return `changed is ${changed}, but ${entries} entries were rewritten`;
  if (rewrittenEntries !== entries)
    return `rewrittenEntries is ${rewrittenEntries}, but ${entries} entries were rewritten`;
  const isNear = Math.abs(bytesFreed - bytes) <= Math.max(SLACK_BYTES, Math.abs(bytes) / 10);
  return isNear ? null : `bytesFreed is ${bytesFreed}, but ${bytes} bytes were freed`;
}
