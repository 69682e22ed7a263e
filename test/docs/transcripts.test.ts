import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { handWritten } from '../fixtures/index.js';
import { projectFolder } from '../support/files.js';
import { expectGenerated } from '../support/generated.js';
import { manualPages } from '../support/manual.js';
import { Resident } from '../support/resident.js';

const docs = ['README.md', ...manualPages, 'docs/ci/README.md', 'fixtures/README.md'];
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
  const sizes = new Map(Array.from(transcript.matchAll(PARQUET_SIZE), ([, file, size]) => [file, size]));
  return `${parts.join('\n')}\n`.replaceAll(PARQUET_SIZE, (_, file, size) => `${file}${sizes.get(file) ?? size}`);
}

/** It depends on the codec, which depends on the version of Node.js: that of the manual stays. */
const PARQUET_SIZE = /^(\S+\.parquet: )([\d,]+ bytes)/gm;

/** Output may hold fences of its own. */
function fenced(transcript: string): string {
  const longest = (transcript.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}console\n${transcript}${fence}`;
}

it.each(docs)('%s shows what its commands print', async (name) => {
  const page = (): string => readFileSync(path.join(projectFolder, name), 'utf8');
  const replayed: string[] = [];
  for (const [, , transcript = ''] of page().matchAll(BLOCK)) replayed.push(await replay(transcript));
  // Other tests may have written their parts of the page in the meantime.
  expectGenerated(
    name,
    page().replaceAll(BLOCK, () => fenced(replayed.shift() ?? '')),
  );
});

it('every fixture has a transcript', () => {
  const all = docs.map((name) => readFileSync(path.join(projectFolder, name), 'utf8')).join('\n');
  const transcripts = [...all.matchAll(BLOCK)].map(([, , transcript]) => transcript).join('\n');
  const shown = new Set([...transcripts.matchAll(/fixtures\/(\S+?\.jsonl)/g)].map(([, name]) => name));
  expect(Object.keys(handWritten).filter((name) => !shown.has(name))).toEqual([]);
});
