import { pluralize } from '#base/numbers.js';
import { readForCopy } from '#change/copy/session-to-copy.js';
import { redactForCopy } from '#change/redact/redact-copy.js';
import type { RedactionRules } from '#change/redact/redaction.js';
import { Redactor } from '#change/redact/redactor.js';
import type { OpenSession } from '#context/open.js';
import type { AgentCopier } from '#session/agents/copier.js';
import { line } from '#ui/doc/doc.js';
import { executeCopy } from '../../copy/execute-copy.js';
import type { Outcome } from '../define.js';
import { openToCopy } from '../session-to-plan.js';
import { buildAccount, chooseExitCode } from './account.js';
import type { RedactInput } from './flags.js';
import { findUnmatchedNames } from './redaction-rules.js';
import { startSearchProgress } from './search-progress.js';
import { findPersonal } from './unredacted.js';
import { describeReplaced, renderAccount } from './view.js';

/** Writes a copy of another agent's session without secrets, which the agent resumes. */
export async function redactAgentSession(
  { io, flags, configuredLimit }: RedactInput,
  rules: RedactionRules,
  opened: OpenSession,
  copier: AgentCopier,
): Promise<Outcome> {
  // No client resumes a subagent, but one may be shared.
  const isShared = opened.agent?.isSubagent && !flags.install;
  const original = isShared ? await readForCopy(opened, copier) : await openToCopy(opened, copier, flags);
  const progress = startSearchProgress(io, original.source);
  const stamps = { now: io.now, newId: io.newId, onBatch: () => progress.step() };
  const redactor = new Redactor(rules, copier.records.members);
  const redacted = await redactForCopy(original, redactor, stamps).finally(() => progress.clear());

  const { session, copy, withoutThinking, replacements } = redacted;
  const account = buildAccount(replacements, opened.scan.damaged.length);
  const answers = pluralize(withoutThinking, 'answer');
  const outcome = await executeCopy(
    io,
    { session, command: 'redact', copy },
    {
      ...flags,
      configuredLimit,
      isAlone: true,
      title: describeReplaced(account),
      remarks: withoutThinking > 0 ? [`the thinking of ${answers} is left out whole: its signature would not fit`] : [],
      about: { key: 'redaction', data: account, doc: renderAccount(account, flags['dry-run'] ?? false) },
    },
  );
  const isPointless = flags['dry-run'] && account.replacements.length === 0 && account.damagedLines === 0;
  const nothing = [line(`${describeReplaced(account)}; nothing to write`)];
  // An installed copy is the user's own.
  const personal = flags.personal || flags.install ? [] : await findPersonal(original);
  return {
    ...outcome,
    item: isPointless ? { ...outcome.item, doc: () => nothing } : outcome.item,
    problems: [...opened.problems, ...findUnmatchedNames(io.env, flags.env), ...personal],
    exitCode: chooseExitCode(account),
  };
}
