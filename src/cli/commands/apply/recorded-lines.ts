import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { SessionToPlan } from '../session-to-plan.js';

/** The context with the line of the other agent's file at which it is; null for a new entry. */
export function toRecordedLines(envelope: ContextEnvelope, { recordedLine }: SessionToPlan): ContextEnvelope {
  const { at } = envelope;
  return { ...envelope, at: { ...at, line: at.line === null ? null : (recordedLine?.(at.line) ?? null) } };
}
