import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { Redactor } from '#change/redact/redactor.js';
import type { OpenSession } from '#context/open.js';

/** Counts the secrets of sessions that are about to be passed on without `--redact`. */
export class UnredactedSecrets {
  private readonly redactor = new Redactor({ values: [], patterns: [] });
  /** A secret has one placeholder in all sessions. */
  private readonly found = new Set<string>();

  /** Counts what `--redact` would replace. A file that cannot be searched, because of too long a line, adds nothing. */
  async add({ source, file }: Pick<OpenSession, 'source' | 'file'>): Promise<void> {
    try {
      await this.redactor.redact(source, file, {
        onReplaced: ({ kind, placeholder }) => {
          if (placeholder !== null && kind !== 'damaged line') this.found.add(placeholder);
        },
      });
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }

  /** A warning with the number of secrets; none without a secret. `what`: the sessions, in words. */
  problems(what: string): readonly Problem[] {
    const { size } = this.found;
    if (size === 0) return [];
    return [
      buildWarning('secrets', `${what} contains ${pluralize(size, 'secret')}: add --redact before you share this`),
    ];
  }
}

/** Like `UnredactedSecrets`, for one session. */
export async function findUnredacted(session: OpenSession, isRedacted: boolean): Promise<readonly Problem[]> {
  if (isRedacted) return [];
  const secrets = new UnredactedSecrets();
  await secrets.add(session);
  return secrets.problems('the session');
}
