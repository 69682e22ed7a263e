import { type ReactNode, useEffect, useState } from 'react';

interface Option<Value> {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, title: string, ...unknown[]])[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A labelled select. */
export function Select<Value extends string>({ label, options, value, onChange }: Option<Value>): ReactNode {
  return (
    <label className="field">
      <span>{label}</span>
      {/* The select has no other values. */}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map(([each, title]) => (
          <option key={each} value={each}>
            {title}
          </option>
        ))}
      </select>
    </label>
  );
}

/** A note on what is shown, which screen readers announce when it changes. */
export function StatusNote({ text }: { text: string }): ReactNode {
  return (
    <p className="quiet" role="status">
      {text}
    </p>
  );
}

const WAIT = 120;

/** A search field, its words in lower case once the typing pauses, and a function that replaces its text. */
export function useSearch(): readonly [field: ReactNode, words: string, setText: (text: string) => void] {
  const [text, setText] = useState('');
  const value = text.toLowerCase().trim();
  const [words, setWords] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setWords(value), value === '' ? 0 : WAIT);
    return () => clearTimeout(timer);
  }, [value]);
  const field = (
    <label className="field search">
      <span className="sr">Search</span>
      <input
        type="search"
        placeholder="Search"
        autoComplete="off"
        spellCheck={false}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </label>
  );
  return [field, words, setText];
}

interface StepProps {
  readonly name: string;
  readonly sign: '‹' | '›';
  readonly isOff?: boolean;
  readonly onClick: () => void;
}

/** A button to the previous or the next of some places. */
export function ArrowButton({ name, sign, isOff = false, onClick }: StepProps): ReactNode {
  return (
    <button type="button" className="step" aria-label={name} disabled={isOff} onClick={onClick}>
      {sign}
    </button>
  );
}
