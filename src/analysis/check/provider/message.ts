import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { findHeadAtLine } from '#session/tree/tree.js';
import { type Hit, quoteValue } from '../define.js';

const NOTHING: readonly unknown[] = [];

/** The content of a message if it is a list, else an empty list. The items are not validated. */
export function toContentList(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : NOTHING;
}

/** A tool call with an id. */
export interface ToolCall {
  readonly id: string;
  readonly name: string | null;
  /** The index of its block in the content. */
  readonly at: number;
}

export function readCallAt(content: readonly unknown[], at: number): ToolCall | null {
  const block = content[at];
  if (!isObject(block) || block['type'] !== 'toolCall') return null;
  const id = asString(block['id']);
  return id === null ? null : { id, name: asString(block['name']), at };
}

export function isBlankContent(text: unknown): boolean {
  return typeof text !== 'string' || text.trim() === '';
}

/** A block of a message: the source entry, and the place in it unless the message is not the entry's own. */
export function locateBlock(session: Session, from: Provenance, at: number): Pick<Hit, 'at' | 'place'> {
  const head = from.origin === 'entry' ? findHeadAtLine(session, from.line, from.entryId) : undefined;
  const holder = head?.type === 'custom_message' ? '' : head?.type === 'message' ? 'message.' : null;
  return { at: locateEntry(from), ...(holder === null ? {} : { place: `${holder}content[${at}]` }) };
}

export function locateEntry({ line, entryId }: Provenance): { readonly line: number; readonly id: string | null } {
  return { line, id: entryId };
}

/** The name of a tool call in a sentence. */
export function describeToolCall({ id, name }: Pick<ToolCall, 'id' | 'name'>): string {
  return name === null ? `the call ${quoteValue(id)}` : `the call ${quoteValue(id)} of ${quoteValue(name)}`;
}

export interface AnswerModel {
  readonly provider: unknown;
  readonly api: unknown;
  readonly model: unknown;
}

/** Returns one object for each model, so that models can be compared by identity. */
export class AnswerModels {
  private readonly known: AnswerModel[] = [];
  private newest: AnswerModel | null = null;

  of({ provider, api, model }: JsonObject): AnswerModel {
    const isIt = (other: AnswerModel): boolean =>
      other.provider === provider && other.api === api && other.model === model;
    if (this.newest && isIt(this.newest)) return this.newest;
    this.newest = this.known.find(isIt) ?? this.added({ provider, api, model });
    return this.newest;
  }

  private added(model: AnswerModel): AnswerModel {
    this.known.push(model);
    return model;
  }
}

export function describeModel({ provider, model }: AnswerModel): string {
  const names = [asString(provider), asString(model)].flatMap((name) => name ?? []);
  return names.length === 0 ? 'an unknown model' : quoteValue(names.join('/'));
}

/** Whether a model uses the API of Anthropic, which rejects more than others. */
export function usesAnthropicApi({ provider, api }: AnswerModel): boolean {
  return api === undefined ? provider === 'anthropic' : api === 'anthropic-messages';
}

const RESPONSES_APIS: ReadonlySet<unknown> = new Set([
  'openai-responses',
  'openai-codex-responses',
  'azure-openai-responses',
]);

export function usesResponsesApi({ api }: AnswerModel): boolean {
  return RESPONSES_APIS.has(api);
}

/** A thinking block that Pi sends back to its model; null for any other block, and for an empty one. */
export function readThinking(block: unknown): JsonObject | null {
  if (!isObject(block) || block['type'] !== 'thinking') return null;
  return isSignedBlock(block) || block['redacted'] || !isBlankContent(block['thinking']) ? block : null;
}

export function isSignedBlock(block: JsonObject): boolean {
  return !isBlankContent(block['thinkingSignature']);
}

const MOST_WAITING = 1000;

/** Hits that concern only one model, kept until a request ends whose newest answer is from that model. */
export class PendingHits {
  private readonly models = new AnswerModels();
  private readonly waiting = new Map<AnswerModel, Hit[]>();
  private newest: AnswerModel | null = null;

  answer(message: LlmMessage): AnswerModel {
    this.newest = this.models.of(message);
    return this.newest;
  }

  add(model: AnswerModel, hit: Hit): void {
    const hits = this.waiting.get(model) ?? [];
    if (hits.length < MOST_WAITING) hits.push(hit);
    this.waiting.set(model, hits);
  }

  forget(): void {
    this.waiting.clear();
  }

  *ofNewest(): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0) return;
    yield* this.waiting.get(this.newest) ?? [];
    this.waiting.delete(this.newest);
  }

  /** Yields the pending hits of all models, if the newest model satisfies `isSuch`. */
  *ofAny(isSuch: (newest: AnswerModel) => boolean): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0 || !isSuch(this.newest)) return;
    for (const hits of this.waiting.values()) yield* hits;
    this.waiting.clear();
  }
}
