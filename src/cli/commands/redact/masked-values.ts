import { pluralize } from '#base/numbers.js';
import { PERSONAL_KINDS } from '#change/redact/personal-data.js';
import type { RedactedStretch } from '#change/redact/redaction.js';

/** Counts the values that were replaced, by what they are. A value has one placeholder in all sessions. */
export class MaskedValues {
  private readonly ofSecrets = new Set<string>();
  private readonly emails = new Set<string>();
  private readonly users = new Set<string>();

  add({ kind, placeholder }: Pick<RedactedStretch, 'kind' | 'placeholder'>): void {
    if (placeholder === null || kind === 'damaged line') return;
    this.findGroup(kind).add(placeholder);
  }

  private findGroup(kind: string): Set<string> {
    if (kind === PERSONAL_KINDS.email) return this.emails;
    return kind === PERSONAL_KINDS.user ? this.users : this.ofSecrets;
  }

  get secrets(): number {
    return this.ofSecrets.size;
  }

  /** E-mail addresses and users; empty without any. */
  describePersonal(): string {
    const parts: string[] = [];
    if (this.emails.size > 0) parts.push(pluralize(this.emails.size, 'e-mail address', 'e-mail addresses'));
    if (this.users.size > 0) parts.push(`${pluralize(this.users.size, 'user name')} in paths`);
    return parts.join(' and ');
  }

  /** All that was replaced; empty for nothing. */
  describeAll(): string {
    const personal = this.describePersonal();
    if (this.secrets === 0) return personal;
    const secrets = pluralize(this.secrets, 'secret');
    return personal === '' ? secrets : `${secrets}, ${personal}`;
  }

  /** All that was replaced, in a sentence. */
  describe(): string {
    const all = this.describeAll();
    return all === '' ? 'nothing to mask was found' : `masked: ${all}`;
  }
}
