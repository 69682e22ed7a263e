import { asString, isObject, type JsonObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { Provenance } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { headAtLine } from '#session/tree/tree.js';
import { type Hit, quoted } from '../define.js';

const NOTHING: readonly unknown[] = [];

/** The content of a message if it is a list, else an empty list. The items are not validated. */
export function listOf(content: unknown): readonly unknown[] {
  return Array.isArray(content) ? content : NOTHING;
}

/** A tool call with an id. */
export interface ToolCall {
  readonly id: string;
  readonly name: string | null;
  /** The index of its block in the content. */
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

/** A block of a message: the source entry, and the place in it unless the message is not the entry's own. */
export function atBlock(session: Session, from: Provenance, at: number): Pick<Hit, 'at' | 'place'> {
  const head = from.origin === 'entry' ? headAtLine(session, from.line, from.entryId) : undefined;
  const holder = head?.type === 'custom_message' ? '' : head?.type === 'message' ? 'message.' : null;
  return { at: atEntry(from), ...(holder === null ? {} : { place: `${holder}content[${at}]` }) };
}

export function atEntry({ line, entryId }: Provenance): { readonly line: number; readonly id: string | null } {
  return { line, id: entryId };
}

/** The name of a tool call in a sentence. */
export function namedCall({ id, name }: Pick<ToolCall, 'id' | 'name'>): string {
  return name === null ? `the call ${quoted(id)}` : `the call ${quoted(id)} of ${quoted(name)}`;
}

export interface Model {
  readonly provider: unknown;
  readonly api: unknown;
  readonly model: unknown;
}

/** Returns one object for each model, so that models can be compared by identity. */
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

/** Whether a model uses the API of Anthropic, which rejects more than others. */
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

/** A thinking block that Pi sends back to its model; null for any other block, and for an empty one. */
export function asThinking(block: unknown): JsonObject | null {
  if (!isObject(block) || block['type'] !== 'thinking') return null;
  return isSigned(block) || block['redacted'] || !isBlank(block['thinking']) ? block : null;
}

export function isSigned(block: JsonObject): boolean {
  return !isBlank(block['thinkingSignature']);
}

const MOST_WAITING = 1000;

/** Hits that concern only one model, kept until a request ends whose newest answer is from that model. */
export class DueHits {
  private readonly models = new Models();
  private readonly waiting = new Map<Model, Hit[]>();
  private newest: Model | null = null;

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

  *ofNewest(): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0) return;
    yield* this.waiting.get(this.newest) ?? [];
    this.waiting.delete(this.newest);
  }

  /** Yields the pending hits of all models, if the newest model satisfies `isSuch`. */
  *ofAny(isSuch: (newest: Model) => boolean): Generator<Hit> {
    if (this.newest === null || this.waiting.size === 0 || !isSuch(this.newest)) return;
    for (const hits of this.waiting.values()) yield* hits;
    this.waiting.clear();
  }
}
