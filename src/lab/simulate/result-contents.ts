import type { Prompt } from '#analysis/cache/prompt.js';
import { asString } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import type { WireMessage } from '#context/request/wire-messages.js';
import type { Reread, SimulatedEngine } from './document.js';
import type { RecordedCall } from './recorded-exchanges.js';

/** A result as the recorded run showed it. */
export interface WholeResult {
  /** Estimated: of all of it. */
  readonly tokens: number;
  /** The first request that showed it. */
  readonly first: number;
}

interface Result {
  /** Estimated: of all of it. */
  readonly tokens: number;
  shown: number;
  /** The least that was ever shown of it. */
  least: number;
  /** The first request that could show it. */
  readonly first: number;
  lostAt: number | null;
}

/** Follows the tool results that a model is shown. Detects repeated calls for results that it is no longer shown. */
export class ResultContents {
  /** Calls for content that was shown before, and had been left out or shortened by then. */
  readonly rereads: Reread[] = [];
  private readonly results = new Map<string, Result>();
  /** The calls for a file or command so far. */
  private readonly calls = new Map<string, string[]>();
  private messages: readonly WireMessage[] = [];
  private seen = 0;

  /** The results of the recorded run that no request could show so far, the last one first. */
  private readonly later: [id: string, whole: WholeResult][];

  /** `whole`: results of the recorded run by their calls, as an engine might never show one, or all of it. */
  constructor(private readonly whole: ReadonlyMap<string, WholeResult> = new Map()) {
    this.later = [...whole].toSorted(([, one], [, other]) => other.first - one.first);
  }

  /** A request is sent. */
  show({ messages, length }: Prompt, request: number): void {
    const goesOn = messages === this.messages && length >= this.seen;
    const due = this.takeDue(request);
    if (goesOn) {
      this.look(messages, length, request);
      for (const result of due) noteShown(result, request);
    } else {
      for (const result of this.results.values()) result.shown = 0;
      this.seen = 0;
      this.look(messages, length, request);
      for (const result of this.results.values()) noteShown(result, request);
    }
    this.messages = messages;
  }

  /** The tool calls in the answer to the newest request. */
  ask(calls: readonly RecordedCall[], request: number): void {
    for (const { callId, tool, what } of calls) {
      if (what === null) continue;
      const lost = this.findLost(what);
      if (lost) {
        const { id, result } = lost;
        const tokensEstimated = result.tokens - result.shown;
        this.rereads.push({ request, tool, what, callId: id, lostAt: result.lostAt ?? request, tokensEstimated });
      }
      addTo(this.calls, what, callId);
    }
  }

  /** The newest result about a file or command, where none of them is shown whole any more. */
  private findLost(what: string): { readonly id: string; readonly result: Result } | null {
    const calls = this.calls.get(what) ?? [];
    let newest: { readonly id: string; readonly result: Result } | null = null;
    for (let at = calls.length - 1; at >= 0; at -= 1) {
      const id = calls[at] ?? '';
      const result = this.results.get(id);
      if (!result) continue;
      if (result.shown >= result.tokens) return null;
      newest ??= { id, result };
    }
    return newest;
  }

  /** Each result that was shown, as long as it ever was. */
  wholes(): ReadonlyMap<string, WholeResult> {
    return new Map([...this.results].map(([id, { tokens, first }]) => [id, { tokens, first }]));
  }

  /** The results that this request is the first to be able to show: one that it leaves out is lost. */
  private takeDue(request: number): readonly Result[] {
    const due: Result[] = [];
    for (let next = this.later.at(-1); next && next[1].first <= request; next = this.later.at(-1)) {
      this.later.pop();
      const [id, { tokens, first }] = next;
      if (this.results.has(id)) continue;
      const result: Result = { tokens, shown: 0, least: tokens, first, lostAt: null };
      this.results.set(id, result);
      due.push(result);
    }
    return due;
  }

  /** Results that were left out or shortened at some time. */
  lost(): SimulatedEngine['lost'] {
    const lost = [...this.results.values()].filter(({ least, tokens }) => least < tokens);
    const tokensEstimated = sumBy(lost, ({ tokens, least }) => tokens - least);
    return { results: lost.length, tokensEstimated };
  }

  private look(messages: readonly WireMessage[], length: number, request: number): void {
    for (; this.seen < length; this.seen += 1) {
      const message = messages[this.seen];
      const callId = message?.role === 'toolResult' ? asString(message.fields.toolCallId) : null;
      if (!message || callId === null) continue;
      const earlier = this.results.get(callId);
      if (earlier) {
        earlier.shown = message.tokens;
        continue;
      }
      const tokens = Math.max(message.tokens, this.whole.get(callId)?.tokens ?? 0);
      const result: Result = { tokens, shown: message.tokens, least: tokens, first: request, lostAt: null };
      noteShown(result, request);
      this.results.set(callId, result);
    }
  }
}

/** Notes how much of a result a request shows: the least so far, and since when it shows less than there is. */
function noteShown(result: Result, request: number): void {
  const { shown, tokens, least } = result;
  if (shown >= tokens) result.lostAt = null;
  else result.lostAt ??= request;
  if (shown < least) result.least = shown;
}
