import fs from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ctxOnDisk } from '../../support/disk-io.js';
import { projectFolder } from '../../support/files.js';

const ID = '0f6d3c1e-7a42-4a0e-9d55-1c2b3a4d5e6f';

let home = '';
beforeAll(() => (home = fs.mkdtempSync(path.join(tmpdir(), 'ctx-links-'))));
afterAll(() => fs.rmSync(home, { recursive: true }));

it('an installed copy has the files of its session, and nothing that a link beside them leads to', async () => {
  const project = path.join(home, '.claude/projects/-home-ada-app');
  fs.mkdirSync(path.join(project, ID, 'tool-results'), { recursive: true });
  const session = path.join(project, `${ID}.jsonl`);
  fs.copyFileSync(path.join(projectFolder, 'fixtures/agents/claude-code/session.jsonl'), session);
  fs.writeFileSync(path.join(project, ID, 'tool-results/one.txt'), 'one');
  const secret = path.join(home, 'secret');
  fs.mkdirSync(secret);
  fs.writeFileSync(path.join(secret, 'key'), 'a key');
  fs.symlinkSync(secret, path.join(project, ID, 'folder'));
  fs.symlinkSync(path.join(secret, 'key'), path.join(project, ID, 'key'));
  const { stdout } = await ctxOnDisk(['extract', session, '--install', '--json'], { home });
  const { copy } = JSON.parse(stdout) as { readonly copy: { readonly file: string; readonly sideFiles: number } };
  expect(copy.sideFiles).toBe(1);
  const names = fs.readdirSync(copy.file.replace(/\.jsonl$/, ''), { recursive: true, encoding: 'utf8' });
  expect(names.toSorted()).toEqual(['tool-results', 'tool-results/one.txt']);
});
