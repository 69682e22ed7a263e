import type { JsonObject } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { Head } from '#session/heads/head.js';
import type { SecretClass } from '../../secrets/define.js';
import { listSecretAnchors } from '../../secrets/find-secrets.js';
import { findEntrySecrets, maskSecret, type PlacedSecret } from '../../secrets/secrets-in-entry.js';
import { defineRule, type Hit, type Rule, type RuleDefinition } from '../define.js';

interface SecretRule extends Pick<Rule, 'severity' | 'summary' | 'help' | 'example'> {
  readonly name: SecretClass;
  readonly fix: string;
}

/** Defines a rule that reports the secrets of its class. */
export function defineSecretRule({ fix, ...about }: SecretRule): RuleDefinition {
  return defineRule({
    ...about,
    looksAt: 'entry',
    anchors: listSecretAnchors(about.name),
    find: (entry, head) => listSecretHits(findSecretsOnce(entry), about.name, head, fix),
  });
}

/** The secrets of each entry, so that an entry is searched once for all rules. Each secret belongs to one rule. */
const findSecretsOnce = memoizeByObject((entry: JsonObject) => findEntrySecrets(entry));

/** Yields one hit for each distinct secret of a text. */
function* listSecretHits(
  secrets: readonly PlacedSecret[],
  secretClass: SecretClass,
  head: Head,
  fix: string,
): Generator<Hit> {
  const seen = new Set<string>();
  for (const secret of secrets) {
    if (secret.secretClass !== secretClass) continue;
    const value = secret.text.slice(secret.start, secret.end);
    const key = `${secret.place}\n${value}`;
    if (seen.has(key)) continue;
    seen.add(key);
    yield { message: `secret in plain text: ${secret.kind} ${maskSecret(value)}`, at: head, place: secret.place, fix };
  }
}
