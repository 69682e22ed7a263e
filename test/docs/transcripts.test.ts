import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { handWritten } from '../fixtures/index.js';
import { projectFolder } from '../support/files.js';
import { Resident } from '../support/resident.js';

const docs = [
  'README.md',
  ...readdirSync(path.join(projectFolder, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
  'docs/ci/README.md',
];
const BLOCK = /^(`{3,})console\n([\s\S]*?)^\1$/gm;

const resident = new Resident();
afterAll(() => resident.close());

/** Runs every command of a transcript, as a reader would in a clone, and writes down what it printed. */
async function replay(transcript: string): Promise<string> {
  const commands = transcript.split('\n').filter((line) => line.startsWith('$ '));
  const parts: string[] = [];
  for (const command of commands) {
    const { all, exitCode } = await resident.runLine(command.slice(2));
    parts.push(
      [command, ...(all === '' ? [] : [all]), ...(exitCode === 0 ? [] : [`[exit code ${exitCode}]`])].join('\n'),
    );
  }
  return `${parts.join('\n')}\n`;
}

/** Output may hold fences of its own. */
function fenced(transcript: string): string {
  const longest = (transcript.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}console\n${transcript}${fence}`;
}

it.each(docs)('%s shows what its commands print', async (name) => {
  const file = path.join(projectFolder, name);
  const text = readFileSync(file, 'utf8');
  const replayed: string[] = [];
  for (const [, , transcript = ''] of text.matchAll(BLOCK)) replayed.push(await replay(transcript));
  const current = text.replaceAll(BLOCK, () => fenced(replayed.shift() ?? ''));
  if (process.env['UPDATE'] === '1') writeFileSync(file, current);
  expect(readFileSync(file, 'utf8')).toBe(current);
});

it('every fixture has a transcript', () => {
  const all = docs.map((name) => readFileSync(path.join(projectFolder, name), 'utf8')).join('\n');
  const shown = new Set([...all.matchAll(/^\$ .*?fixtures\/(\S+\.jsonl)/gm)].map(([, name]) => name));
  expect(Object.keys(handWritten).filter((name) => !shown.has(name))).toEqual([]);
});
