import { canonicalJson } from '#base/canonical-json.js';
import { attemptDeep } from '#base/json-text.js';
import { asString, type JsonObject, listObjects } from '#base/json.js';
import { countCommon } from '#base/lists.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import {
  formatBlock,
  isSameTarget,
  isSentAlike,
  type RequestTarget,
  type WireMessage,
  WireMessages,
} from '#context/request/wire-messages.js';
import { countValueTokens } from '#context/size/tokens.js';
import type { Divergence } from './document.js';

/** Tools and system prompt, in the order in which providers cache them. */
export interface Preamble {
  readonly tools: readonly Unit[];
  readonly system: readonly Unit[];
  /** Estimated tokens of all of it. */
  readonly tokens: number;
}

/** A tool definition or a system part for comparison: its keys are sorted. */
interface Unit {
  readonly name: string;
  readonly text: string;
}

/** The prompt of one request. The list of messages may grow beyond `length`. */
export interface Prompt {
  readonly preamble: Preamble;
  readonly messages: readonly WireMessage[];
  readonly length: number;
  /** Results that were generated for calls without any, after the messages. */
  readonly made: readonly WireMessage[];
  /** Estimated. */
  readonly tokens: number;
  readonly images: number;
  /** The entry of the first message with an image. */
  readonly firstImage: string | null;
}

export function buildPreamble({ tools, system }: Pick<EnvelopeContent, 'tools' | 'system'>): Preamble {
  const parts = system.parts.filter(({ text }) => text !== '');
  const units = {
    tools: tools.map((tool) => ({
      name: asString(tool.name) ?? '',
      text: attemptDeep(() => canonicalJson(tool), `${tool.name} is nested too deeply`),
    })),
    system: parts.map(({ name, text, separator }, at) => ({ name, text: at === 0 ? text : (separator ?? '') + text })),
  };
  return { ...units, tokens: tokensIn(units.tools) + tokensIn(units.system) };
}

function tokensIn(units: readonly Unit[]): number {
  return countValueTokens(units.map(({ text }) => text).join(''));
}

/** The place where a request diverges from the next one; null if all of it is a prefix. */
export function findDivergence(before: Prompt, after: Prompt): Divergence | null {
  const isLonger = before.messages === after.messages && before.made.length === 0;
  if (isLonger && before.preamble === after.preamble) return null;
  return (
    (before.preamble === after.preamble ? null : inPreamble(before.preamble, after.preamble)) ??
    inMessages(before, after)
  );
}

/** The order of a place, to compare places of the same request. */
export function measureDepth(place: Divergence | null): number {
  if (place === null) return Infinity;
  return ['tools', 'system', 'messages'].indexOf(place.section) * 2 ** 40 + place.index;
}

/** Whether two preambles have the same tools, in any order. */
export function hasSameToolSet({ tools: one }: Preamble, { tools: other }: Preamble): boolean {
  return one.length === other.length && sortedText(one) === sortedText(other);
}

function sortedText(units: readonly Unit[]): string {
  return JSON.stringify(units.map(({ text }) => text).toSorted());
}

function inPreamble(before: Preamble, after: Preamble): Divergence | null {
  let tokens = 0;
  for (const section of ['tools', 'system'] as const) {
    const [some, others] = [before[section], after[section]];
    for (let index = 0; index < Math.max(some.length, others.length); index += 1) {
      const [unit, other] = [some[index], others[index]];
      const offset = commonStart(unit?.text ?? '', other?.text ?? '');
      const size = countValueTokens((unit?.text ?? '').slice(0, offset));
      if (unit?.text !== other?.text) {
        const name = unit?.name ?? other?.name ?? '';
        return { section, index, name, entryId: null, block: null, offset, prefixTokensEstimated: tokens + size };
      }
      tokens += size;
    }
  }
  return null;
}

function inMessages(before: Prompt, after: Prompt): Divergence | null {
  const all = before.length + before.made.length;
  // Nearly all of them are identical objects.
  let index = 0;
  const most = Math.min(before.length, after.length);
  while (index < most && before.messages[index] === after.messages[index]) index += 1;
  for (; index < all; index += 1) {
    const [message, other] = [messageAt(before, index), messageAt(after, index)];
    if (message && !(other && isSentAlike(message, other)))
      return inMessage(message, other, { index, tokens: before.preamble.tokens + tokensUpTo(before, index) });
  }
  return null;
}

function tokensUpTo(prompt: Prompt, end: number): number {
  let tokens = 0;
  for (let index = 0; index < end; index += 1) tokens += messageAt(prompt, index)?.tokens ?? 0;
  return tokens;
}

function messageAt({ messages, length, made }: Prompt, index: number): WireMessage | undefined {
  return index < length ? messages[index] : made[index - length];
}

function inMessage(
  { role, entryId, fields }: WireMessage,
  other: WireMessage | undefined,
  { index, tokens }: { readonly index: number; readonly tokens: number },
): Divergence {
  const placeAt = (block: number | null, offset: number, same: number): Divergence => {
    const prefixTokensEstimated = tokens + Math.floor(same / 4);
    return { section: 'messages', index, name: role, entryId, block, offset, prefixTokensEstimated };
  };
  const isOther = other?.role !== role || other.fields['toolCallId'] !== fields['toolCallId'];
  if (isOther) return placeAt(null, 0, 0);
  const [blocks, others] = [listObjects(fields['content']), listObjects(other.fields['content'])];
  let same = 0;
  for (let block = 0; block < Math.max(blocks.length, others.length); block += 1) {
    const [text, otherText] = [textOfBlock(blocks[block]), textOfBlock(others[block])];
    const offset = commonStart(text, otherText);
    same += offset;
    if (text !== otherText) return placeAt(block, offset, same);
  }
  return placeAt(null, 0, 0);
}

function textOfBlock(block: JsonObject | undefined): string {
  if (block === undefined) return '';
  if (block['type'] === 'text' && typeof block['text'] === 'string') return block['text'];
  return attemptDeep(() => formatBlock(block), '');
}

function commonStart(one: string, other: string): number {
  if (one === other) return one.length;
  const most = Math.min(one.length, other.length);
  let at = 0;
  while (at < most && one.codePointAt(at) === other.codePointAt(at)) at += 1;
  return at;
}

interface Sent extends Pick<EnvelopeContent, 'system' | 'tools'> {
  readonly messages: readonly LlmMessage[];
  /** The entry that each message comes from; null: an engine made it. */
  readonly sources?: readonly (string | null)[];
}

/** A place of a request without pending calls. */
interface Start {
  /** The messages of the request before it, and the messages that were sent for them. */
  readonly at: number;
  readonly sent: number;
  readonly tokens: number;
}

const BEGINNING: Start = { at: 0, sent: 0, tokens: 0 };

/**
 * Yields requests as prompts that can be compared. A request costs the messages after those with which the one before
 * begins too, and a copy of the list where that one went on otherwise.
 */
export class SentPrompts {
  private list = WireMessages.to({ provider: null, api: null, model: null });
  private messages: readonly LlmMessage[] = [];
  /** Of the list, tokens up to `counted`. */
  private tokens = 0;
  private counted = 0;
  /** The places at which a request can go on otherwise, in order. */
  private starts = [BEGINNING];
  private declared: Pick<Sent, 'system' | 'tools'> | null = null;
  private preamble: Preamble = { tools: [], system: [], tokens: 0 };

  next(sent: Sent, target: RequestTarget): Prompt {
    const start = this.goOn(sent.messages, target);
    for (const [at, message] of sent.messages.slice(start).entries()) {
      this.list.append([{ message, from: { entryId: sent.sources?.[start + at] ?? null } }]);
      this.count();
      if (this.list.isSettled) this.starts.push({ at: start + at + 1, sent: this.counted, tokens: this.tokens });
    }
    this.messages = sent.messages;
    this.declare(sent);
    const made = this.list.syntheticResults();
    const tokens = made.reduce((sum, message) => sum + message.tokens, this.preamble.tokens + this.tokens);
    const { messages } = this.list;
    return { preamble: this.preamble, messages, length: this.counted, made, tokens, images: 0, firstImage: null };
  }

  /** Keeps the messages with which a request begins too, and returns their number. */
  private goOn(messages: readonly LlmMessage[], target: RequestTarget): number {
    const isOther = !isSameTarget(target, this.list.target);
    const same = isOther ? 0 : countCommon(messages, this.messages);
    if (!isOther && same === this.messages.length) return same;
    while ((this.starts.at(-1)?.at ?? 0) > same) this.starts.pop();
    const { at, sent, tokens } = this.starts.at(-1) ?? BEGINNING;
    this.list = isOther ? this.list.again(target) : this.list.cutTo(sent);
    [this.counted, this.tokens] = [sent, tokens];
    return at;
  }

  private count(): void {
    const { messages } = this.list;
    for (; this.counted < messages.length; this.counted += 1) this.tokens += messages[this.counted]?.tokens ?? 0;
  }

  /** Most requests declare what the one before has declared, and their preamble is the very same. */
  private declare({ system, tools }: Pick<Sent, 'system' | 'tools'>): void {
    if (system !== this.declared?.system || tools !== this.declared.tools)
      this.preamble = buildPreamble({ system, tools });
    this.declared = { system, tools };
  }
}
