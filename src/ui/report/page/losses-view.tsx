import type { ReactNode } from 'react';
import type { LossData } from '#analysis/report/document.js';
import { sumOf } from '#base/lists.js';
import { visibleLine } from '#base/visible.js';
import { count, plural } from '#base/words.js';
import { FACT_COLUMNS, REASON_TEXTS } from '../../look.js';
import { EntryLink, Fold, Table, type TableProps, useStore } from './parts.js';
import { TextBlock } from './text.js';
import { capitalized, timeText } from './words.js';

const REASONS: Readonly<Record<string, string>> = REASON_TEXTS;

/** The view of the compactions: removed entries, and how each summary mentions them. */
export function Losses(): ReactNode {
  const { losses } = useStore().data;
  if (losses.length === 0) return <p className="empty">This path has no compactions.</p>;
  return losses.map((loss, at) => <Card key={loss.entry} loss={loss} at={at} />);
}

function Card({ loss, at }: { loss: LossData; at: number }): ReactNode {
  const store = useStore();
  const { entry, removed, classes, summary, counts } = loss;
  const lost = sumOf(classes, ({ missing }) => missing);
  const all = sumOf(classes, ({ left }) => left);
  return (
    <section className="card">
      <h3>
        {`Compaction ${at + 1} `}
        <EntryLink entry={entry} /> <small>{timeText(store.data.entries.times[entry] ?? null)}</small>
      </h3>
      <p>
        {`${plural(removed, 'entry', 'entries')} removed from the context, ${count(counts.kept)} kept. ` +
          `The summary omits ${count(lost)} of ${plural(all, 'fact')} in the removed entries.`}
        {counts.unaccounted > 0 && <b>{` ${plural(counts.unaccounted, 'entry is', 'entries are')} in no summary.`}</b>}
      </p>
      <Fold summary="Summary">{() => <TextBlock text={summary} />}</Fold>
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
      <Table
        caption="Removed facts, by their mention in the summary"
        columns={[
          { title: 'Kind', cell: (row: LossData['classes'][number]) => row.class },
          ...FACT_COLUMNS.map(({ title, of }) => ({ title: capitalized(title), figure: of })),
        ]}
        rows={classes}
      />
      <Folded
        caption="Missing from the summary"
        number={missing.length < lost ? `the first ${missing.length} of ${count(lost)}` : count(lost)}
        columns={[
          { title: 'Kind', cell: ([name]) => name },
          { title: 'Entry', entry: ([, from]) => from },
          { title: 'Text', isWide: true, cell: ([, , text]) => visibleLine(text) },
        ]}
        rows={missing}
      />
      <Folded
        caption="In no summary"
        number={count(counts.unaccounted)}
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

interface FoldedProps<Row> extends TableProps<Row> {
  readonly caption: string;
  readonly number: string;
}

/** A table in a fold whose summary is the caption, if it has rows. */
function Folded<Row>({ number, ...table }: FoldedProps<Row>): ReactNode {
  if (table.rows.length === 0) return null;
  return <Fold summary={`${table.caption}: ${number}`}>{() => <Table {...table} />}</Fold>;
}
