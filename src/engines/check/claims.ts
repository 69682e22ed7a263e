import { tokensOfValue } from '#context/replay/tokens.js';
import type { AgentMessage, TranscriptRewriteResult } from '../contract.js';
import type { Transcript } from '../drive/transcript.js';

// What engines claim, held against what happened. Each function says in a sentence what is not so; null: all is.

/** An estimate may be off by this factor, as engines count tokens in several ways, and by a little more. */
const FACTOR = 3;
const SLACK_TOKENS = 100;

/** `sizes`: estimated tokens of what the claim may be about. `messages`: those, which an engine may count as JSON. */
export function whyNotSize(
  name: string,
  claimed: number,
  { sizes, messages }: { readonly sizes: readonly number[]; readonly messages: readonly AgentMessage[] },
): string | null {
  if (isWithin(claimed, sizes) || isWithin(claimed, [...sizes, tokensOfValue(messages)])) return null;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `${name} is ${claimed}, the size is about ${range} tokens`;
}

function isWithin(claimed: number, sizes: readonly number[]): boolean {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return claimed >= least / FACTOR - SLACK_TOKENS && claimed <= most * FACTOR + SLACK_TOKENS;
}

export function whyNotSmaller(before: number, after: number): string | null {
  return after < before ? null : `compacted is true, but the messages are about ${after} tokens, and were ${before}`;
}

export function whyNotCount(name: string, claimed: number, most: number): string | null {
  if (!Number.isInteger(claimed)) return `${name} is ${claimed}`;
  return claimed <= most ? null : `${name} is ${claimed}, and there are ${most} messages`;
}

/** Bytes may be estimated. */
const SLACK_BYTES = 100;

/** `rewrites`: what `rewriteTranscriptEntries` did during the call. */
export function whyNotRewritten(
  { changed, bytesFreed, rewrittenEntries }: TranscriptRewriteResult,
  rewrites: readonly TranscriptRewriteResult[],
): string | null {
  const bytes = rewrites.reduce((sum, rewrite) => sum + rewrite.bytesFreed, 0);
  const entries = rewrites.reduce((sum, rewrite) => sum + rewrite.rewrittenEntries, 0);
  const isChanged = rewrites.some((rewrite) => rewrite.changed);
  if (changed !== isChanged) return `changed is ${changed}, and ${entries} entries were rewritten`;
  if (rewrittenEntries !== entries) return `rewrittenEntries is ${rewrittenEntries}, and ${entries} were rewritten`;
  const isNear = Math.abs(bytesFreed - bytes) <= Math.max(SLACK_BYTES, Math.abs(bytes) / 10);
  return isNear ? null : `bytesFreed is ${bytesFreed}, and ${bytes} bytes were freed`;
}

/** Messages of the transcript keep their order. Messages of the engine may be anywhere. */
export function whyOutOfOrder(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  let last = -1;
  for (const message of messages) {
    const place = transcript.placeOf(message);
    if (place === undefined) continue;
    if (place <= last) return outOfOrder(messages, transcript);
    last = place;
  }
  return null;
}

/** Messages that say the same in JSON cannot be told apart: each is taken for the next one that says it. */
function outOfOrder(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const places = new Map<string, number[]>();
  for (const [place, message] of transcript.messages().entries()) {
    const key = JSON.stringify(message);
    places.set(key, [...(places.get(key) ?? []), place]);
  }
  let last = -1;
  for (const [at, message] of messages.entries()) {
    if (transcript.placeOf(message) === undefined) continue;
    const next = places.get(JSON.stringify(message))?.find((place) => place > last);
    if (next === undefined) return `message ${at + 1} of the request is before an earlier one, or there twice`;
    last = next;
  }
  return null;
}
