import { buildRedactedSource } from '#change/redact/redacted-files.js';
import type { RedactedStretch } from '#change/redact/redaction.js';
import type { Redactor } from '#change/redact/redactor.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { Outcome } from '../define.js';
import { readOutputFile, readWrittenPieces, writeNewSession } from '../new-session.js';
import { buildAccount, chooseExitCode } from './account.js';
import type { RedactionDocument } from './document.js';
import type { RedactInput } from './flags.js';
import { findUnmatchedNames } from './redaction-rules.js';
import { startSearchProgress } from './search-progress.js';
import { findPersonal } from './unredacted.js';
import { renderRedaction } from './view.js';

/** A session of Pi, or one of another agent as Pi would read it. */
interface Original {
  readonly file: string;
  readonly source: ByteSource;
  /** Damaged lines of the file, which the source lacks. */
  readonly lostLines: number;
  /** The other agent that wrote the file; null for Pi. */
  readonly agent: string | null;
  /** The line of the file that a line of an import comes from. */
  recordedLine?(line: number): number | null;
  /** Throws if another program has written to it. */
  check(): void;
}

/** Writes a session of Pi without secrets. */
export async function redactToPi({ io, flags }: RedactInput, redactor: Redactor, original: Original): Promise<Outcome> {
  const { file, source, check, lostLines, agent, recordedLine = () => null } = original;
  // Other files are refused before the search.
  readSession(source, file);
  const replacements: RedactedStretch[] = [];
  const progress = startSearchProgress(io, source);
  const listeners = {
    onReplaced: ({ line, ...stretch }: RedactedStretch) =>
      void replacements.push({ ...stretch, line: recordedLine(line) ?? line }),
    onBatch: () => progress.step(),
  };
  const pieces = await redactor.redact(source, file, listeners).finally(() => progress.clear());
  const result = buildRedactedSource(source, pieces);
  await writeNewSession(io, flags, { bytes: readWrittenPieces(io, result), from: file, check });

  const account = buildAccount(replacements, lostLines);
  const data: RedactionDocument = {
    schema: 'ctx/redaction',
    schemaVersion: 1,
    file,
    output: readOutputFile(flags),
    oldSize: source.size,
    newSize: result.size,
    ...account,
  };
  const personal = flags.personal ? [] : await findPersonal({ source, file });
  return {
    kind: 'single',
    item: { data, doc: () => renderRedaction(data, agent) },
    problems: [...findUnmatchedNames(io.env, flags.env), ...personal],
    exitCode: chooseExitCode(account),
  };
}
