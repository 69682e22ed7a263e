import type { ReactNode } from 'react';
import type { LossData } from '#analysis/report/document.js';
import { sumBy } from '#base/lists.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { FACT_COLUMNS, REASON_TEXTS } from '../../parts/loss-words.js';
import { Disclosure } from './disclosure.js';
import { EntryLink } from './links.js';
import { useStore } from './store-context.js';
import { PageTable, type PageTableProps } from './table.js';
import { TextBlock } from './text-block.js';
import { capitalize, formatClockMinute } from './words.js';

const REASONS: Readonly<Record<string, string>> = REASON_TEXTS;

/** The view of the compactions: removed entries, and how each summary mentions them. */
export function LossesView(): ReactNode {
  const { losses } = useStore().data;
  if (losses.length === 0) return <p className="empty">This path has no compactions.</p>;
  return losses.map((loss, at) => <Card key={loss.entry} loss={loss} at={at} />);
}

function Card({ loss, at }: { loss: LossData; at: number }): ReactNode {
  const store = useStore();
  const { entry, removed, classes, summary, counts } = loss;
  const lost = sumBy(classes, ({ missing }) => missing);
  const all = sumBy(classes, ({ left }) => left);
  return (
    <section className="card">
      <h3>
        {`Compaction ${at + 1} `}
        <EntryLink entry={entry} /> <small>{formatClockMinute(store.data.entries.times[entry] ?? null)}</small>
      </h3>
      <p>
        {`${pluralize(removed, 'entry', 'entries')} removed from the context, ${formatCount(counts.kept)} kept. ` +
          `The summary omits ${formatCount(lost)} of ${pluralize(all, 'fact')} in the removed entries.`}
        {counts.unaccounted > 0 && (
          <b>{` ${pluralize(counts.unaccounted, 'entry is', 'entries are')} in no summary.`}</b>
        )}
      </p>
      <Disclosure summary="Summary">{() => <TextBlock text={summary} />}</Disclosure>
      <Tables loss={loss} lost={lost} />
    </section>
  );
}

/** The facts that a compaction removed, and the entries that are in no summary. */
function Tables({ loss, lost }: { loss: LossData; lost: number }): ReactNode {
  const store = useStore();
  const { classes, missing, unaccounted, counts } = loss;
  return (
    <>
      <PageTable
        caption="Removed facts, by their mention in the summary"
        columns={[
          { title: 'Kind', cell: (row: LossData['classes'][number]) => row.class },
          ...FACT_COLUMNS.map(({ title, countOf }) => ({ title: capitalize(title), figure: countOf })),
        ]}
        rows={classes}
      />
      <Folded
        caption="Missing from the summary"
        number={missing.length < lost ? `the first ${missing.length} of ${formatCount(lost)}` : formatCount(lost)}
        columns={[
          { title: 'Kind', cell: ([name]) => name },
          { title: 'Entry', entry: ([, from]) => from },
          { title: 'Text', isWide: true, cell: ([, , text]) => toVisibleLine(text) },
        ]}
        rows={missing}
      />
      <Folded
        caption="In no summary"
        number={formatCount(counts.unaccounted)}
        columns={[
          { title: 'Entry', entry: ([from]) => from },
          { title: 'Reason', cell: ([, reason]) => REASONS[reason] ?? reason },
          { title: 'Preview', text: ([from]) => store.preview(from) },
        ]}
        rows={unaccounted}
      />
    </>
  );
}

interface FoldedProps<Row> extends PageTableProps<Row> {
  readonly caption: string;
  readonly number: string;
}

/** A table in a fold whose summary is the caption, if it has rows. */
function Folded<Row>({ number, ...table }: FoldedProps<Row>): ReactNode {
  if (table.rows.length === 0) return null;
  return <Disclosure summary={`${table.caption}: ${number}`}>{() => <PageTable {...table} />}</Disclosure>;
}
