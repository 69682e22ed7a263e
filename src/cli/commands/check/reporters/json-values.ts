import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { Finding } from '#analysis/check/define.js';
import type { CheckReport } from '#cli/schemas.js';
import type { CheckRun } from './define.js';
import { shownOf, type Totals } from './totals.js';

type FileReport = CheckReport['files'][number];

/** A file as programs are told of it. */
export function fileValue(file: CheckedFile, run: CheckRun): FileReport {
  return { ...fileFacts(file), findings: shownOf(file, run).map(findingValue) };
}

/** A file without its findings. */
export function fileFacts({
  file,
  size,
  bytesAccountedFor,
  entries,
  counts,
}: CheckedFile): Omit<FileReport, 'findings'> {
  return { file, size, bytesAccountedFor, entries, counts };
}

/** A finding, with null for what is not known of it. */
export function findingValue(finding: Finding): FileReport['findings'][number] {
  const { code, severity, message, line, entryId, offset = null, length = null, place, fix, related } = finding;
  return { rule: code, severity, message, line, entryId, offset, length, place, fix, related: [...related] };
}

export function totalsValue({ files, unreadable, withFindings, found }: Totals): CheckReport['totals'] {
  return { files, unreadable, withFindings, errors: found.error, warnings: found.warning, notes: found.note };
}
