import { CtxError, type Problem, warning } from '#base/errors.js';
import { count, plural } from '#base/words.js';
import { importedLines, StockEntries } from '#change/migrate/stock-entries.js';
import type { JsonOf } from '#cli/schemas.js';
import { AGENTS } from '#session/agents/index.js';
import type { Session } from '#session/session.js';
import { type Doc, fileHeading, line } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { outputLine, outputOf, resumeBlocks, writeNew } from '../new-session.js';
import { openNamed, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';

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
    return imported(input, await openNamed(input, input.args[0]));
  },
});

async function imported({ io, flags }: CommandInput<typeof FLAGS>, session: Session): Promise<Outcome> {
  const { file, foreign } = session;
  const hint = 'copy the file, or see ctx extract';
  if (!foreign) throw new CtxError('input', 'this is a session of Pi already', { where: file, hint });
  const output = outputOf(flags);
  const entries = new StockEntries(session);
  let newSize = 0;
  const counted = function* (): Generator<Uint8Array> {
    for (const bytes of importedLines(session, entries)) {
      newSize += bytes.length;
      yield bytes;
    }
  };
  if (output === null) for (const _ of counted());
  else await writeNew(io, flags, { bytes: counted(), from: file });
  const data: JsonOf<'import'> = {
    schema: 'ctx/import',
    schemaVersion: 1,
    file,
    output,
    agent: foreign.name,
    agentVersion: foreign.version,
    sessionId: session.header.id,
    entries: session.tree.heads.length,
    replacements: entries.replacements,
    addedEntries: entries.added,
    ignoredTransforms: entries.ignoredTransforms,
    movedResults: entries.results.moved,
    contextWindow: foreign.contextWindow?.tokens ?? null,
    unusedLines: foreign.unusedLines,
    lostLines: session.scan.lost.length,
    lostParents: session.problems.filter(({ code }) => code === 'orphan').length,
    newSize,
  };
  const problems = [...session.problems, ...lateResults(entries.results.left)];
  const doc = (): Doc => docOf(data, foreign.title);
  return { kind: 'report', report: { data, doc }, problems, file, exitCode: data.lostLines > 0 ? 1 : 0 };
}

function lateResults(answers: number): readonly Problem[] {
  if (answers === 0) return [];
  const results = `the results of ${plural(answers, 'answer')} stay after a message, which providers refuse`;
  return [warning('result-out-of-order', `${results}: ctx check lists them, ctx repair moves them`)];
}

function docOf(data: JsonOf<'import'>, title: string): Doc {
  const { file, agentVersion, entries, unusedLines, lostLines, replacements, addedEntries, ignoredTransforms } = data;
  const histories = plural(replacements, 'replaced history', 'replaced histories');
  return [
    fileHeading(file),
    line(`${title}${agentVersion === null ? '' : ` ${agentVersion}`}: ${plural(entries, 'entry', 'entries')}`),
    ...(replacements > 0 ? [line(`${histories}: ${plural(addedEntries, 'entry', 'entries')} added for Pi`)] : []),
    ...(ignoredTransforms > 0
      ? [line(`Pi ignores ${plural(ignoredTransforms, 'transform')} with the recorded prompt or tools; ctx reads them`)]
      : []),
    ...movedRow(data),
    ...windowRow(data),
    ...(unusedLines > 0 ? [line(`${plural(unusedLines, 'line')} of display state left out`)] : []),
    ...(lostLines > 0 ? [line(`${plural(lostLines, 'damaged line')} left out: see ctx check`)] : []),
    ...orphansRow(data),
    outputLine(data),
    ...resumeBlocks(data.output),
  ];
}

function movedRow({ movedResults: moved }: JsonOf<'import'>): Doc {
  const results = `${plural(moved, 'result')} moved to ${moved === 1 ? 'its call' : 'their calls'}`;
  return moved === 0 ? [] : [line(`${results}, before a message between: Pi would answer these calls twice`)];
}

function orphansRow({ lostParents: lost }: JsonOf<'import'>): Doc {
  const entries = `${plural(lost, 'entry', 'entries')} without ${lost === 1 ? 'its parent' : 'their parents'}`;
  return lost === 0 ? [] : [line(`${entries}: ctx repair links ${lost === 1 ? 'it' : 'them'} to the entry before`)];
}

/** The context window that the file reveals, which commands on the import use. */
function windowRow({ contextWindow: own }: JsonOf<'import'>): Doc {
  return own === null ? [] : [line(`context window: ${count(own)} tokens, also for the import`)];
}
