import { type ReactNode, useEffect, useState } from 'react';
import { count } from '#base/words.js';
import { useStore } from './parts.js';

interface PickerProps {
  readonly label: string;
  readonly value: number;
  readonly onChange: (number: number) => void;
}

/** A field for a request number, with buttons for the previous and the next one. */
export function RequestPicker({ label, value, onChange }: PickerProps): ReactNode {
  const { entries, onPath } = useStore().data.requests;
  const [text, setText] = useState('');
  useEffect(() => setText(String(value + 1)), [value]);
  const go = (number: number): void => {
    const next = Math.max(0, Math.min(entries.length - 1, Number.isInteger(number) ? number : 0));
    setText(String(next + 1));
    if (next !== value) onChange(next);
  };
  const step = (by: number, name: string, sign: string): ReactNode => (
    <button type="button" className="step" aria-label={`${label}: ${name}`} onClick={() => go(value + by)}>
      {sign}
    </button>
  );
  return (
    <div className="picker">
      <label className="field">
        <span>{label}</span>
        <input
          type="number"
          min={1}
          max={entries.length}
          inputMode="numeric"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          onBlur={() => go(Number(text) - 1)}
          onKeyDown={({ key }) => key === 'Enter' && go(Number(text) - 1)}
        />
      </label>
      {step(-1, 'previous', '‹')}
      {step(1, 'next', '›')}
      <span className="quiet">
        {entries[value] === -1 ? 'next request' : value < onPath ? `of ${count(onPath)}` : 'on another branch'}
      </span>
    </div>
  );
}
