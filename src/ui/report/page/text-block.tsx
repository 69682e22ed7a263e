import escapeStringRegexp from 'escape-string-regexp';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { StoredText } from '#analysis/report/document.js';
import { storedTextOf } from '#analysis/report/stored-text.js';
import { formatCount } from '#base/numbers.js';
import { toVisible } from '#base/visible.js';

/** The words that the user searches for, in lower case. Texts highlight them. */
export const SearchWords = createContext('');

/** The words as an expression that matches them in any case. */
export function buildSearchPattern(words: string): RegExp {
  return new RegExp(`(${escapeStringRegexp(words)})`, 'giu');
}

/** A text with the words that the user searches for. */
export function HighlightedText({ text }: { text: string }): ReactNode {
  const words = useContext(SearchWords);
  if (words === '') return text;
  return text.split(buildSearchPattern(words)).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}

/** The number of characters shown at first; a button shows more. */
const AT_FIRST = 6000;
const AT_ONCE = 400_000;

/** A text with invisible characters made visible, and a note on its length if it is truncated. */
export function TextBlock({ text }: { text: StoredText }): ReactNode {
  const words = useContext(SearchWords);
  const whole = storedTextOf(text);
  const [most, setMost] = useState(() =>
    Math.max(AT_FIRST, words === '' ? 0 : whole.search(buildSearchPattern(words)) + 500),
  );
  const end = /[\ud800-\udbff]$/.test(whole.slice(0, most)) ? most - 1 : most;
  const left = whole.length - end;
  const rest = left > AT_ONCE ? `Show ${formatCount(AT_ONCE)} more` : 'Show the rest';
  return (
    <div>
      <pre className="text">
        <HighlightedText text={toVisible(whole.slice(0, end))} />
      </pre>
      {left > 0 && (
        <p className="more">
          <button type="button" onClick={() => setMost(most + AT_ONCE)}>
            {`${rest} of ${formatCount(whole.length)} characters`}
          </button>
        </p>
      )}
      {left <= 0 && typeof text !== 'string' && (
        <p className="more">
          {`Truncated: the report contains the first ${formatCount(whole.length)} of ${formatCount(text[1])} characters.`}
        </p>
      )}
    </div>
  );
}
