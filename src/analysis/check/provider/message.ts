import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { headAtLine } from '#session/tree/tree.js';
import { type Hit, quoted } from '../define.js';

const NOTHING: readonly unknown[] = [];

/** The content of a message as it is stored, where it is a list. What is in it can be anything. */
export function listOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : NOTHING;
}

/** An answer that failed or was broken off: Pi keeps it in the session and leaves it out of every request. */
export function isHidden(message: LlmMessage): boolean {
  return message.role === 'assistant' && (message['stopReason'] === 'error' || message['stopReason'] === 'aborted');
}

/** A tool call, as far as it can be answered. */
export interface ToolCall {
  readonly id: string;
  readonly name: string | null;
  /** Of its block in the content. */
  readonly at: number;
}

export function callAt(content: readonly unknown[], at: number): ToolCall | null {
  const block = content[at];
  if (!isObject(block) || block['type'] !== 'toolCall') return null;
  const id = asString(block['id']);
  return id === null ? null : { id, name: asString(block['name']), at };
}

export function isBlank(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** Where a block stands in the entry that its message comes from; undefined where the message is not the entry's own. */
export function placeOfBlock(session: Session, from: Provenance, at: number): { readonly place?: string } {
  if (from.origin !== 'entry') return {};
  const head = headAtLine(session, from.line);
  if (head?.type === 'custom_message') return { place: `content[${at}]` };
  return head?.type === 'message' ? { place: `message.content[${at}]` } : {};
}

export function atEntry({ line, entryId }: Provenance): { readonly line: number; readonly id: string | null } {
  return { line, id: entryId };
}

/** How a sentence names a tool call. */
export function namedCall({ id, name }: Pick<ToolCall, 'id' | 'name'>): string {
  return name === null ? `the call ${quoted(id)}` : `the call ${quoted(id)} of ${quoted(name)}`;
}

/** The model that a message comes from. */
export interface Model {
  readonly provider: unknown;
  readonly api: unknown;
  readonly model: unknown;
}

/** Gives the same object for the same model, so that models can be compared. */
export class Models {
  private readonly known: Model[] = [];
  private newest: Model | null = null;

  of({ provider, api, model }: JsonObject): Model {
    const isIt = (other: Model): boolean => other.provider === provider && other.api === api && other.model === model;
    if (this.newest && isIt(this.newest)) return this.newest;
    this.newest = this.known.find(isIt) ?? this.added({ provider, api, model });
    return this.newest;
  }

  private added(model: Model): Model {
    this.known.push(model);
    return model;
  }
}

export function modelName({ provider, model }: Model): string {
  const names = [asString(provider), asString(model)].flatMap((name) => name ?? []);
  return names.length === 0 ? 'an unknown model' : quoted(names.join('/'));
}

/** Anthropic's own API, which refuses what others let pass. */
export function isAnthropic({ provider, api }: Model): boolean {
  return api === undefined ? provider === 'anthropic' : api === 'anthropic-messages';
}

const RESPONSES_APIS: ReadonlySet<unknown> = new Set([
  'openai-responses',
  'openai-codex-responses',
  'azure-openai-responses',
]);

export function isResponses({ api }: Model): boolean {
  return RESPONSES_APIS.has(api);
}

/** A block of thinking that Pi sends to the model that it comes from; null for any other block, and for an empty one. */
export function asThinking(block: unknown): JsonObject | null {
  if (!isObject(block) || block['type'] !== 'thinking') return null;
  return isSigned(block) || block['redacted'] || !isBlank(block['thinking']) ? block : null;
}

export function isSigned(block: JsonObject): boolean {
  return !isBlank(block['thinkingSignature']);
}

/** Hits of one model that wait to become due; more of them say nothing new. */
const MOST_WAITING = 1000;

/** Hits that matter only to a certain model: kept until a request ends whose newest answer is of that model. */
export class DueHits {
  private readonly models = new Models();
  private readonly waiting = new Map<Model, Hit[]>();
  private newest: Model | null = null;

  /** Takes note of the model of an answer. */
  answer(message: LlmMessage): Model {
    this.newest = this.models.of(message);
    return this.newest;
  }

  add(model: Model, hit: Hit): void {
    const hits = this.waiting.get(model) ?? [];
    if (hits.length < MOST_WAITING) hits.push(hit);
    this.waiting.set(model, hits);
  }

  forget(): void {
    this.waiting.clear();
  }

  /** Whatever waits for the newest model, which Pi sends as it is. */
  *ofNewest(): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0) return;
    yield* this.waiting.get(this.newest) ?? [];
    this.waiting.delete(this.newest);
  }

  /** Whatever waits, of any model, if the newest one is such. */
  *ofAny(isSuch: (newest: Model) => boolean): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0 || !isSuch(this.newest)) return;
    for (const hits of this.waiting.values()) yield* hits;
    this.waiting.clear();
  }
}
