import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { afterAll, expect, it } from 'vitest';
import { projectFolder } from '../support/files.js';
import { foreignFiles, foreignIn, importedBytes } from '../support/imported.js';
import { withRealPi } from '../support/real-pi.js';
import { judge } from './judged.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-pi-imported-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Verdict {
  readonly ok: boolean;
  readonly entries?: readonly { readonly id: string | null; readonly index: number; readonly sha256?: string }[];
}

withRealPi('real Pi', () => {
  it('sees at every entry of an imported session what ctx takes it to see', async () => {
    const imported = [...foreignFiles(300)].flatMap((file) => {
      const session = foreignIn(file);
      if (!session) return [];
      return [{ name: file.name, bytes: importedBytes(session) }];
    });
    const files = imported.map(({ bytes }, nth) => {
      const file = path.join(folder, `${nth}.jsonl`);
      writeFileSync(file, bytes);
      return file;
    });
    const { stdout } = await execa('node', ['judge.mjs', '--hash'], {
      cwd: path.join(projectFolder, 'test/pi'),
      input: files.join('\n'),
      maxBuffer: 1e9,
    });
    const wrong = stdout.split('\n').flatMap((line, nth) => {
      const { ok, entries = [] } = JSON.parse(line) as Verdict;
      const { name = '', bytes = new Uint8Array() } = imported[nth] ?? {};
      const ours = judge(bytes);
      const differing = entries.filter(({ id, index, sha256 }) => ours?.get(id === null ? null : index) !== sha256);
      return ok && differing.length === 0 ? [] : [[name, ok, differing.map(({ id }) => id)]];
    });
    expect(wrong).toEqual([]);
    expect(imported.length).toBeGreaterThan(600);
  }, 300_000);
});
