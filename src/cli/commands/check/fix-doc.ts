import { visibleLine } from '#base/visible.js';
import { count, plural } from '#base/words.js';
import type { RepairReport } from '#cli/schemas.js';
import { type Block, cell, type Doc, gap, heading, line, span } from '#ui/doc/doc.js';

/** What was mended and what is lost, in the order of the old file. `wanted` is the new file that was asked for. */
export function repairDoc(report: RepairReport, wanted: string | null): Doc {
  const items = itemsOf(report);
  const lineCells = items.reduce((most, { at }) => Math.max(most, String(at).length), 0);
  const ruleCells = items.reduce((most, { rule }) => Math.max(most, rule.length), 0);
  const blocks = items.map(({ at, rule, message, isLost }): Block => {
    const place = [cell(String(at), -(INDENT + lineCells), 'faint'), cell(rule, ruleCells, 'strong')];
    return { kind: 'row', isProse: true, cells: [...place, cell(message, 0, isLost ? 'error' : 'plain')] };
  });
  return [heading(2, report.file), ...blocks, ...(items.length > 0 ? [gap] : []), ...endOf(report, wanted)];
}

const INDENT = 2;

interface Item {
  readonly at: number;
  readonly rule: string;
  readonly message: string;
  readonly offset: number;
  readonly isLost: boolean;
}

function itemsOf({ repairs, lost }: RepairReport): readonly Item[] {
  const mended = repairs.map(({ line: at, rule, message, entryId, offset }): Item => {
    const text = entryId === null ? message : `${entryId}: ${message}`;
    return { at, rule, message: visibleLine(text), offset, isLost: false };
  });
  const gone = lost.map(({ line: at, rule, offset, length }): Item => {
    return { at, rule, message: `${plural(length, 'byte')} lost, from byte ${count(offset)} on`, offset, isLost: true };
  });
  return [...mended, ...gone].toSorted((a, b) => a.offset - b.offset);
}

function endOf({ repairs, lost, output, lostFile, newSize }: RepairReport, wanted: string | null): Doc {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const isClean = repairs.length === 0 && lost.length === 0;
  const mended = plural(repairs.length, 'repair');
  const said = isClean
    ? 'nothing to mend'
    : lost.length === 0
      ? `${mended}, nothing lost`
      : `${mended}, ${plural(bytes, 'byte')} lost`;
  const files =
    output === null
      ? `nothing was written${wanted === null ? '' : ` to ${wanted}`}`
      : `${output}: ${plural(newSize, 'byte')}${isClean ? ', the same as before' : ''}`;
  return [
    line(span(said, lost.length > 0 ? 'warning' : 'good')),
    line(files),
    ...(lostFile === null ? [] : [line(`${lostFile}: ${plural(bytes, 'byte')}, those that are lost`)]),
  ];
}
