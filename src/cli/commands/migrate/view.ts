import { count, plural } from '#base/words.js';
import type { MigrationReport } from '#cli/schemas.js';
import { type Block, cell, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';

const CURRENT_VERSION = 3;

/** What was migrated, what is lost, and where the files are. */
export function migrationDoc(report: MigrationReport): Doc {
  const { file, transforms, lost } = report;
  const rows = [...transforms.map(transformRow), ...lost.map(lostRow)];
  return [heading(2, file), ...versionLines(report), ...(rows.length > 0 ? [gap, ...rows, gap] : []), ...endOf(report)];
}

function versionLines({ version, changedLines, isNeeded, legacyCompactions, transforms }: MigrationReport): Doc {
  if (!isNeeded) return [line(span('nothing to migrate', 'good'))];
  const said = version === null ? 'a version that is no number' : `version ${version}`;
  const isCurrent = version !== null && version >= CURRENT_VERSION;
  const old = isCurrent ? said : `${said}, to become version ${CURRENT_VERSION}`;
  const changed = changedLines === null ? '' : `, ${plural(changedLines, 'line')} changed`;
  const compactions = `${plural(legacyCompactions, 'compaction')} that no transform stands for: see --compactions`;
  const areLeft = legacyCompactions > 0 && transforms.length === 0;
  return [line(`${old}${changed}`), ...(areLeft ? [line(compactions)] : [])];
}

function transformRow({
  line: at,
  transformId,
  entryId,
  for: what,
  ops,
}: MigrationReport['transforms'][number]): Block {
  const means = what === 'compaction' ? `for compaction ${entryId}` : `above edit ${entryId}`;
  return {
    kind: 'row',
    cells: [cell(String(at), -7, 'faint'), cell(transformId ?? '', 8, 'id'), cell(`${means}: ${ops.join(', ')}`)],
  };
}

function lostRow({ line: at, rule, length, offset }: MigrationReport['lost'][number]): Block {
  return {
    kind: 'row',
    cells: [
      cell(String(at), -7, 'faint'),
      cell(rule, 8, 'strong'),
      cell(`${plural(length, 'byte')} lost, from byte ${count(offset)} on`, 0, 'error'),
    ],
  };
}

function endOf({ lost, output, backup, lostFile, newSize }: MigrationReport): Doc {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const hint = 'ctx check --fix may get back what these lines hold: mend the session first';
  return [
    ...(lost.length > 0 ? [line(span(hint, 'warning'))] : []),
    line(output === null ? 'nothing was written' : `${output}: ${plural(newSize ?? 0, 'byte')}`),
    ...(backup === null ? [] : [line(`${backup}: the session as it was`)]),
    ...(lostFile === null ? [] : [line(`${lostFile}: ${plural(bytes, 'byte')}, those that are lost`)]),
  ];
}
