import { messageText } from '#analysis/facts/text.js';
import { asString } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { addTo, incrementCount } from '#base/maps.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { countValueTokens } from '#context/size/tokens.js';
import { quoteId } from '#session/heads/head.js';
import type { AgentMessage, Compacted, SessionParams, TranscriptRewriteResult } from '../contract.js';
import type { CheckedEngine } from './checked-engine.js';
import type { DrivenSession } from './driven-session.js';
import type { Breach } from './failure.js';
import type { Transcript } from './transcript.js';

// Compares an engine's claims with its behaviour. Each function returns a sentence about a false claim, or null.

/** An estimate may be off by this factor, as engines count tokens in several ways, and by a little more. */
const FACTOR = 3;
const SLACK_TOKENS = 100;

/** A request is never much smaller than its characters: an engine that claims so looks better than it is. */
const FACTOR_BELOW = 1.5;

/** The size of a request that an engine claims: `sizes` as for `findSizeFault`. */
export function findEstimateFault(claimed: number, claim: Parameters<typeof findSizeFault>[2]): string | null {
  const least = Math.min(...claim.sizes);
  if (claimed >= least / FACTOR_BELOW - SLACK_TOKENS) return findSizeFault('estimatedTokens', claimed, claim);
  return `estimatedTokens is ${claimed}, but the size is about ${least} tokens`;
}

/** `sizes`: estimated tokens of what the claim may be about. `messages`: those, which an engine may count as JSON. */
export function findSizeFault(
  name: string,
  claimed: number,
  { sizes, messages }: { readonly sizes: readonly number[]; readonly messages: readonly AgentMessage[] },
): string | null {
  if (isWithin(claimed, sizes) || isWithin(claimed, [...sizes, countValueTokens(messages)])) return null;
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const range = least === most ? `${least}` : `${least} to ${most}`;
  return `${name} is ${claimed}, but the size is about ${range} tokens`;
}

function isWithin(claimed: number, sizes: readonly number[]): boolean {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return claimed >= least / FACTOR - SLACK_TOKENS && claimed <= most * FACTOR + SLACK_TOKENS;
}

function whyNotSmaller(before: number, after: number): string | null {
  return after < before ? null : `compacted is true, but the messages went from about ${before} to ${after} tokens`;
}

export function findCountFault(name: string, claimed: number, most: number): string | null {
  if (!Number.isInteger(claimed)) return `${name} is ${claimed}`;
  return claimed <= most ? null : `${name} is ${claimed}, but there are ${most} messages`;
}

/** Bytes may be estimated. */
const SLACK_BYTES = 100;

/** `rewrites`: what `rewriteTranscriptEntries` did during the call. */
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

/**
 * Messages of the transcript keep their order; messages of the engine may be anywhere. Messages of equal JSON cannot be
 * distinguished: each counts as the next one of that JSON.
 */
export function findOutOfOrder(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const places = new Map<string, number[]>();
  for (const [place, message] of transcript.messages().entries()) {
    addTo(places, JSON.stringify(message), place);
  }
  let last = -1;
  for (const [at, message] of messages.entries()) {
    if (!transcript.places.has(message)) continue;
    const next = places.get(JSON.stringify(message))?.find((place) => place > last);
    if (next === undefined) return `message ${at + 1} of the request is out of order or a duplicate`;
    last = next;
  }
  return null;
}

/** The words of a message with its role and call: a copy with another time or more fields has the same ones. */
const sayingOf = memoizeByObject((message: AgentMessage) =>
  JSON.stringify([message.role, message['content'], message['toolCallId'] ?? null]),
);

/** Copies of messages of the transcript that an engine passes as its own: each counts as the message that it repeats. */
export function findDuplicate(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const made = new Set(messages.filter((message) => !transcript.places.has(message)).map(sayingOf));
  if (made.size === 0) return null;
  const left = new Map<string, number>();
  for (const message of transcript.messages()) if (made.has(sayingOf(message))) incrementCount(left, sayingOf(message));
  for (const [at, message] of messages.entries()) {
    const saying = sayingOf(message);
    if (left.has(saying) && incrementCount(left, saying, -1) < 0)
      return `message ${at + 1} of the request is a duplicate`;
  }
  return null;
}

/** The characters by which a shortened result is recognised. */
const RESULT_HEAD = 60;
/** Shorter results may be equal by chance. */
const LEAST_RESULT = 16;

/** Results of the transcript under the calls of other ones. */
export function findSwappedResult(messages: readonly AgentMessage[], transcript: Transcript): string | null {
  const made = messages.filter((message) => message.role === 'toolResult' && !transcript.places.has(message));
  if (made.length === 0) return null;
  const texts = new Map<unknown, string>();
  const heads = new Map<string, unknown>();
  for (const message of transcript.messages()) {
    if (message.role !== 'toolResult') continue;
    const text = messageText(message as LlmMessage);
    texts.set(message['toolCallId'], text);
    heads.set(text.slice(0, RESULT_HEAD), message['toolCallId']);
  }
  for (const message of made) {
    const own = texts.get(message['toolCallId']);
    const text = messageText(message as LlmMessage);
    const head = text.slice(0, RESULT_HEAD);
    const other = heads.get(head);
    if (own === undefined || other === undefined || head.length < LEAST_RESULT || own.includes(head)) continue;
    const [to, from] = [message['toolCallId'], other].map((id) => quoteId(asString(id)));
    return `the result of call ${to} shows that of call ${from}`;
  }
  return null;
}

type Params = SessionParams & { readonly isHeartbeat?: boolean };

/** Hands messages to an engine, and records the number that it claims to have ingested. */
export class Ingestion {
  private last: {
    readonly messages: readonly AgentMessage[];
    readonly params: Params;
    readonly count: number;
  } | null = null;

  constructor(
    private readonly driven: DrivenSession,
    private readonly engine: CheckedEngine,
  ) {}

  async turn(messages: readonly AgentMessage[], params: Params): Promise<void> {
    const given = [...messages];
    this.last = { messages: given, params, count: await this.ingest(given, params) };
  }

  /** Hands over the newest message once more: an engine that took it in has to notice. */
  async repeatLast(): Promise<void> {
    const message = this.last?.messages.at(-1);
    if (!this.last || !message || this.last.count < this.last.messages.length) return;
    const again = await this.ingest([message], this.last.params, 'again');
    const method = this.engine.has('ingestBatch') ? 'ingestBatch' : 'ingest';
    const why = again === 0 ? null : 'the newest message was passed again, and ingested a second time';
    this.driven.broke(method, 'ingest-once', why);
  }

  /** The number of messages that the engine claims to have ingested. */
  private async ingest(messages: readonly AgentMessage[], params: Params, about = ''): Promise<number> {
    const { engine, driven } = this;
    if (engine.has('ingestBatch')) {
      const result = await engine.call('ingestBatch', { ...params, messages }, about || String(messages.length));
      const count = result?.ingestedCount ?? 0;
      driven.broke('ingestBatch', 'ingested-count', findCountFault('ingestedCount', count, messages.length));
      return count;
    }
    let count = 0;
    for (const message of messages)
      if ((await engine.call('ingest', { ...params, message }, about))?.ingested) count += 1;
    return count;
  }
}

/** Compactions that left the transcript as it is: the next request shows what came of them. All tokens are estimated. */
export class CompactionClaims {
  /** Of the messages of the newest request, and of those that came since; null: there was no request. */
  private shown: number | null = null;
  private added = 0;
  private open: { readonly before: number; readonly tokensAfter: number | undefined } | null = null;

  /** A message was added to the transcript. */
  add(tokens: number): void {
    this.added += tokens;
  }

  /** The engine claims that it made smaller what it will show. */
  claim(result: Compacted | undefined): void {
    if (this.shown === null) return;
    const before = this.shown + this.added;
    this.open = { before: this.open?.before ?? before, tokensAfter: result?.tokensAfter };
    [this.shown, this.added] = [before, 0];
  }

  /** A request was assembled. `tokens`: of its messages; `whole`: of all of it. Gives the claims that do not hold. */
  assembled(messages: readonly AgentMessage[], tokens: number, whole: number): readonly Breach[] {
    const { open } = this;
    const after = Math.max(0, tokens - this.added);
    [this.shown, this.added, this.open] = [tokens, 0, null];
    if (open === null) return [];
    return listCompactionBreaches(open, after, { sizes: [after, whole], messages });
  }
}

/** `before`, `after`: tokens of the messages; `found`: what `tokensAfter` may be about. */
export function listCompactionBreaches(
  { before, tokensAfter }: { readonly before: number; readonly tokensAfter?: number | undefined },
  after: number,
  found: Parameters<typeof findSizeFault>[2],
): readonly Breach[] {
  const notSmaller = whyNotSmaller(before, after);
  const notSize = tokensAfter === undefined ? null : findSizeFault('tokensAfter', tokensAfter, found);
  return [
    ...(notSmaller === null ? [] : [{ clause: 'compacted', method: 'compact', message: notSmaller } as const]),
    ...(notSize === null ? [] : [{ clause: 'compact-tokens', method: 'compact', message: notSize } as const]),
  ];
}
