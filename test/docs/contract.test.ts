import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { CLAUSES } from '#engines/drive/failure.js';
import { projectFolder } from '../support/files.js';

const file = path.join(projectFolder, 'docs/engines.md');
const BETWEEN = /(?<=<!-- contract -->\n\n)[\s\S]*?(?=\n\n<!-- \/contract -->)/;

it('docs/engines.md lists the sentences of the contract', () => {
  const rows = Object.entries(CLAUSES).map(([id, sentence]) => `| \`${id}\` | ${sentence} |`);
  const table = ['| Id | Sentence |', '| --- | --- |', ...rows].join('\n');
  const page = readFileSync(file, 'utf8');
  if (process.env['UPDATE'] === '1')
    writeFileSync(
      file,
      page.replace(BETWEEN, () => table),
    );
  expect(BETWEEN.exec(readFileSync(file, 'utf8'))?.[0]).toBe(table);
});
