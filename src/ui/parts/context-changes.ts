import { formatShortCount } from '#base/numbers.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { EnvelopeOverview } from '#context/replay/overview.js';
import { describeEdit, describeKept, describeTransform } from '#context/words/describe-changes.js';
import { nameAgentTransform } from '#context/words/entry-text.js';
import { type Doc, flexible, left, type Span, span, table } from '../doc/doc.js';

const MOST_OF_A_KIND = 4;

/** The changes of the context on the path: the newest compactions, transforms and edits, with their effects. */
export function renderChanges({ meta, session }: Pick<EnvelopeOverview, 'meta' | 'session'>): Doc {
  const hasPiWords = session.agent === undefined;
  const kinds = [
    meta.compactions.map(buildCompactionRow),
    meta.transforms.map((transform) => buildTransformRow(transform, hasPiWords)),
    meta.edits.filter(({ effect }) => effect !== 'none').map(buildEditRow),
  ];
  const rows = kinds.flatMap((all) => {
    const shown = all.slice(-MOST_OF_A_KIND);
    const more = all.length - shown.length;
    return more === 0 ? shown : [[span(`… ${more} earlier: use --json to list them`, 'faint')], ...shown];
  });
  const columns = [left('change'), left('entry'), flexible('effect')];
  return rows.length === 0 ? [] : [table(columns, rows, { hasTitles: false })];
}

type Row = readonly Span[];

function buildCompactionRow(compaction: ContextEnvelope['meta']['compactions'][number]): Row {
  const { entryId, shadowed, firstKeptEntryId, tokensBefore } = compaction;
  const before = tokensBefore === null ? '' : `, ${formatShortCount(tokensBefore)} tokens before`;
  const kept = describeKept(entryId, firstKeptEntryId);
  const text = shadowed ? 'repeats the previous transform' : `${kept}${before}`;
  return [span('compaction', 'faint'), span(entryId ?? '', 'id'), span(text)];
}

/** A transform is a word of Pi's format. */
function buildTransformRow(transform: ContextEnvelope['meta']['transforms'][number], hasPiWords: boolean): Row {
  const name = hasPiWords ? 'transform' : nameAgentTransform(transform);
  return [span(name, 'faint'), span(transform.entryId ?? '', 'id'), span(describeTransform(transform))];
}

function buildEditRow({ entryId, targetId, effect }: ContextEnvelope['meta']['edits'][number]): Row {
  return [span('edit', 'faint'), span(entryId ?? '', 'id'), span(describeEdit(targetId ?? '', effect === 'omit'))];
}
