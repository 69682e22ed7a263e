import type { Secret } from './define.js';
import { findSecretsNow } from './find-secrets.js';
import { isSecretName } from './patterns/assigned-secrets.js';

/** A text that is the value of a key, as it would stand behind its name in a text. */
export interface NamedValue {
  readonly text: string;
  /** What was found in that text, as far as it is all of the value. */
  wholeOf(found: readonly Secret[]): readonly Secret[];
}

const LONGEST_VALUE = 400;

/** null where the key is no name of a secret. */
export function namedValue(key: string | number, value: string): NamedValue | null {
  if (typeof key !== 'string' || value.length > LONGEST_VALUE || !isSecretName(key)) return null;
  const start = key.length + 2;
  return {
    text: `${key}="${value}"`,
    wholeOf: (found) =>
      found
        .filter((secret) => secret.start === start && secret.end === start + value.length)
        .map((secret) => ({ ...secret, start: 0, end: value.length })),
  };
}

/** The secrets in a text that is the value of a key: only after `preparePatterns`. */
export function secretsInValue(key: string | number, value: string): readonly Secret[] {
  const found = findSecretsNow(value);
  const named = found.length === 0 ? namedValue(key, value) : null;
  return named ? named.wholeOf(findSecretsNow(named.text)) : found;
}
