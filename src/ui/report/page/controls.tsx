import { type ReactNode, useEffect, useState } from 'react';

/** A value to select, and its title. */
export interface Option<Value> {
  readonly value: Value;
  readonly title: string;
}

interface SelectProps<Value> {
  readonly label: string;
  readonly options: readonly Option<Value>[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A labelled select. */
export function Select<Value extends string>({ label, options, value, onChange }: SelectProps<Value>): ReactNode {
  return (
    <label className="field">
      <span>{label}</span>
      {/* The select has no other values. */}
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
        {options.map(({ value: each, title }) => (
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

interface Search {
  readonly field: ReactNode;
  /** The typed words in lower case, once the typing pauses. */
  readonly words: string;
  /** Replaces the typed text. */
  readonly setText: (text: string) => void;
}

/** A search field with what is typed into it. */
export function useSearch(): Search {
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
  return { field, words, setText };
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
