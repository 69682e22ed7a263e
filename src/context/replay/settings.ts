import { asObject, asString, type JsonObject } from '#base/json.js';
import { modelOfChange, namedModel, roleOfChange } from '#session/model-change.js';
import type { Session } from '#session/session.js';
import type { Head } from '#session/table/head.js';
import type { ContextEnvelope } from './envelope.js';

/**
 * Model and thinking level at the end of a path. The whole path counts, including compacted entries: the
 * last `model_change` or assistant message, failed ones included, and the last `thinking_level_change`.
 */
export function settingsOf(
  session: Session,
  path: readonly Head[],
): Pick<ContextEnvelope['meta'], 'model' | 'thinkingLevel'> {
  return { model: modelOf(session, path), thinkingLevel: thinkingLevelOf(session, path) };
}

function thinkingLevelOf(session: Session, path: readonly Head[]): string {
  const change = path.findLast(({ type }) => type === 'thinking_level_change');
  return change ? thinkingLevelIn(session.entry(change)) : firstLevel(session);
}

/** The thinking level before the first change: Pi starts without thinking, other agents do not record theirs. */
export function firstLevel({ foreign }: Pick<Session, 'foreign'>): string {
  return foreign ? 'unknown' : 'off';
}

/** The level that a `thinking_level_change` sets. */
export function thinkingLevelIn({ thinkingLevel }: JsonObject): string {
  return asString(thinkingLevel) ?? 'off';
}

function modelOf(session: Session, path: readonly Head[]): ContextEnvelope['meta']['model'] {
  const head = path.findLast((one) => setsModel(session, one));
  if (!head) return null;
  const entry = session.entry(head);
  if (head.role !== 'assistant') return modelOfChange(entry);
  const message = asObject(entry['message']);
  return namedModel(message['provider'], message['model']);
}

function setsModel(session: Session, head: Head): boolean {
  if (head.role === 'assistant') return true;
  return head.type === 'model_change' && roleOfChange(session.entry(head)) === null;
}
