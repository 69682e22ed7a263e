import path from 'node:path';
import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { draftCopyTo } from '#change/copy/copy-draft.js';
import { buildSessionId, planExtract } from '#change/migrate/extract.js';
import { buildImportSource } from '#change/migrate/import-session.js';
import { buildIdSource } from '#change/plan/entry-stamps.js';
import type { OpenSession } from '#context/open.js';
import type { AgentCopier } from '#session/agents/copier.js';
import { findCopier } from '#session/agents/index.js';
import { formatId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import { type Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { type Doc, fileHeading, line, span } from '#ui/doc/doc.js';
import { executeCopy } from '../../copy/execute-copy.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { hiddenFlag, textFlag } from '../flags.js';
import { readOutputFile, readWrittenPieces, renderOutput, renderResume, writeNewSession } from '../new-session.js';
import { buildNotInstalledError, openToCopy } from '../session-to-plan.js';
import { openNamedSession, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { ExtractionDocument } from './document.js';

const FLAGS = {
  from: textFlag('REV', 'the first entry (default: the root of the path)'),
  to: { ...hiddenFlag(textFlag('REV', 'the last entry')), excludes: ['[rev]'] },
  ...shared.newSessionOrCopy,
  'dry-run': shared.dryRun,
  force: shared.force,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'extract',
  summary: 'Save a branch as a new session',
  description:
    'Writes the path to an entry to a new session file of version 3, as Pi does when it forks, with the same context ' +
    'at that entry. With --from, the file begins at that entry, after a checkpoint of the context before it. Of a session ' +
    'of Claude Code or Codex, it writes a copy that ends at the entry, which the agent resumes.',
  args: [
    sessionArgument,
    { ...revisionArgument, help: 'the last entry (default: HEAD); without a session, it names one of the latest' },
  ],
  flags: FLAGS,
  examples: [
    'ctx extract session.jsonl --output branch.jsonl',
    'ctx extract session.jsonl 5be19c02 --output branch.jsonl',
    "ctx extract session.jsonl --from '@{turn:-2}' --output end.jsonl",
    "ctx extract latest:claude '@{turn:1}' --install",
  ],
  async run(input) {
    const session = await openNamedSession(input, input.args[0]);
    const copier = findCopier(session);
    if (copier) return extractCopy(input, session, copier);
    if (input.flags.install) throw buildNotInstalledError(session);
    return extract(input, session.agent ? readSession(buildImportSource(session).source, session.file) : session);
  },
});

async function extract({ io, args, flags }: Input, session: Session): Promise<Outcome> {
  const { file } = session;
  const to = resolveRevision(session, flags.to ?? args[1] ?? 'HEAD');
  if (!to) throw new CtxError('input', 'the session has no entry', { where: file, hint: 'name another session' });
  const from = flags.from === undefined ? null : resolveRevision(session, flags.from);
  const header = {
    type: 'session',
    version: 3,
    id: buildSessionId(io.now(), io.newId),
    timestamp: new Date(io.now()).toISOString(),
    cwd: session.header.cwd ?? io.cwd,
    parentSession: file === '-' ? undefined : path.resolve(io.cwd, file),
  };
  const newId = buildIdSource(session, io.newId);
  const { result, ...counts } = planExtract(session, { from, to, header, newId });
  await writeNewSession(io, flags, { bytes: readWrittenPieces(io, result), from: file });
  const data: ExtractionDocument = {
    schema: 'ctx/extraction',
    schemaVersion: 1,
    file,
    output: readOutputFile(flags),
    sessionId: header.id,
    from: formatId(from?.id),
    to: formatId(to.id),
    ...counts,
    newSize: result.size,
  };
  return { kind: 'single', item: { data, doc: () => renderExtraction(data) }, problems: [] };
}

/** Writes a copy of another agent's session that ends at an entry. */
async function extractCopy(
  { io, args, flags, configuredLimit }: Input,
  opened: OpenSession,
  copier: AgentCopier,
): Promise<Outcome> {
  const { file, agent } = opened;
  if (flags.from !== undefined) {
    throw new CtxError('refused', `a session of ${agent?.title ?? 'this agent'} cannot begin at a later entry`, {
      where: file,
      hint: 'leave --from out; ctx compact replaces what comes before by a summary',
    });
  }
  const session = await openToCopy(opened, copier, flags);
  const { leaf } = session.tree;
  const to = resolveRevision(session, flags.to ?? args[1] ?? 'HEAD');
  if (!to || !leaf)
    throw new CtxError('input', 'the session has no entry', { where: file, hint: 'name another session' });
  const isWhole = to.index === leaf.index;
  const copy = draftCopyTo(session, isWhole ? null : to);
  const account = { to: formatId(to.id), entries: pathTo(session.tree, to).length };
  const length = pluralize(account.entries, 'entry', 'entries');
  const title = isWhole
    ? `all of it, ${length}`
    : `up to ${account.to}, ${length} of ${pathTo(session.tree, leaf).length}`;
  const aside = (isWhole ? session.tree.heads.length : to.index + 1) - account.entries;
  const remarks =
    aside > 0 ? [`${pluralize(aside, 'entry', 'entries')} of other branches before it stay in the copy`] : [];
  const planned = { session, command: 'extract', copy };
  const about = { key: 'extraction' as const, data: account, doc: [] };
  return executeCopy(io, planned, { ...flags, configuredLimit, title, remarks, about });
}

function renderExtraction(data: ExtractionDocument): Doc {
  const { file, entries, checkpoint, labels, leftOut, tookWholePath, from } = data;
  const whole = `the context depends on entries before ${from}, so the whole path is kept`;
  const before = `${pluralize(leftOut, 'entry', 'entries')} before ${from} left out; the checkpoint has their context`;
  const after = checkpoint > 0 ? `, after a checkpoint of ${pluralize(checkpoint, 'entry', 'entries')}` : '';
  return [
    fileHeading(file),
    line(`${pluralize(entries, 'entry', 'entries')} of the path${after}`),
    ...(labels > 0 ? [line(pluralize(labels, 'label'))] : []),
    ...(leftOut > 0 ? [line(before)] : []),
    ...(tookWholePath ? [line(span(whole, 'warning'))] : []),
    renderOutput(data),
    ...renderResume(data.output),
  ];
}
