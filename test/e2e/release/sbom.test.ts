import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Ajv from 'ajv';
import { execaSync } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectFolder } from '../../support/files.js';

interface Bom {
  readonly components: readonly { readonly name: string; readonly version: string; readonly 'bom-ref': string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
}

function read(name: string): string {
  return readFileSync(path.join(projectFolder, name), 'utf8');
}

const bom = JSON.parse(read('dist/sbom.cdx.json')) as Bom;

describe('the bill of materials', () => {
  it('is valid CycloneDX 1.6', () => {
    const library = path.dirname(createRequire(import.meta.url).resolve('@cyclonedx/cyclonedx-library/package.json'));
    const schema = (name: string): object =>
      JSON.parse(readFileSync(path.join(library, `res/schema/${name}.SNAPSHOT.schema.json`), 'utf8')) as object;
    const ajv = new Ajv({ unknownFormats: ['iri-reference', 'idn-email'], extendRefs: true });
    for (const name of ['spdx', 'jsf-0.82', 'cryptography-defs'])
      ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
    const isValid = ajv.compile(schema('bom-1.6'));
    expect(isValid(bom), JSON.stringify(isValid.errors)).toBe(true);
    expect(isValid({ ...bom, components: [{ type: 'library' }] })).toBe(false);
  });

  it('lists the packages whose licences the program contains', () => {
    const heads = [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/(?:^|-{80}\n\n)(\S+ \d\S*) \(.+\)\n/g)];
    const licensed = new Set(heads.map(([, head]) => head).filter((head) => !head?.startsWith('gitleaks ')));
    expect(bom.components.map(({ name, version }) => `${name} ${version}`)).toEqual([...licensed]);
    expect(bom.dependencies[0]?.dependsOn).toEqual(bom.components.map((each) => each['bom-ref']));
  });
});

describe('the audit of what is bundled', () => {
  let work = '';
  beforeAll(() => {
    work = mkdtempSync(path.join(tmpdir(), 'ctx-audit-'));
  });
  afterAll(() => rmSync(work, { recursive: true }));

  /** Runs it with an npm that gives this answer. */
  function audit(answer: object): { readonly exitCode?: number; readonly stdout: string } {
    const npm = path.join(work, 'npm');
    writeFileSync(path.join(work, 'answer'), JSON.stringify(answer));
    writeFileSync(npm, `#!/bin/sh\ncat ${work}/answer; exit 1\n`);
    chmodSync(npm, 0o755);
    const env = { PATH: `${work}:${process.env['PATH'] ?? ''}` };
    return execaSync('node', ['.ci/audit.mjs'], { cwd: projectFolder, env, reject: false });
  }

  const advisory = { severity: 'high', title: 'Bad', url: 'https://a.example/1', range: '<99' };

  it('fails for an advisory of a bundled package, and for no other', () => {
    const { exitCode, stdout } = audit({ vulnerabilities: { commander: { via: [advisory, 'other'] } } });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('high: Bad (<99)') });
    expect(audit({ vulnerabilities: { vitest: { via: [advisory] } } }).exitCode).toBe(0);
  });

  it('is left out where the registry has no answer', () => {
    const { exitCode, stdout } = audit({ message: '405 Method Not Allowed', error: {} });
    expect({ exitCode, stdout }).toMatchObject({ exitCode: 77, stdout: expect.stringContaining('405') });
  });
});
