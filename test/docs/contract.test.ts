import { it } from 'vitest';
import { CLAUSES } from '#lab/drive/breaches/clauses.js';
import { expectGeneratedPart } from '../support/generated.js';

it('the contract in docs/lab/engines.md is generated', () => {
  const rows = Object.entries(CLAUSES).map(([id, sentence]) => `| \`${id}\` | ${sentence} |`);
  const table = ['| Id | Sentence |', '| --- | --- |', ...rows].join('\n');
  expectGeneratedPart('docs/lab/engines.md', 'contract', `\n${table}\n`);
});
