import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createOutput } from '#platform/terminal/output.js';

test.each([
  ['the null device', os.devNull],
  ['a file', path.join(os.tmpdir(), `ctx-output-${process.pid}`)],
])('no stream is made for %s, which is no terminal', async (_what, file) => {
  const descriptor = fs.openSync(file, 'w');
  onTestFinished(() => {
    fs.closeSync(descriptor);
    if (file !== os.devNull) fs.rmSync(file);
  });
  const noStream = (): never => {
    throw new Error('a stream was made');
  };
  const output = createOutput(descriptor, noStream, { COLUMNS: '72' });
  expect(await output.write('text')).toBe(true);
  const { isTerminal, columns, rows } = output;
  expect({ isTerminal, columns, rows }).toEqual({ isTerminal: false, columns: 72, rows: 40 });
});

test('what may be a terminal is asked for once, when somebody wants to know', () => {
  const descriptor = fs.openSync('/dev/ptmx', 'r+');
  onTestFinished(() => fs.closeSync(descriptor));
  let asked = 0;
  const stream = (): NodeJS.WriteStream => {
    asked += 1;
    return { isTTY: true, columns: 100, rows: 30 } as NodeJS.WriteStream;
  };
  const output = createOutput(descriptor, stream, {});
  expect(asked).toBe(0);
  expect([output.columns, output.rows, output.isTerminal]).toEqual([100, 30, true]);
  expect(asked).toBe(1);
});
