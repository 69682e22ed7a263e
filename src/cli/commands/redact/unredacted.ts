import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { Redactor } from '#change/redact/redactor.js';
import type { OpenSession } from '#context/open.js';
import { MaskedValues } from './masked-values.js';

/** Counts what `--redact` would replace in sessions that are about to be passed on without it. */
export class UnredactedSecrets {
  private readonly redactor: Redactor;
  private readonly found = new MaskedValues();

  /** `isPersonal`: e-mail addresses and the names of users in paths count too. */
  constructor({ isPersonal = false }: { readonly isPersonal?: boolean } = {}) {
    this.redactor = new Redactor({ values: [], patterns: [], isPersonal });
  }

  /** Counts what `--redact` would replace. A file that cannot be searched, because of too long a line, adds nothing. */
  async add({ source, file }: Pick<OpenSession, 'source' | 'file'>): Promise<void> {
    try {
      await this.redactor.redact(source, file, { onReplaced: (stretch) => this.found.add(stretch) });
    } catch (error) {
      if (!(error instanceof CtxError)) throw error;
    }
  }

  /** A warning with the numbers; none where nothing is found. `what`: the sessions, in words. */
  problems(what: string): readonly Problem[] {
    const all = this.found.describeAll();
    if (all === '') return [];
    const code = this.found.secrets > 0 ? 'secrets' : 'personal';
    return [buildWarning(code, `${what} contains ${all}: add --redact before you share this`)];
  }
}

/** Finds the secrets that one session would show. See `UnredactedSecrets`. */
export async function findUnredacted(
  session: OpenSession,
  isRedacted: boolean,
  options: ConstructorParameters<typeof UnredactedSecrets>[0] = {},
): Promise<readonly Problem[]> {
  if (isRedacted) return [];
  const secrets = new UnredactedSecrets(options);
  await secrets.add(session);
  return secrets.problems('the session');
}

/** A warning with the number of e-mail addresses and names of users that a copy without secrets keeps. */
export async function findPersonal({
  source,
  file,
}: Pick<OpenSession, 'source' | 'file'>): Promise<readonly Problem[]> {
  const found = new MaskedValues();
  const redactor = new Redactor({ values: [], patterns: [], isPersonal: true });
  await redactor.redact(source, file, { onReplaced: (stretch) => found.add(stretch) });
  const personal = found.describePersonal();
  return personal === '' ? [] : [buildWarning('personal', `the copy keeps ${personal}: --personal replaces them`)];
}
