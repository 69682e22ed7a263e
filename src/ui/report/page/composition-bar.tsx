import type { ReactNode } from 'react';
import { formatCount, formatPercent } from '#base/numbers.js';
import { sumByGroup, TOKEN_GROUPS } from '../../palette.js';
import { sumValues } from './chart-data.js';
import { keyColor } from './colors.js';
import { useStore } from './store-context.js';

/** A bar with the composition of a request, and its legend. */
export function CompositionBar({ number }: { number: number }): ReactNode {
  const store = useStore();
  const tokens = sumByGroup(store.categories, store.tokensByCategory(number));
  const total = sumValues(tokens);
  const shown = TOKEN_GROUPS.map((group, at) => ({ ...group, tokens: tokens[at] ?? 0 })).filter(
    ({ tokens: own }) => own > 0,
  );
  return (
    <div className="composition">
      <div className="stack" aria-hidden="true">
        {shown.map(({ name, tokens: own }) => (
          <span key={name} style={{ flexGrow: own, background: `var(--${name})` }} />
        ))}
      </div>
      <ul className="keys">
        <li>
          Tokens <b>{store.tokensText(number)}</b>
        </li>
        {shown.map(({ name, title, tokens: own }) => (
          <li key={name} className="key" style={keyColor(name)}>
            {title} <b>{formatCount(own)}</b> {formatPercent(own, total)}
          </li>
        ))}
      </ul>
    </div>
  );
}
