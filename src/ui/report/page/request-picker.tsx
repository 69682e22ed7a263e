import { type ReactNode, useEffect, useState } from 'react';
import { formatCount } from '#base/numbers.js';
import { ArrowButton } from './controls.js';
import { useStore } from './store-context.js';

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
  const describePlace = (): string => {
    if (entries[value] === -1) return 'next request';
    return value < onPath ? `of ${formatCount(onPath)}` : 'on another branch';
  };
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
      <ArrowButton name={`${label}: previous`} sign="‹" onClick={() => go(value - 1)} />
      <ArrowButton name={`${label}: next`} sign="›" onClick={() => go(value + 1)} />
      <span className="quiet">{describePlace()}</span>
    </div>
  );
}
