import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VERSION } from '#base/version.js';
import { projectFolder } from '../../support/files.js';

let work = '';
let sha256 = '';

beforeAll(() => {
  work = mkdtempSync(path.join(tmpdir(), 'ctx-formulas-'));
  const tarball = path.join(work, 'packed.tgz');
  execaSync('tar', ['-czf', tarball, '--transform', 's,^,package/,', 'package.json'], { cwd: projectFolder });
  sha256 = createHash('sha256').update(readFileSync(tarball)).digest('hex');
  execaSync('node', ['.ci/formulas.mjs', tarball, path.join(work, 'filled')], { cwd: projectFolder });
});
afterAll(() => rmSync(work, { recursive: true }));

function filled(name: string): string {
  return readFileSync(path.join(work, 'filled', name), 'utf8');
}

describe('the formulas of package managers', () => {
  it('have this version and nothing left to fill in', () => {
    const texts = readdirSync(path.join(work, 'filled')).map((name) => filled(name));
    expect(texts).toHaveLength(3);
    for (const text of texts) {
      expect(text).toContain(`/pi-ctx-${VERSION}.tgz`);
      expect(text).not.toMatch(/\{\{|undefined/);
    }
  });

  it('have the hash of the tarball', () => {
    expect(filled('ctx.rb')).toContain(`sha256 "${sha256}"`);
    expect(JSON.parse(filled('ctx.json'))).toMatchObject({ version: VERSION, hash: sha256 });
    const [, integrity = ''] = /pi-ctx-[^;]+;\s+hash = "sha512-([^"]+)"/.exec(filled('ctx.nix')) ?? [];
    expect(Buffer.from(integrity, 'base64')).toHaveLength(64);
  });

  it('describe the package in the 80 characters that Homebrew allows', () => {
    const [, description = ''] = /desc "(.+)"/.exec(filled('ctx.rb')) ?? [];
    expect(description).toMatch(/^.{10,80}(?<!\.)$/);
  });
});
