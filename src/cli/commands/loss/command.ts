import { auditLoss, noLoss, sentBy } from '#analysis/loss/audit.js';
import type { LossDocument } from '#analysis/loss/document.js';
import { CLASSES } from '#analysis/loss/facts.js';
import type { InputRule } from '#analysis/loss/ledger.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import type { OpenSession } from '#context/open.js';
import { preview } from '#context/words/message-text.js';
import { newestCompaction, resolveRevision } from '#session/tree/revision.js';
import { headAtLine } from '#session/tree/tree.js';
import type { Doc } from '#ui/doc/doc.js';
import { defineCommand, reported } from '../define.js';
import { type Flag, text, toggle } from '../flags.js';
import { openNamed, sessionArgument } from '../session.js';
import { lossDoc } from './view.js';

const NO_SUMMARY = 'no-summary';
const FAILURES: readonly string[] = [NO_SUMMARY, ...CLASSES];
/** The former name of `no-summary`, which is still its key in JSON. */
const UNACCOUNTED = 'unaccounted';

const FLAGS = {
  'fail-on': failures(),
  pi: text('VERSION', 'the version of Pi that compacted (default: from the date of the compaction)'),
  full: toggle('list every entry in no summary, and every missing fact'),
};

export default defineCommand({
  name: 'loss',
  summary: 'Show what a compaction lost',
  description:
    'Accounts for every message before a compaction made by Pi or by ctx: kept, summarised, edited out, or in no ' +
    'summary. Then searches the summary for the instructions, decisions, errors, files and results in the removed messages, ' +
    'by their words, names and paths. Changes nothing.',
  args: [
    sessionArgument,
    { name: 'rev', help: 'the compaction, or an entry after it (default: @{compaction})', isRevision: true },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx loss session.jsonl',
    "ctx loss session.jsonl '@{compaction}' --full",
    'ctx loss latest --fail-on no-summary,edits',
  ],
  async run(input) {
    const { args, flags } = input;
    const [file, revision] = args;
    const session = await openNamed(input, file);
    const at = revision === undefined ? newestCompaction(session) : resolveRevision(session, revision);
    if (!at && revision !== undefined)
      throw new CtxError('usage', 'the session is empty', { where: session.file, hint: 'name another one' });
    const rule = flags.pi === undefined ? undefined : ruleOfVersion(flags.pi);
    const { readPatch } = session;
    const loss = at ? auditLoss({ session, readPatch, rule }, at) : noLoss(session);
    const previewOf = (place: number): string => previewAt(session, place);
    const isFailed = (flags['fail-on'] ?? []).some((name) => fails(loss, name));
    const doc = (): Doc => lossDoc(loss, { isFull: flags.full ?? false, previewOf });
    return reported({ data: loss, doc }, session, isFailed ? 1 : 0);
  },
});

function fails({ counts, facts }: LossDocument, name: string): boolean {
  if (name === NO_SUMMARY) return counts.unaccounted > 0;
  return facts.some(({ class: factClass, mention }) => factClass === name && mention === 'missing');
}

function failures(): Flag<readonly string[]> {
  return {
    placeholder: 'WHAT',
    help: `exit with 1 if some of it is lost, separated by commas: ${FAILURES.join(', ')}`,
    parse(raw) {
      const said = raw.split(',').map((name) => name.trim());
      const names = said.map((name) => (name === UNACCOUNTED ? NO_SUMMARY : name));
      const unknown = names.find((name) => !FAILURES.includes(name));
      if (unknown === undefined) return names;
      throw new CtxError('usage', `"${unknown}" is nothing to fail on`, { hint: `choose from ${FAILURES.join(', ')}` });
    },
  };
}

/** Since 0.63.1, Pi includes the retained tail of the previous compaction in the summary. */
function ruleOfVersion(version: string): InputRule {
  const [, major, minor, patch] = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?/.exec(version) ?? [];
  if (major === undefined) {
    throw new CtxError('usage', `"${version}" is not a version`, { hint: 'write it as 0.58.3 or 1.5' });
  }
  const number = Number(major) * 1e12 + Number(minor) * 1e6 + Number(patch ?? 0);
  return number < 63e6 + 1 ? 'after-compaction' : 'kept-boundary';
}

function previewAt(session: OpenSession, place: number): string {
  const head = headAtLine(session, place);
  if (!head) return '';
  const message = sentBy(session, head);
  return message ? preview(message) : (asString(session.entry(head)['summary']) ?? head.type ?? '');
}
