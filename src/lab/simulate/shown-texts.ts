import { readMessageText } from '#analysis/facts/text.js';
import { countCommon } from '#base/lists.js';
import { addTo } from '#base/maps.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { findSummaryText, isFailedAnswer } from '#context/replay/convert.js';
import { countValueTokens } from '#context/size/tokens.js';
import type { AssembledContent } from '../drive/driven-request.js';
import type { SimulatedEngine } from './document.js';

/** A message of the user, or the words of an answer, as the recorded run showed them. */
export interface WholeText {
  readonly kind: 'instructions' | 'answers';
  readonly role: string;
  readonly timestamp: unknown;
  /** Estimated. */
  readonly tokens: number;
  /** The first request that showed it. */
  readonly first: number;
}

interface Text extends WholeText {
  shown: number;
  /** The least that was ever shown of it. */
  least: number;
}

/** Follows the words of user and model in the requests of an engine: what it leaves out or shortens is a loss. */
export class ShownTexts {
  /** The texts, by entry. */
  private readonly texts = new Map<string, Text>();
  /** The entries of a role and time: a changed message has no entry, and keeps these. */
  private readonly alike = new Map<string, string[]>();
  /** The texts of the recorded run that no request could show so far, the last one first. */
  private readonly later: [id: string, whole: WholeText][];
  private last: readonly LlmMessage[] = [];
  private readonly seen = new Set<string>();

  /** `whole`: the texts of the recorded run, as an engine might never show one. */
  constructor(whole: ReadonlyMap<string, WholeText> = new Map()) {
    this.later = [...whole].toSorted(([, one], [, other]) => other.first - one.first);
  }

  /** A request is sent. */
  show({ messages, sources }: Pick<AssembledContent, 'messages' | 'sources'>, request: number): void {
    const due = this.takeDue(request);
    const same = countCommon(messages, this.last);
    const goesOn = same === this.last.length;
    if (!goesOn) {
      this.seen.clear();
      for (const text of this.texts.values()) text.shown = 0;
    }
    for (let at = goesOn ? same : 0; at < messages.length; at += 1)
      this.look(messages[at], sources[at] ?? null, request);
    for (const text of goesOn ? due : this.texts.values()) text.least = Math.min(text.least, text.shown);
    this.last = messages;
  }

  /** Each text that was shown, as long as it ever was. */
  wholes(): ReadonlyMap<string, WholeText> {
    return this.texts;
  }

  /** The texts that were left out or shortened at some time. */
  lost(): SimulatedEngine['lostTexts'] {
    const lost = { instructions: 0, answers: 0, tokensEstimated: 0 };
    for (const { kind, least, tokens } of this.texts.values()) {
      if (least >= tokens) continue;
      lost[kind] += 1;
      lost.tokensEstimated += tokens - least;
    }
    return lost;
  }

  private takeDue(request: number): readonly Text[] {
    const due: Text[] = [];
    for (let next = this.later.at(-1); next && next[1].first <= request; next = this.later.at(-1)) {
      this.later.pop();
      due.push(this.add(...next, 0));
    }
    return due;
  }

  private add(id: string, whole: WholeText, shown: number): Text {
    const text = { ...whole, shown, least: whole.tokens };
    this.texts.set(id, text);
    addTo(this.alike, toPlaceKey(whole), id);
    return text;
  }

  private look(message: LlmMessage | undefined, source: string | null, request: number): void {
    const kind = message && findKind(message);
    if (!message || !kind) return;
    const tokens = countWordTokens(message);
    const { role, timestamp } = message;
    const whole = { kind, role, timestamp, tokens, first: request };
    const id = source ?? this.alike.get(toPlaceKey(whole))?.find((each) => !this.seen.has(each));
    if (id === undefined) return;
    this.seen.add(id);
    const earlier = this.texts.get(id);
    if (earlier) earlier.shown = tokens;
    else if (source !== null && tokens > 0) this.add(id, whole, tokens);
  }
}

function toPlaceKey({ role, timestamp }: Pick<WholeText, 'role' | 'timestamp'>): string {
  return `${role} ${String(timestamp)}`;
}

function findKind(message: LlmMessage): WholeText['kind'] | null {
  if (message.role === 'assistant') return isFailedAnswer(message) ? null : 'answers';
  return message.role === 'user' && findSummaryText(message) === null ? 'instructions' : null;
}

/** The tokens of the words of a message, without thinking and calls. */
const countWordTokens = memoizeByObject((message: LlmMessage) => countValueTokens(readMessageText(message)));
