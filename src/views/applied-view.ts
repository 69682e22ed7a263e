import type { ContextEnvelope } from '../context/envelope.js';
import { type Doc, flexible, left, type Span, span } from '../render/doc.js';
import { shortCount } from './format.js';

const MOST_OF_A_KIND = 4;

/** What was done to the context on the way: compactions, transforms and edits, the newest of each, with their reasons. */
export function appliedDoc({ meta }: ContextEnvelope): Doc {
  const kinds = [
    meta.compactions.map(compactionRow),
    meta.transforms.map(transformRow),
    meta.edits.filter(({ effect }) => effect !== 'none').map(editRow),
  ];
  const rows = kinds.flatMap((all) => {
    const shown = all.slice(-MOST_OF_A_KIND);
    const more = all.length - shown.length;
    return more === 0 ? shown : [[span(`… ${more} earlier: --json lists them`, 'faint')], ...shown];
  });
  const columns = [left('change'), left('entry'), flexible('what it did')];
  return rows.length === 0 ? [] : [{ kind: 'table', hasTitles: false, columns, rows }];
}

type Row = readonly Span[];

function compactionRow({
  entryId,
  shadowed,
  firstKeptEntryId,
  tokensBefore,
}: ContextEnvelope['meta']['compactions'][number]): Row {
  const before = tokensBefore === null ? '' : `, ${shortCount(tokensBefore)} tokens before`;
  const keepsNothing = firstKeptEntryId === entryId || firstKeptEntryId === null;
  const kept = keepsNothing ? 'keeps nothing from above' : `keeps from ${firstKeptEntryId}`;
  const text = shadowed ? 'repeats the transform above it' : `${kept}${before}`;
  return [span('compaction', 'faint'), span(entryId ?? '', 'id'), span(text)];
}

function transformRow({
  entryId,
  transformerName,
  ops,
  invalidateCacheReasons,
  display,
}: ContextEnvelope['meta']['transforms'][number]): Row {
  const what = display?.summary ?? display?.title ?? ops.join(', ');
  const reasons = invalidateCacheReasons.length === 0 ? '' : ` (${invalidateCacheReasons.join('; ')})`;
  return [span('transform', 'faint'), span(entryId ?? '', 'id'), span(`${transformerName}: ${what}${reasons}`)];
}

function editRow({ entryId, targetId, effect }: ContextEnvelope['meta']['edits'][number]): Row {
  const text = effect === 'omit' ? `leaves out ${targetId}` : `replaces the content of ${targetId}`;
  return [span('edit', 'faint'), span(entryId ?? '', 'id'), span(text)];
}
