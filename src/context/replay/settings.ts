import { asObject, asString } from '#base/json.js';
import type { Entry } from '#session/entry.js';
import type { Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { answersRequest } from '#session/tree/turns.js';
import type { ContextEnvelope, RequestModel } from './envelope.js';

/**
 * Model and thinking level at the end of a path. The whole path counts, including compacted entries: the
 * last `model_change` or answer of a provider, failed ones included, and the last `thinking_level_change`.
 */
export function findSettings(
  session: Session,
  path: readonly Head[],
): Pick<ContextEnvelope['meta'], 'model' | 'thinkingLevel'> {
  const change = path.findLast(({ type }) => type === 'thinking_level_change');
  const thinkingLevel = change ? readThinkingLevel(session.entry(change)) : chooseInitialThinkingLevel(session);
  return { model: findModel(session, path), thinkingLevel };
}

/** The thinking level before the first change: Pi starts without thinking, other agents do not record theirs. */
export function chooseInitialThinkingLevel({ agent }: Pick<Session, 'agent'>): string {
  return agent ? 'unknown' : 'off';
}

/** The id of the model at the end of a path; null if none is recorded. */
export function findModelName(session: Session, path: readonly Head[]): string | null {
  return findModel(session, path)?.modelId ?? null;
}

/** The level that a `thinking_level_change` sets. */
export function readThinkingLevel({ thinkingLevel }: Entry): string {
  return asString(thinkingLevel) ?? 'off';
}

function findModel(session: Session, path: readonly Head[]): RequestModel {
  const head = path.findLast(setsModel);
  if (!head) return null;
  const entry = session.entry(head);
  if (head.role !== 'assistant') return readModelChange(entry);
  const message = asObject(entry.message);
  return toNamedModel(message.provider, message.model);
}

/** Whether an entry sets the model of the session: an answer, or a `model_change`. */
export function setsModel(head: Head): boolean {
  return answersRequest(head) || head.type === 'model_change';
}

/** The names of a model, as far as an entry contains them. */
interface NamedModel {
  readonly provider?: string;
  readonly modelId?: string;
}

function toNamedModel(provider: unknown, modelId: unknown): NamedModel {
  return {
    ...(typeof provider === 'string' && { provider }),
    ...(typeof modelId === 'string' && { modelId }),
  };
}

/** The model of a `model_change`. */
export function readModelChange({ provider, modelId }: Entry): NamedModel {
  return toNamedModel(provider, modelId);
}
