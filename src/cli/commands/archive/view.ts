import { sumBy } from '#base/lists.js';
import { formatBytes, formatCount, pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { type Block, commandLine, type Doc, fileHeading, left, line, right, span, table } from '#ui/doc/doc.js';
import { type ArchiveDocument, CHANGES, type Counts } from './document.js';

/** A page: what was done with the sessions of each agent, and where the copies are. */
export function renderArchive(document: ArchiveDocument): Doc {
  const { folder, agents, sideFiles, copied } = document;
  const isRead = agents.length > 0;
  return [
    fileHeading(folder),
    ...(isRead ? [renderAgents(agents)] : []),
    ...renderSideFiles(sideFiles),
    ...copied.flatMap(({ kept }) => (kept === null ? [] : [line('earlier copy kept: ', span(kept, 'id'))])),
    ...(isRead ? renderSizes(document) : []),
  ];
}

function renderAgents(agents: ArchiveDocument['agents']): Block {
  const columns = agents.some(({ failed }) => failed > 0) ? ([...CHANGES, 'failed'] as const) : CHANGES;
  return table(
    [left('sessions of'), ...columns.map(right)],
    agents.map((row) => [span(row.agent), ...columns.map((name) => span(formatCount(row[name])))]),
  );
}

function renderSideFiles(counts: Counts): Doc {
  const told = [...CHANGES, 'failed' as const].filter((name) => counts[name] > 0);
  if (told.length === 0) return [];
  return [line(`files that belong to them: ${told.map((name) => `${formatCount(counts[name])} ${name}`).join(', ')}`)];
}

function renderSizes({ folder, copied, isDryRun }: ArchiveDocument): Doc {
  const size = formatBytes(sumBy(copied, (one) => one.size));
  const files = pluralize(copied.length, 'file');
  const read = commandLine('read them: ', `ctx ls ${toShellWord(folder)}`);
  if (isDryRun) return [line(`nothing was written; ${files} would be copied, ${size}`)];
  const stored = formatBytes(sumBy(copied, ({ copySize }) => copySize ?? 0));
  return [line(copied.length === 0 ? 'nothing has changed' : `${files} copied, ${size} in ${stored}`), read];
}
