import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ANSWER, ANSWERED, HEADER, NEXT, QUESTION, tearLine } from '#analysis/check/example.js';
import { loadRules } from '#analysis/check/index.js';
import { listProblemHits } from '#analysis/check/problem-rule.js';
import { CtxError } from '#base/errors.js';
import { LINE_DAMAGE } from '#session/scan/damage.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { check } from '../../support/check.js';
import { mutant, patchwork } from '../../support/damaged-files.js';
import { bytes, lines, sessionOf } from '../../support/entries.js';
import { fixtures, projectFolder, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

const rules = { rules: ['file', 'tree'] };
const names = (await loadRules(['file', 'tree'])).map(({ name }) => name);

function open(content: Uint8Array): Session | null {
  try {
    return readSession(toByteSource(content), 'f', { withoutHeader: true });
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'input') return null;
    throw error;
  }
}

describe('every kind of damage', () => {
  it('has a rule', () => {
    expect(Object.keys(LINE_DAMAGE).filter((code) => !names.includes(code))).toEqual([]);
  });

  it.each([
    ['whatever lines a file is made of', patchwork],
    ['whatever happens to the bytes of a session', mutant],
  ])('is found where it is, %s', async (_name, file) => {
    await fc.assert(
      fc.asyncProperty(file, async (content) => {
        const session = open(content);
        if (session === null) return;
        const found = await check(content, rules);
        for (const { offset, length } of session.scan.damaged) {
          const isFound = found.some(
            (finding) => finding.offset! <= offset && offset + length <= finding.offset! + finding.length!,
          );
          expect(isFound).toBe(true);
        }
        expect(session.problems.filter(({ code }) => !found.some((finding) => finding.rule === code))).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('a sound session', () => {
  const sound = [...fixtures, ...triedRecordings].filter((file) => !file.includes('fixtures/damaged/'));
  /** What is wrong with some of the recordings: two were made by programs that are not Pi. */
  const KNOWN: Readonly<Record<string, readonly string[]>> = {
    'agent-sessions-openclaw-large.jsonl': ['orphan', 'orphan'],
    'agentsview-pi-session.jsonl': ['malformed-line'],
  };

  it.each(sound)('has no error: %s', async (file) => {
    const found = await check(readFileSync(file), rules);
    const errors = found.filter(({ severity }) => severity === 'error').map(({ rule }) => rule);
    expect(errors).toEqual(KNOWN[path.basename(file)] ?? []);
  });

  it('has no error, whatever it holds', async () => {
    const shape = fc.record({
      seed: fc.nat(),
      version: fc.constantFrom(1 as const, 2 as const, 3 as const),
      entries: fc.nat({ max: 60 }),
      transforms: fc.constantFrom(0, 0.2),
    });
    await fc.assert(
      fc.asyncProperty(shape, async (generated) => {
        const found = await check(bytes(generateSession(generated)), rules);
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
        // Edits and compactions of generated sessions may name what was never there.
        const codes = found.map(({ rule }) => rule);
        expect(codes.filter((rule) => rule !== 'abandoned-leaves' && !rule.startsWith('dangling-'))).toEqual([]);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the rule no-final-newline', () => {
  const only = { rules: ['no-final-newline'] };

  it('says which entry it is', async () => {
    const [finding] = await check([HEADER, ...ANSWERED, JSON.stringify(NEXT)], only);
    expect(finding).toMatchObject({ line: 4, entryId: 'u2', severity: 'note' });
  });

  it('looks at a file that is only a header', async () => {
    expect(await check([JSON.stringify(HEADER)], only)).toHaveLength(1);
    expect(await check([HEADER], only)).toEqual([]);
  });

  it('leaves a torn tail to its own rule', async () => {
    expect(await check([HEADER, QUESTION, tearLine(ANSWER)], only)).toEqual([]);
  });

  it('looks at sessions of version 1', async () => {
    const { version: _version, ...old } = HEADER;
    expect(await check([old, JSON.stringify(QUESTION)], only)).toHaveLength(1);
  });
});

describe('a finding of group file', () => {
  it('names its line, its bytes and its repair', async () => {
    const top = lines(HEADER, ...ANSWERED);
    expect(await check(bytes(`${top}\0\0\n`), { rules: ['file'] })).toEqual([
      {
        rule: 'nul-bytes',
        severity: 'error',
        message: LINE_DAMAGE['nul-bytes'],
        line: 4,
        entryId: null,
        offset: top.length,
        length: 3,
        place: null,
        fix: 'ctx repair removes the NUL bytes',
        related: [],
      },
    ]);
  });

  it('names the entry where one is left', async () => {
    const { type: _type, ...untyped } = ANSWER;
    expect(await check([HEADER, QUESTION, untyped], rules)).toMatchObject([{ rule: 'no-type', entryId: 'a1' }]);
  });

  it('says of a line that is too long what the reader has found', async () => {
    const rule = (await loadRules(['file'])).find(({ name }) => name === 'line-too-long');
    const problem = {
      code: 'line-too-long',
      severity: 'error',
      message: 'it is long',
      line: 3,
      entryId: null,
    } as const;
    const session = { ...sessionOf(), problems: [{ ...problem, offset: 100, length: 2 ** 30 }] };
    const hits = rule?.looksAt === 'session' ? [...rule.find(session, undefined)] : [];
    expect(hits).toEqual([{ message: 'it is long', at: { line: 3, offset: 100, length: 2 ** 30, id: null } }]);
  });
});

it('a problem of the whole file has no place', () => {
  const problem = { code: 'whole', severity: 'note', message: 'all of it', line: null, entryId: null } as const;
  expect([...listProblemHits({ ...sessionOf(), problems: [problem] }, 'whole')]).toEqual([{ message: 'all of it' }]);
});

it('fixtures of damage are each found by the rule of their name', async () => {
  const folder = path.join(projectFolder, 'fixtures/damaged');
  for (const name of names) {
    const file = fixtures.find((fixture) => fixture === path.join(folder, `${name}.jsonl`));
    if (file) expect((await check(readFileSync(file), rules)).map(({ rule }) => rule)).toContain(name);
  }
});
