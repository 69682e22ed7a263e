import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { buildImportLines } from '#change/migrate/import-session.js';
import { StockEntryBuilder } from '#change/migrate/stock-entries.js';
import { AGENTS } from '#session/agents/index.js';
import type { Session } from '#session/session.js';
import { type Doc, fileHeading, line } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { outputFile, renderOutput, renderResume, writeNewSession } from '../new-session.js';
import { openNamedSession, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { ImportDocument } from './document.js';

const FLAGS = { output: shared.newSession, 'dry-run': shared.dryRun, force: shared.force };

const TITLES = new Intl.ListFormat('en', { type: 'disjunction' }).format(AGENTS.map(({ title }) => title).toSorted());

export default defineCommand({
  name: 'import',
  summary: "Save another agent's session as a session of Pi",
  description:
    `Reads a session of ${TITLES} and writes a session of Pi, version 3, with every ` +
    'branch and the same messages at every entry. Nothing that the file does not record is invented. The exit code is 1 ' +
    'if a damaged line was left out.',
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx import ~/.claude/projects/-work-app/0b1c2d3e.jsonl -o imported.jsonl',
    'ctx import rollout.jsonl --dry-run',
  ],
  async run(input) {
    return importSession(input, await openNamedSession(input, input.args[0]));
  },
});

async function importSession({ io, flags }: CommandInput<typeof FLAGS>, session: Session): Promise<Outcome> {
  const { file, agent } = session;
  const hint = 'copy the file, or see ctx extract';
  if (!agent) throw new CtxError('input', 'this is a session of Pi already', { where: file, hint });
  const output = outputFile(flags);
  const entries = new StockEntryBuilder(session);
  let newSize = 0;
  const countBytes = function* (): Generator<Uint8Array> {
    for (const bytes of buildImportLines(session, entries)) {
      newSize += bytes.length;
      yield bytes;
    }
  };
  if (output === null) for (const _ of countBytes());
  else await writeNewSession(io, flags, { bytes: countBytes(), from: file });
  const data: ImportDocument = {
    schema: 'ctx/import',
    schemaVersion: 1,
    file,
    output,
    agent: agent.name,
    agentVersion: agent.version,
    sessionId: session.header.id,
    entries: session.tree.heads.length,
    replacements: entries.replacements,
    addedEntries: entries.added,
    ignoredTransforms: entries.ignoredTransforms,
    movedResults: entries.results.moved,
    contextWindow: agent.contextWindow?.tokens ?? null,
    unusedLines: agent.unusedLines,
    lostLines: session.scan.damaged.length,
    lostParents: session.problems.filter(({ code }) => code === 'orphan').length,
    newSize,
  };
  const problems = [...session.problems, ...warnLateResults(entries.results.left)];
  const doc = (): Doc => renderImport(data, agent.title);
  return { kind: 'single', item: { data, doc }, problems, file, exitCode: data.lostLines > 0 ? 1 : 0 };
}

function warnLateResults(answers: number): readonly Problem[] {
  if (answers === 0) return [];
  const results = `the results of ${pluralize(answers, 'answer')} stay after a message, which providers refuse`;
  return [buildWarning('result-out-of-order', `${results}: ctx check lists them, ctx repair moves them`)];
}

function renderImport(data: ImportDocument, title: string): Doc {
  const { file, agentVersion, entries, unusedLines, lostLines, replacements, addedEntries, ignoredTransforms } = data;
  const histories = pluralize(replacements, 'replaced history', 'replaced histories');
  return [
    fileHeading(file),
    line(`${title}${agentVersion === null ? '' : ` ${agentVersion}`}: ${pluralize(entries, 'entry', 'entries')}`),
    ...(replacements > 0 ? [line(`${histories}: ${pluralize(addedEntries, 'entry', 'entries')} added for Pi`)] : []),
    ...(ignoredTransforms > 0
      ? [
          line(
            `Pi ignores ${pluralize(ignoredTransforms, 'transform')} with the recorded prompt or tools; ctx reads them`,
          ),
        ]
      : []),
    ...renderMoved(data),
    ...renderWindow(data),
    ...(unusedLines > 0 ? [line(`${pluralize(unusedLines, 'line')} of display state left out`)] : []),
    ...(lostLines > 0 ? [line(`${pluralize(lostLines, 'damaged line')} left out: see ctx check`)] : []),
    ...renderOrphans(data),
    renderOutput(data),
    ...renderResume(data.output),
  ];
}

function renderMoved({ movedResults: moved }: ImportDocument): Doc {
  const results = `${pluralize(moved, 'result')} moved to ${moved === 1 ? 'its call' : 'their calls'}`;
  return moved === 0 ? [] : [line(`${results}, before a message between: Pi would answer these calls twice`)];
}

function renderOrphans({ lostParents: lost }: ImportDocument): Doc {
  const entries = `${pluralize(lost, 'entry', 'entries')} without ${lost === 1 ? 'its parent' : 'their parents'}`;
  return lost === 0 ? [] : [line(`${entries}: ctx repair links ${lost === 1 ? 'it' : 'them'} to the entry before`)];
}

/** The context window that the file reveals, which commands on the import use. */
function renderWindow({ contextWindow: own }: ImportDocument): Doc {
  return own === null ? [] : [line(`context window: ${formatCount(own)} tokens, also for the import`)];
}
