import type { OpenSession } from '#context/open.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { AssemblyDocument } from '#lab/assembly-document.js';
import { listCacheBreakpoints } from '#lab/injectors/cache-breakpoints.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import type { Outcome } from '../define.js';
import type { RequestFormat } from '../export/formats/define.js';
import { exportFormats } from '../export/formats/index.js';
import { saveExport, toExportResult } from '../export/output.js';
import { choiceFlag, type FlagValues, textFlag } from '../flags.js';
import type * as shared from '../shared-flags.js';

const formats = exportFormats.filter((format): format is RequestFormat => format.takes === 'request');

/** The flags that make a provider's request of the one that an engine builds. */
export const exportFlags = {
  export: choiceFlag(
    'FORMAT',
    formats.map(({ name }) => name),
    'print the request as ctx export does',
  ),
  model: { ...textFlag('NAME', 'the model of the exported request (default: the recorded one)'), needs: ['export'] },
};

interface ToExport {
  readonly session: OpenSession;
  readonly at: Head | null;
  readonly assembled: AssemblyDocument;
  /** The recorded context there. */
  readonly declared: ContextEnvelope;
}

type ExportFlags = Partial<FlagValues<typeof exportFlags & typeof shared.writingFlags>> & { readonly export: string };

/** The request of an engine in a format of `ctx export`, printed or in a new file. */
export async function exportAssembly(
  io: Io,
  { session, at, assembled, declared }: ToExport,
  flags: ExportFlags,
): Promise<Outcome> {
  const { export: name, model, output, force } = flags;
  const { system, tools, options, messages } = assembled;
  const envelope = { ...declared, system, tools, options, messages };
  const format = formats.find((each) => each.name === name);
  const breakpoints = assembled.placed.some(({ cache }) => cache !== null)
    ? { breakpoints: listCacheBreakpoints(assembled) }
    : {};
  const request = { session, at, envelope, model, maxTokens: undefined, ...breakpoints };
  const { pieces = [], problems = [] } = format?.write(request) ?? {};
  const all = [...declared.meta.diagnostics, ...problems];
  if (output === undefined) return { kind: 'pieces', pieces, end: () => ({ problems: all, file: session.file }) };
  const bytes = await saveExport(output, { io, force, format: name, pieces, like: session.file });
  const report = toExportResult({ format: name, output, sessions: 1, files: [{ file: output, bytes, rows: null }] });
  return { kind: 'single', item: report, problems: all, file: session.file };
}
