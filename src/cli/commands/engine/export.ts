import { plural } from '#base/words.js';
import { planOf } from '#change/plan/draft.js';
import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { AssemblyDocument } from '#engines/assembly-document.js';
import { draftBranch, type EndOfDrive } from '#engines/drive/branch.js';
import { cacheBreakpoints } from '#engines/injectors/cache-breakpoints.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/table/head.js';
import type { SessionToPlan } from '../apply/open.js';
import { executePlan, WRITING_FLAGS } from '../apply/plan.js';
import type { Outcome } from '../define.js';
import type { RequestFormat } from '../export/formats/define.js';
import { exportFormats } from '../export/formats/index.js';
import { savedTo, writtenReport } from '../export/output.js';
import { choice, flagsWith, text, toggle } from '../flags.js';

const formats = exportFormats.filter((format): format is RequestFormat => format.takes === 'request');

/** The flags that make a provider's request of the one that an engine builds. */
export const exportFlags = {
  export: choice(
    'FORMAT',
    formats.map(({ name }) => name),
    'print the request as ctx export does',
  ),
  model: { ...text('NAME', 'the model of the exported request (default: the recorded one)'), needs: ['export'] },
};

interface ToExport {
  readonly session: OpenSession;
  readonly at: Head | null;
  readonly assembled: AssemblyDocument;
  /** The recorded context there. */
  readonly declared: ContextEnvelope;
}

interface ExportFlags {
  readonly export: string;
  readonly model?: string | undefined;
  readonly output?: string | undefined;
  readonly force?: boolean | undefined;
}

/** The request of an engine in a format of `ctx export`, printed or in a new file. */
export async function exported(
  io: Io,
  { session, at, assembled, declared }: ToExport,
  flags: ExportFlags,
): Promise<Outcome> {
  const { export: name, model, output, force } = flags;
  const { system, tools, options, messages } = assembled;
  const envelope = { ...declared, system, tools, options, messages };
  const format = formats.find((each) => each.name === name);
  const breakpoints = assembled.placed.some(({ cache }) => cache !== null)
    ? { breakpoints: cacheBreakpoints(assembled) }
    : {};
  const request = { session, at, envelope, model, maxTokens: undefined, ...breakpoints };
  const { pieces = [], problems = [] } = format?.write(request) ?? {};
  const all = [...declared.meta.diagnostics, ...problems];
  if (output === undefined) return { kind: 'pieces', pieces, end: () => ({ problems: all, file: session.file }) };
  const bytes = await savedTo(output, { io, force, format: name, pieces, like: session.file });
  const report = writtenReport({ format: name, output, sessions: 1, files: [{ file: output, bytes, rows: null }] });
  return { kind: 'report', report, problems: all, file: session.file };
}

const { output, force, ...ofWriting } = WRITING_FLAGS;

/** The flags that write what an engine did to the transcript. */
export const writeFlags = {
  write: {
    ...toggle('append the compactions and rewrites of the engine, as a branch'),
    excludes: ['at', 'export'],
  },
  ...flagsWith({ needs: ['write'] }, ofWriting),
  output: {
    ...output,
    help: 'write the exported request, or a copy of the session with the branch',
    needs: ['write', 'export'],
  },
  force: { ...force, needs: ['write', 'export'] },
};

/** Appends the branch that an engine leaves. */
export async function writeBranch(
  io: Io,
  { session, end }: { readonly session: SessionToPlan; readonly end: EndOfDrive },
  flags: Parameters<typeof executePlan>[2],
): Promise<Outcome> {
  const { draft, leftOut } = draftBranch(session, end, io);
  const are = leftOut.length === 1 ? 'is' : 'are';
  const what = plural(leftOut.length, 'recorded compaction or transform', 'recorded compactions and transforms');
  const remarks = leftOut.length === 0 ? [] : [`${what} of messages ${are} left out: the engine did not make them`];
  return executePlan(io, { session, draft, plan: planOf(draft, 'engine run') }, { ...flags, remarks });
}
