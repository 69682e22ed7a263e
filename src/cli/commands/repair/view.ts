import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { type Block, cell, type Doc, fileHeading, gap, line, proseRow, span } from '#ui/doc/doc.js';
import type { RepairDocument } from './document.js';

/** The repairs and losses in the order of the old file. `namedOutput` is the new file of the command line. */
export function renderRepair(document: RepairDocument, namedOutput: string | null): Doc {
  const items = listItems(document);
  const lineCells = items.reduce((most, { at }) => Math.max(most, String(at).length), 0);
  const ruleCells = items.reduce((most, { rule }) => Math.max(most, rule.length), 0);
  const blocks = items.map(({ at, rule, message, isLost }): Block => {
    const place = [cell(String(at), -(INDENT + lineCells), 'faint'), cell(rule, ruleCells, 'strong')];
    return proseRow([...place, cell(message, 0, isLost ? 'error' : 'plain')]);
  });
  const list = items.length > 0 ? [...blocks, gap] : [];
  return [fileHeading(document.file), ...list, ...renderEnd(document, namedOutput)];
}

const INDENT = 2;

interface Item {
  readonly at: number;
  readonly rule: string;
  readonly message: string;
  readonly offset: number;
  readonly isLost: boolean;
}

function listItems({ repairs, lost }: RepairDocument): readonly Item[] {
  const fixed = repairs.map(({ line: at, rule, message, entryId, offset }): Item => {
    const text = entryId === null ? message : `${entryId}: ${message}`;
    return { at, rule, message: toVisibleLine(text), offset, isLost: false };
  });
  const discarded = lost.map(({ line: at, rule, offset, length }): Item => {
    return {
      at,
      rule,
      message: `${pluralize(length, 'byte')} lost, from byte ${formatCount(offset)} on`,
      offset,
      isLost: true,
    };
  });
  return [...fixed, ...discarded].toSorted((a, b) => a.offset - b.offset);
}

function* renderEnd(
  { repairs, lost, output, lostFile, newSize }: RepairDocument,
  namedOutput: string | null,
): Generator<Block> {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const isClean = repairs.length === 0 && lost.length === 0;
  const loss = lost.length === 0 ? 'nothing lost' : `${pluralize(bytes, 'byte')} lost`;
  const summary = isClean ? 'nothing to repair' : `${pluralize(repairs.length, 'repair')}, ${loss}`;
  yield line(span(summary, lost.length > 0 ? 'warning' : 'good'));
  if (output === null) yield line(`nothing was written${namedOutput === null ? '' : ` to ${namedOutput}`}`);
  else yield line(`${output}: ${pluralize(newSize, 'byte')}${isClean ? ', the same as before' : ''}`);
  if (lostFile !== null) yield line(`${lostFile}: ${pluralize(bytes, 'lost byte')}`);
}
