import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { type Printed, Resident } from '../support/resident.js';

/** A row of a table: its id, what it asks for, how far it is met, and what shows that. */
interface Row {
  readonly id: string;
  readonly mark: string;
  readonly shown: string;
}

const rows = readFileSync(path.join(projectFolder, 'test/docs/designs.md'), 'utf8')
  .split('\n')
  .flatMap((line): readonly Row[] => {
    const [, id = '', , mark = '', shown = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
    return /^[\dc]\.\d+$/.test(id) ? [{ id, mark, shown: shown.replaceAll('\\|', '|') }] : [];
  });

/** A command, the exit code where it is not 0, and a piece of what it prints. */
const COMMAND = /^`` ?(.+?) ?``(?: \(exit code (\d+)\))? → `` ?(.+?) ?``/;
const TEST = /^\[[^\]]*\]\(\.\.\/([^)]*)\): "(.*?)"(?:$| )/;

// So wide that no cell of a table is cut.
const resident = new Resident(500);
afterAll(() => resident.close());

it('has all rows, with a mark', () => {
  expect(rows.map(({ id }) => id)).toEqual([...new Set(rows.map(({ id }) => id))]);
  expect(rows.filter(({ mark }) => mark !== '✓' && mark !== '=')).toEqual([]);
  expect(rows.length).toBeGreaterThanOrEqual(232);
  expect(rows.filter(({ mark }) => mark === '✓').length).toBeGreaterThanOrEqual(225);
});

/** What each command printed: several rows may name it. */
const printed = new Map<string, Promise<Printed>>();

it.each(rows.filter(({ shown }) => COMMAND.test(shown)))('$id is shown by a command', async ({ shown }) => {
  const [, command = '', exitCode = '0', piece = ''] = COMMAND.exec(shown) ?? [];
  const running = printed.get(command) ?? resident.runLine(command);
  printed.set(command, running);
  const ran = await running;
  expect(ran.all).toContain(piece);
  expect(String(ran.exitCode)).toBe(exitCode);
});

it.each(rows.filter(({ shown }) => TEST.test(shown)))('$id is shown by a test', ({ shown }) => {
  const [, file = '', title = ''] = TEST.exec(shown) ?? [];
  expect(readFileSync(path.join(projectFolder, 'test', file), 'utf8')).toContain(title);
});

it('shows every row by a command or a test, or says why it differs', () => {
  const unshown = rows.filter(({ mark, shown }) => mark === '✓' && !COMMAND.test(shown) && !TEST.test(shown));
  expect(unshown).toEqual([]);
  expect(rows.filter(({ mark, shown }) => mark === '=' && !/\]\([^)]+\.md/.test(shown))).toEqual([]);
});
