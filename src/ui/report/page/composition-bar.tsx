import type { ReactNode } from 'react';
import type { CompositionRow } from '#analysis/composition/rows.js';
import { sortLargestFirst } from '#base/lists.js';
import { formatCount, formatPercent } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { CONTENT_LOOKS } from '../../palette.js';
import { chooseColor } from './colors.js';
import { useStore } from './store-context.js';
import { capitalize } from './words.js';

const MOST_NAMES = 12;

interface CompositionProps {
  readonly number: number;
  /** The rows with the names of their parts, which a list has instead of a legend. */
  readonly rows?: readonly CompositionRow[];
}

/** A bar with the composition of a request, and its legend. */
export function CompositionBar({ number, rows }: CompositionProps): ReactNode {
  const store = useStore();
  const tokens = store.sizes.byKind(number);
  const total = store.sizes.total(number);
  const shown = CONTENT_LOOKS.map((look, at) => ({ ...look, tokens: tokens[at] ?? 0 })).filter(
    ({ tokens: own }) => own > 0,
  );
  const namesOf = (kind: string): string => formatNames(rows?.find((row) => row.kind === kind));
  return (
    <div className="composition">
      <div className="stack" aria-hidden="true">
        {shown.map(({ name, tokens: own }) => (
          <span key={name} style={{ flexGrow: own, background: `var(--${name})` }} />
        ))}
      </div>
      <ul className={rows ? 'keys column' : 'keys'}>
        <li>
          Tokens <b>{store.tokensText(number)}</b>
        </li>
        {sortLargestFirst(shown, ({ tokens: own }) => own).map(({ kind, name, title, tokens: own }) => (
          <li key={name} className="key" style={chooseColor(name)}>
            {capitalize(title)} <b>{formatCount(own)}</b> {formatPercent(own, total)}
            {rows && <span className="quiet">{namesOf(kind)}</span>}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The parts of a row, the largest first. */
function formatNames(row: CompositionRow | undefined): string {
  const names = row?.names ?? [];
  const shown = names.slice(0, MOST_NAMES).map((each) => `${toVisibleLine(each.name)} ${formatCount(each.tokens)}`);
  return shown.length === 0 ? '' : `: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`;
}
