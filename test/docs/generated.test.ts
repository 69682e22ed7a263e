import { describe, expect, it } from 'vitest';
import { expectGenerated, expectGeneratedPart } from '../support/generated.js';

describe.skipIf(process.env['UPDATE'] === '1')('a generated file', () => {
  const remedy = 'UPDATE=1 npx vitest run test/docs/generated.test.ts writes it';

  it('names the command that writes it if it differs or is missing', () => {
    expect(() => expectGenerated('docs/reference/tables.md', '# Tables')).toThrow(
      `docs/reference/tables.md is out of date: ${remedy}`,
    );
    expect(() => expectGenerated('docs/reference/tables.md', new Uint8Array())).toThrow(`is out of date: ${remedy}`);
    expect(() => expectGenerated('docs/none.md', '')).toThrow(`docs/none.md is missing: ${remedy}`);
  });

  it('may be a part of a page', () => {
    expect(() => expectGeneratedPart('docs/lab/engines.md', 'contract', '')).toThrow(`is out of date: ${remedy}`);
    expect(() => expectGeneratedPart('docs/lab/engines.md', 'no such part', '')).toThrow('to match');
  });
});
