import path from 'node:path';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import { isBelow } from '#cli/sessions/folders.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { ArchiveReader, ArchiveWriter } from '#platform/files/archive-folder.js';
import type { Io } from '#platform/io.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { textFlag } from '../flags.js';
import * as shared from '../shared-flags.js';
import { archiveFile, type ArchiveResult } from './archive-file.js';
import type { ArchiveDocument, CopiedFile, Counts } from './document.js';
import { chooseArchiveFolder } from './folder.js';
import { listSources, type SourceFile } from './sources.js';
import { renderArchive } from './view.js';

const FLAGS = {
  agent: textFlag('NAME', 'only sessions of this agent: pi, or another one such as claude-code'),
  to: textFlag('DIR', "the folder of the archive (default: the configured one, else ctx/archive in the user's data)"),
  'dry-run': shared.dryRun,
  ...shared.configFlags,
};

export default defineCommand({
  name: 'archive',
  summary: 'Keep copies of sessions before their agents delete them',
  description:
    'Copies sessions with what belongs to them, such as subagents and results of tools, to a folder that all commands ' +
    'read. A copy is compressed, and read back before it counts. Only what has changed since the last run is copied. ' +
    'Nothing is removed from the archive: the copies of deleted sessions stay, and so does an earlier copy with ' +
    'something that the session has lost. The exit code is 1 if a file could not be archived.',
  args: [
    {
      name: 'sessions',
      help: 'sessions and folders to archive, as for ctx check (default: the sessions of all agents)',
      isMany: true,
    },
  ],
  flags: FLAGS,
  examples: [
    'ctx archive',
    'ctx archive --agent claude-code --dry-run',
    'ctx archive --to /mnt/backup/sessions',
    'ctx archive latest:codex project/sessions',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const folder = await chooseArchiveFolder(io, flags.to, flags);
    const names = args.filter((name) => name !== undefined);
    const { files, unreadable } = await listSources(io, names, flags.agent);
    const sources = files.filter(({ file }) => !isBelow(path.resolve(io.cwd || '/', file), folder));
    const results = sources.length === 0 ? [] : await archiveAll(input, sources, folder);
    const data = buildDocument(folder, flags['dry-run'] ?? false, results, unreadable);
    return buildOutcome(data, sources.length);
  },
});

/** A file with what was done, or with the reason why nothing was. */
type Result = SourceFile & ({ readonly done: ArchiveResult } | { readonly error: string });

async function archiveAll(
  { io, flags }: CommandInput<typeof FLAGS>,
  sources: readonly SourceFile[],
  folder: string,
): Promise<readonly Result[]> {
  if (flags['dry-run']) return archiveEach(io, sources, { reader: await io.readArchive(folder), writer: null });
  const writer = await io.openArchive(folder);
  try {
    return await archiveEach(io, sources, { reader: writer, writer });
  } finally {
    await writer.release();
  }
}

/** Archives several files at a time: compressing and decompressing have threads of their own. */
async function archiveEach(
  io: Io,
  sources: readonly SourceFile[],
  archive: { readonly reader: ArchiveReader; readonly writer: ArchiveWriter | null },
): Promise<readonly Result[]> {
  await using progress = startProgress(io, sources.length, 'files');
  const results: Result[] = [];
  const left = sources.values();
  const work = async (): Promise<void> => {
    for (const source of left) {
      results.push(await settle(source, archiveFile(io, source, archive)));
      progress.step();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return results;
}

/** The files that are archived at a time. */
const AT_ONCE = 4;

/** Waits for the result of a file. What is wrong with the file is a result too. */
async function settle(source: SourceFile, archiving: Promise<ArchiveResult>): Promise<Result> {
  try {
    return { ...source, done: await archiving };
  } catch (error) {
    if (error instanceof CtxError && error.kind !== 'bug') return { ...source, error: error.message };
    throw error;
  }
}

function buildDocument(
  folder: string,
  isDryRun: boolean,
  results: readonly Result[],
  unreadable: readonly string[],
): ArchiveDocument {
  const sorted = results.toSorted((a, b) => (a.file < b.file ? -1 : 1));
  const agents = [...new Set(sorted.filter(({ isSession }) => isSession).map(({ agent }) => agent))];
  return {
    schema: 'ctx/archive',
    schemaVersion: 1,
    folder,
    isDryRun,
    agents: agents.map((agent) => {
      return { agent, ...countResults(sorted.filter((one) => one.isSession && one.agent === agent)) };
    }),
    sideFiles: countResults(sorted.filter(({ isSession }) => !isSession)),
    copied: sorted.flatMap((one) => toCopiedFile(one, folder)),
    failed: [
      ...sorted.flatMap((one) => ('error' in one ? [{ file: one.file, error: one.error }] : [])),
      ...unreadable.map((file) => ({ file, error: 'this folder cannot be read' })),
    ],
  };
}

function countResults(results: readonly Result[]): Counts {
  const counts = { new: 0, grown: 0, rewritten: 0, unchanged: 0, failed: 0 };
  for (const result of results) counts['done' in result ? result.done.change : 'failed'] += 1;
  return counts;
}

function toCopiedFile(result: Result, folder: string): readonly CopiedFile[] {
  if (!('done' in result)) return [];
  const { file, agent, isSession, done } = result;
  const { change, copy, kept, size } = done;
  if (change === 'unchanged') return [];
  const keptFile = copy === null || kept === null ? null : path.join(folder, kept);
  return [
    {
      file,
      agent,
      isSession,
      change,
      copy: copy?.file ?? null,
      kept: keptFile,
      size,
      copySize: copy?.storedSize ?? null,
    },
  ];
}

/** The outcome of archiving a number of files, with a warning for each that failed. */
function buildOutcome(data: ArchiveDocument, sources: number): Outcome {
  const problems: Problem[] = data.failed.map(({ file, error }) => buildWarning('not-archived', `${file}: ${error}`));
  if (sources === 0) problems.push(buildWarning('no-session', 'there is no session to archive'));
  const item = { data, doc: () => renderArchive(data) };
  return { kind: 'single', item, problems, exitCode: problems.length > 0 ? 1 : 0 };
}
