import { formatCount, pluralize } from '#base/numbers.js';
import { type Block, cell, type Doc, fileHeading, gap, line, listingRow, span } from '#ui/doc/doc.js';
import type { MigrationDocument } from './document.js';

const CURRENT_VERSION = 3;

/** The versions, the new transforms and the lost lines, and the files that were written. */
export function renderMigration(document: MigrationDocument): Doc {
  const { file, transforms, lost } = document;
  const rows = [...transforms.map(renderTransform), ...lost.map(renderDiscarded)];
  const list = rows.length > 0 ? [gap, ...rows, gap] : [];
  return [fileHeading(file), ...renderVersions(document), ...list, ...renderEnd(document)];
}

function renderVersions({ version, changedLines, isNeeded, legacyCompactions, transforms }: MigrationDocument): Doc {
  if (!isNeeded) return [line(span('nothing to migrate', 'good'))];
  const counts = version === null ? 'a version that is no number' : `version ${version}`;
  const isCurrent = version !== null && version >= CURRENT_VERSION;
  const old = isCurrent ? counts : `${counts}, to become version ${CURRENT_VERSION}`;
  const changed = changedLines === null ? '' : `, ${pluralize(changedLines, 'line')} changed`;
  const summary = line(`${old}${changed}`);
  if (legacyCompactions === 0 || transforms.length > 0) return [summary];
  return [summary, line(`${pluralize(legacyCompactions, 'compaction')} without a transform: see --compactions`)];
}

function renderTransform(transform: MigrationDocument['transforms'][number]): Block {
  const { line: at, transformId, entryId, ops } = transform;
  const means = transform.for === 'compaction' ? `for compaction ${entryId}` : `above edit ${entryId}`;
  const what = cell(`${means}: ${ops.join(', ')}`);
  return listingRow([cell(String(at), -7, 'faint'), cell(transformId ?? '', 8, 'id'), what]);
}

function renderDiscarded({ line: at, rule, length, offset }: MigrationDocument['lost'][number]): Block {
  const what = cell(`${pluralize(length, 'byte')} lost, from byte ${formatCount(offset)} on`, 0, 'error');
  return listingRow([cell(String(at), -7, 'faint'), cell(rule, 8, 'strong'), what]);
}

function* renderEnd({ lost, output, backup, lostFile, newSize }: MigrationDocument): Generator<Block> {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const hint = 'repair the session first: ctx repair may recover these lines';
  if (lost.length > 0) yield line(span(hint, 'warning'));
  yield line(output === null ? 'nothing was written' : `${output}: ${pluralize(newSize ?? 0, 'byte')}`);
  if (backup !== null) yield line(`${backup}: the session as it was`);
  if (lostFile !== null) yield line(`${lostFile}: ${pluralize(bytes, 'byte')}, those that are lost`);
}
