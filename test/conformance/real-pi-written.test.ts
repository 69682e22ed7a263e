import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { fixtures, projectFolder, recordings } from '../support/files.js';
import { withRealPi } from '../support/real-pi.js';
import { isComparable, judgeLeaf } from './judged.js';
import { faultOf, generatedFor, writesTo } from './writes.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-written-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Generated sessions, and those of the project that can be appended to. */
function* sessions(): Generator<Uint8Array> {
  for (let seed = 0; seed < 200; seed += 1) yield generatedFor(seed);
  for (const file of [...fixtures, ...recordings].filter(isSound))
    if (statSync(file).size < LONGEST) yield readFileSync(file);
}

const LONGEST = 200_000;

/** Pi itself fails at some of the damaged ones, before and after. */
function isSound(file: string): boolean {
  return !/damaged|missing/.test(file) && (isComparable(file) || file.includes('mixed'));
}

withRealPi('real Pi', () => {
  it('builds the context that the plan of every write predicts, or the plan says what it ignores', async () => {
    const names: string[] = [];
    for (const [nth, bytes] of [...sessions()].entries()) {
      for (const write of writesTo(bytes, nth)) {
        writeFileSync(path.join(folder, `${names.length}.jsonl`), write.bytes);
        names.push(`${nth}, ${write.name}`);
        expect(faultOf(write), names.at(-1)).toBeNull();
      }
    }
    const { stdout } = await execa('node', ['judge.mjs', '--hash', '--head'], {
      cwd: path.join(projectFolder, 'test/pi'),
      input: names.map((_name, nth) => path.join(folder, `${nth}.jsonl`)).join('\n'),
      maxBuffer: 1e9,
    });
    const wrong = stdout.split('\n').flatMap((line, nth) => {
      const verdict = JSON.parse(line) as {
        file: string;
        ok: boolean;
        entries: { id: string | null; sha256: string }[];
      };
      const pis = verdict.ok ? verdict.entries.find(({ id }) => id === null)?.sha256 : undefined;
      return pis !== undefined && pis === judgeLeaf(readFileSync(verdict.file)) ? [] : [names[nth]];
    });
    expect(names.length).toBeGreaterThan(2000);
    expect(wrong).toEqual([]);
  }, 240_000);
});
