import { shortCount } from '#base/words.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeSummary } from '#context/replay/overview.js';
import { editText, keptText, transformText } from '#context/words/entry-text.js';
import { type Doc, flexible, left, type Span, span } from '../doc/doc.js';

const MOST_OF_A_KIND = 4;

/** What was done to the context on the way: compactions, transforms and edits, the newest of each, with their reasons. */
export function appliedDoc({ meta }: EnvelopeSummary): Doc {
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
  const kept = keptText(entryId, firstKeptEntryId);
  const text = shadowed ? 'repeats the transform above it' : `${kept}${before}`;
  return [span('compaction', 'faint'), span(entryId ?? '', 'id'), span(text)];
}

type Applied = ContextEnvelope['meta']['transforms'][number];

function transformRow(transform: Applied): Row {
  return [span('transform', 'faint'), span(transform.entryId ?? '', 'id'), span(transformText(transform))];
}

function editRow({ entryId, targetId, effect }: ContextEnvelope['meta']['edits'][number]): Row {
  return [span('edit', 'faint'), span(entryId ?? '', 'id'), span(editText(targetId ?? '', effect === 'omit'))];
}
