import escapeStringRegexp from 'escape-string-regexp';
import { createContext, type ReactNode, useContext, useState } from 'react';
import type { Text } from '#analysis/report/document.js';
import { beginningOf } from '#analysis/report/reader.js';
import { visible } from '#base/visible.js';
import { count } from '#base/words.js';

/** The words that the user searches for, in lower case. Texts highlight them. */
export const Find = createContext('');

/** The words as an expression that matches them in any case. */
export function expressionOf(words: string): RegExp {
  return new RegExp(`(${escapeStringRegexp(words)})`, 'giu');
}

/** A text with the words that the user searches for. */
export function Marked({ text }: { text: string }): ReactNode {
  const words = useContext(Find);
  if (words === '') return text;
  return text.split(expressionOf(words)).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part));
}

/** The number of characters shown at first; a button shows more. */
const AT_FIRST = 6000;
const AT_ONCE = 400_000;

/** A text with invisible characters made visible, and a note on its length if it is truncated. */
export function TextBlock({ text }: { text: Text }): ReactNode {
  const words = useContext(Find);
  const whole = beginningOf(text);
  const [most, setMost] = useState(() =>
    Math.max(AT_FIRST, words === '' ? 0 : whole.search(expressionOf(words)) + 500),
  );
  const end = /[\ud800-\udbff]$/.test(whole.slice(0, most)) ? most - 1 : most;
  const left = whole.length - end;
  const rest = left > AT_ONCE ? `Show ${count(AT_ONCE)} more` : 'Show the rest';
  return (
    <div>
      <pre className="text">
        <Marked text={visible(whole.slice(0, end))} />
      </pre>
      {left > 0 && (
        <p className="more">
          <button type="button" onClick={() => setMost(most + AT_ONCE)}>
            {`${rest} of ${count(whole.length)} characters`}
          </button>
        </p>
      )}
      {left <= 0 && typeof text !== 'string' && (
        <p className="more">
          {`Truncated: the report contains the first ${count(whole.length)} of ${count(text[1])} characters.`}
        </p>
      )}
    </div>
  );
}
