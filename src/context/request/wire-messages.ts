import { canonicalJson } from '#base/canonical-json.js';
import { attemptDeep } from '#base/json-text.js';
import { asString, type JsonObject } from '#base/json.js';
import type { ContentBlock, StoredMessage } from '#session/entry.js';
import type { LlmMessage } from '../replay/content.js';
import { isFailedAnswer } from '../replay/convert.js';
import type { SentMessage } from '../replay/message-list.js';
import { countMessageTokens } from '../size/tokens.js';
import { toBlocks } from '../words/message-blocks.js';

/** The model of a request. Thinking is only sent back to its own model. */
export interface RequestTarget {
  readonly provider: string | null;
  readonly api: string | null;
  readonly model: string | null;
}

/** A message of a request, after Pi's conversion for sending. */
export interface WireMessage {
  readonly role: LlmMessage['role'];
  /** The source entry; null for a generated result. */
  readonly entryId: string | null;
  /** The fields that reach a provider: no times, no usage, no model names. */
  readonly fields: JsonObject;
  /** Estimated. */
  readonly tokens: number;
  /** The tools that it calls. */
  readonly calls: readonly JsonObject[];
  readonly holdsImage: boolean;
}

/**
 * The messages of requests to one model as they are sent, given by appended messages: Pi's `transformMessages`
 * after `convertToLlm`. Failed answers are dropped, calls without a result get one, thinking and signatures of
 * other models are dropped. Steps that depend on a provider or on unrecorded user settings are not included:
 * rewritten call ids, and images that are blocked or that a model cannot see.
 */
export class WireMessages {
  private calls: readonly JsonObject[] = NO_CALLS;
  /** The ids of these calls that have a result. */
  private readonly answered = new Set<unknown>();

  private constructor(
    readonly target: RequestTarget,
    /** All messages except those of `made`. Append-only. */
    readonly messages: WireMessage[],
    /** The messages that were already processed, by the message that they are made from. */
    private readonly bySource: WeakMap<LlmMessage, WireMessage>,
    /** The position of the message of an entry, or the one that it would have if it were sent. */
    private readonly places: Map<string, number>,
  ) {}

  static to(target: RequestTarget): WireMessages {
    return new WireMessages(target, [], new WeakMap(), new Map());
  }

  /** An empty list for a model. If it is the model of this list, messages are not processed again. */
  startOver(target: RequestTarget): WireMessages {
    return new WireMessages(target, [], isSameTarget(target, this.target) ? this.bySource : new WeakMap(), new Map());
  }

  /** A list that begins with the first messages of this one, at a place without pending calls. */
  takeFirst(length: number): WireMessages {
    return new WireMessages(this.target, this.messages.slice(0, length), this.bySource, this.places);
  }

  /** Whether no call waits for its result. */
  get isSettled(): boolean {
    return this.calls.every(({ id }) => this.answered.has(id));
  }

  append(sent: readonly Sendable[]): void {
    for (const { message, from } of sent) this.take(message, from.entryId);
  }

  /** The generated results for the calls at the end, if the request is sent now. */
  buildMissingResults(): readonly WireMessage[] {
    return this.calls.length === 0
      ? NONE
      : this.calls.filter(({ id }) => !this.answered.has(id)).map(buildMissingResult);
  }

  /** The position of an entry's message; null if unknown. Only once, since it may change afterwards. */
  takePlace(entryId: string): number | null {
    const place = this.places.get(entryId) ?? null;
    this.places.delete(entryId);
    return place;
  }

  private take(message: LlmMessage, entryId: string | null): void {
    if (message.role === 'toolResult') {
      if (this.calls.length > 0) this.answered.add(message.toolCallId);
    } else if (this.calls.length > 0) {
      for (const result of this.buildMissingResults()) this.messages.push(result);
      this.calls = NO_CALLS;
      this.answered.clear();
    }
    if (entryId !== null) this.places.set(entryId, this.messages.length);
    if (isFailedAnswer(message)) return;
    const sent = this.toSent(message, entryId);
    if (message.role === 'assistant') this.calls = sent.calls;
    this.messages.push(sent);
  }

  private toSent(message: LlmMessage, entryId: string | null): WireMessage {
    const cached = this.bySource.get(message);
    if (cached) return cached;
    const sent = toWireMessage(selectSentFields(message, this.target), message.role, entryId);
    this.bySource.set(message, sent);
    return sent;
  }
}

/** A message with its source entry. */
export interface Sendable {
  readonly message: LlmMessage;
  readonly from: Pick<SentMessage['from'], 'entryId'>;
}

const NONE: readonly WireMessage[] = [];
const NO_CALLS: readonly JsonObject[] = [];

function toWireMessage(fields: JsonObject, role: LlmMessage['role'], entryId: string | null): WireMessage {
  const blocks = toBlocks(fields.content);
  const calls = role === 'assistant' ? blocks.filter(({ type }) => type === 'toolCall') : NO_CALLS;
  const holdsImage = blocks.some(({ type }) => type === 'image');
  return { role, entryId, fields, tokens: countMessageTokens({ ...fields, role }), calls, holdsImage };
}

/** Whether two messages are equal for a provider. A message that is nested too deeply to be serialised is different. */
export function isSentAlike(one: WireMessage, other: WireMessage): boolean {
  return one === other || attemptDeep(() => formatMessage(one) === formatMessage(other), false);
}

function formatMessage({ fields: { content, ...others } }: WireMessage): string {
  return `${canonicalJson(others)}${toBlocks(content).map(formatBlock).join()}`;
}

/**
 * A block of a message for comparison. Pi writes the arguments of a call with their keys in the order of the message.
 */
export function formatBlock(block: ContentBlock): string {
  const { arguments: given, ...others } = block;
  if (block.type !== 'toolCall' || given === undefined) return canonicalJson(block);
  return `{"arguments":${JSON.stringify(given)},${canonicalJson(others).slice(1)}`;
}

export function isSameTarget(one: RequestTarget, other: RequestTarget): boolean {
  return one.provider === other.provider && one.api === other.api && one.model === other.model;
}

/** The model of an answer, which is also that of its request. */
export function readTarget(message: StoredMessage): RequestTarget {
  return { provider: asString(message.provider), api: asString(message.api), model: asString(message.model) };
}

function selectSentFields(message: LlmMessage, target: RequestTarget): JsonObject {
  const { role, content } = message;
  if (role === 'assistant') {
    const isOwn = isSameTarget(readTarget(message), target);
    return { role, content: toBlocks(content).flatMap((block) => toSentBlocks(block, isOwn)) };
  }
  if (role === 'user') return { role, content: toBlocks(content) };
  const { toolCallId, toolName, isError } = message;
  return { role, toolCallId, toolName, isError: isError === true, content: toBlocks(content) };
}

function toSentBlocks(block: ContentBlock, isOwn: boolean): readonly ContentBlock[] {
  switch (block.type) {
    case 'thinking': {
      const isBlank = (asString(block.thinking) ?? '').trim() === '';
      const isKept = isOwn && (Boolean(block.redacted) || Boolean(block.thinkingSignature) || !isBlank);
      return isKept ? [block] : [];
    }
    case 'text':
      return [isOwn ? block : { type: 'text', text: block.text }];
    case 'toolCall': {
      const { thoughtSignature, ...call } = block;
      return [isOwn || !thoughtSignature ? block : call];
    }
    default:
      return [block];
  }
}

function buildMissingResult({ id, name }: JsonObject): WireMessage {
  const content = [{ type: 'text', text: 'No result provided' }];
  return toWireMessage(
    { role: 'toolResult', toolCallId: id, toolName: name, isError: true, content },
    'toolResult',
    null,
  );
}
