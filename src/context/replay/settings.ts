import { asObject, asString, type JsonObject } from '#base/json.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { ContextEnvelope } from './envelope.js';

/**
 * Model and thinking level at the end of a path. The whole path counts, including compacted entries: the
 * last `model_change` or answer of a provider, failed ones included, and the last `thinking_level_change`.
 */
export function findSettings(
  session: Session,
  path: readonly Head[],
): Pick<ContextEnvelope['meta'], 'model' | 'thinkingLevel'> {
  const change = path.findLast(({ type }) => type === 'thinking_level_change');
  const thinkingLevel = change ? readThinkingLevel(session.entry(change)) : initialThinkingLevel(session);
  return { model: modelOf(session, path), thinkingLevel };
}

/** The thinking level before the first change: Pi starts without thinking, other agents do not record theirs. */
export function initialThinkingLevel({ agent }: Pick<Session, 'agent'>): string {
  return agent ? 'unknown' : 'off';
}

/** The level that a `thinking_level_change` sets. */
export function readThinkingLevel({ thinkingLevel }: JsonObject): string {
  return asString(thinkingLevel) ?? 'off';
}

function modelOf(session: Session, path: readonly Head[]): ContextEnvelope['meta']['model'] {
  const head = path.findLast((one) => setsModel(session, one));
  if (!head) return null;
  const entry = session.entry(head);
  if (head.role !== 'assistant') return readModelChange(entry);
  const message = asObject(entry.message);
  return namedModel(message.provider, message.model);
}

function setsModel(session: Session, head: Head): boolean {
  if (answersRequest(head)) return true;
  return head.type === 'model_change' && readModelRole(session.entry(head)) === null;
}

/** The names of a model, as far as an entry contains them. */
interface NamedModel {
  readonly provider?: string;
  readonly modelId?: string;
}

function namedModel(provider: unknown, modelId: unknown): NamedModel {
  return {
    ...(typeof provider === 'string' && { provider }),
    ...(typeof modelId === 'string' && { modelId }),
  };
}

/** The model of a `model_change`: Pi writes `provider` and `modelId`, oh-my-pi writes `model` as `provider/id`. */
export function readModelChange({ provider, modelId, model }: JsonObject): NamedModel {
  if (typeof model !== 'string' || typeof provider === 'string' || typeof modelId === 'string')
    return namedModel(provider, modelId);
  const slash = model.indexOf('/');
  return namedModel(slash === -1 ? null : model.slice(0, slash), model.slice(slash + 1));
}

/** The role of oh-my-pi, such as `smol`, whose model a `model_change` sets; null for the model that answers in the session. */
export function readModelRole(entry: JsonObject): string | null {
  const role = asString(entry.role);
  return role === 'default' ? null : role;
}
