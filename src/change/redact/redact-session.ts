import { readSession } from '#session/read-session.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { buildRedactedSource } from './redacted-files.js';
import type { RedactedStretch, RedactionRules } from './redaction.js';
import { Redactor } from './redactor.js';

/** A session without secrets. */
export interface RedactedSession {
  readonly bytes: Uint8Array;
  /** The replaced secrets, and those that were found and had to stay. */
  readonly replacements: readonly RedactedStretch[];
}

/**
 * Replaces secrets with placeholders such as `[REDACTED:github-token:1]`, as `ctx redact` does: those that the built-in
 * rules find, and your own values and patterns (with the flags `d` and `g`). Throws a CtxError (input) for bytes that are
 * no session.
 */
export async function redactSession(bytes: Uint8Array, rules: Partial<RedactionRules> = {}): Promise<RedactedSession> {
  const source = toByteSource(bytes);
  readSession(source, '-');
  const redactor = new Redactor({ values: rules.values ?? [], patterns: rules.patterns ?? [] });
  const replacements: RedactedStretch[] = [];
  const onReplaced = (replacement: RedactedStretch): void => void replacements.push(replacement);
  const result = buildRedactedSource(source, await redactor.redact(source, '-', { onReplaced }));
  return { bytes: result.read(0, result.size), replacements };
}
