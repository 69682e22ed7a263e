import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { parseConfig } from '#cli/config/schema.js';
import { CONFIG_NAMES, findConfig as findWith } from '#platform/files/config-files.js';
import { loadConfig } from '#platform/files/load-config.js';
import { openTrustedConfigs, readTrustedConfigs } from '#platform/files/trusted-configs.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ctx-config-'));
  mkdirSync(path.join(folder, 'a/b'), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The search of a user who has allowed every configuration. */
const findConfig = (from: string, home: string): ReturnType<typeof findWith> =>
  findWith(from, home, { ...readTrustedConfigs(null, () => null), has: () => true });

function write(name: string, text: string): string {
  const file = path.join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** What each kind of file looks like that asks for all requests. */
const WRITTEN: Readonly<Record<string, string>> = {
  'ctx.config.json': '\uFEFF{"requests":"all"}',
  'ctx.config.js': 'export default { requests: "all" };',
  'ctx.config.mjs': 'export default { requests: "all" };',
  'ctx.config.cjs': 'module.exports = { requests: "all" };',
  'ctx.config.ts':
    'import { defineConfig } from "pi-ctx";\nenum Which { all = "all" }\nexport default defineConfig({ requests: Which.all });',
  'ctx.config.mts': 'const requests: string = "all"; export default { requests };',
  'ctx.config.cts': 'const requests: string = "all"; module.exports = { requests };',
  'package.json': '{"name":"weather","ctx":{"requests":"all"}}',
};

describe('a configuration', () => {
  it.each(CONFIG_NAMES)('is found as %s, from a folder below', async (name) => {
    const file = write(name, WRITTEN[name]!);
    expect(await findConfig(path.join(folder, 'a/b'), '/')).toEqual({
      file,
      value: { requests: 'all' },
      isTrusted: true,
    });
    expect(await loadConfig(file)).toEqual({ requests: 'all' });
  });

  it('is the nearest one, and JSON comes first', async () => {
    write('ctx.config.json', '{"limit":1}');
    write('a/package.json', '{"ctx":{"limit":2}}');
    write('a/ctx.config.cjs', 'module.exports = { limit: 3 };');
    write('a/ctx.config.json', '{"limit":4}');
    write('a/b/package.json', '{"name":"no key of ours"}');
    expect(await findConfig(path.join(folder, 'a/b'), '/')).toMatchObject({ value: { limit: 4 } });
  });

  it('is not looked for above the home folder, which itself is looked at', async () => {
    write('ctx.config.json', '{"limit":1}');
    const home = path.join(folder, 'a');
    expect(await findConfig(path.join(folder, 'a/b'), home)).toBeNull();
    write('a/ctx.config.json', '{"limit":2}');
    expect(await findConfig(path.join(folder, 'a/b'), home)).toMatchObject({ value: { limit: 2 } });
  });

  it.each(['{', '[]', '"text"', 'null', '', '{"ctx"'])('is not asked of a package.json that says %j', async (text) => {
    write('a/package.json', text);
    expect(await findConfig(path.join(folder, 'a'), folder)).toBeNull();
  });

  it('leaves nothing behind', async () => {
    const file = write('ctx.config.ts', WRITTEN['ctx.config.ts']!);
    await loadConfig(file);
    expect(readdirSync(folder).toSorted()).toEqual(['a', 'ctx.config.ts']);
  });
});

describe('a configuration that cannot be read', () => {
  const failed = async (name: string): Promise<CtxError> => {
    const error: unknown = await findConfig(path.dirname(path.join(folder, name)), '/').catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof CtxError)) throw new Error('it was read');
    expect(error.kind).toBe('usage');
    expect(error.where).toContain(path.basename(name));
    return error;
  };

  it('is JSON with a mistake', async () => {
    write('ctx.config.json', '{"limit":}');
    expect((await failed('ctx.config.json')).message).toMatch(/cannot read the configuration: .*JSON/);
  });

  it('is a program with a mistake: its line is named', async () => {
    write('ctx.config.ts', 'export default {\n  limit: ,\n};\n');
    expect((await failed('ctx.config.ts')).where).toMatch(/ctx\.config\.ts:2:\d+$/);
  });

  it('is a program that throws', async () => {
    write('ctx.config.js', 'throw new Error("no such\\nvariable");');
    expect((await failed('ctx.config.js')).message).toBe('cannot read the configuration: no such');
  });

  it('is a program whose value throws when it is read', () => {
    const limit = {
      get: (): number => {
        throw new Error('no limit');
      },
    };
    const read = (): unknown =>
      parseConfig(Object.defineProperty({}, 'limit', { ...limit, enumerable: true }), 'c.mjs');
    expect(read).toThrow('cannot read the configuration: no limit');
    expect(read).toThrow(expect.objectContaining({ kind: 'usage', where: 'c.mjs' }));
  });

  it('is the working directory, which has a name too', async () => {
    await expect(loadConfig('.')).rejects.toMatchObject({ kind: 'usage', where: '.' });
  });

  it('is a folder', async () => {
    mkdirSync(path.join(folder, 'ctx.config.json'));
    expect((await failed('ctx.config.json')).message).toContain('not a file');
  });

  it('is a file without read permission', async () => {
    const file = write('ctx.config.json', '{}');
    chmodSync(file, 0);
    // Root may read everything.
    if (process.getuid?.() === 0) await expect(loadConfig(file)).resolves.toEqual({});
    else expect((await failed('ctx.config.json')).message).toContain('EACCES');
  });

  it('is named and not there', async () => {
    await expect(loadConfig(path.join(folder, 'none.ts'))).rejects.toThrow('no such configuration');
  });
});

describe('a configuration that the user has not allowed', () => {
  const trusts = () => openTrustedConfigs({ XDG_CONFIG_HOME: path.join(folder, 'own') }, '');

  it('is not run if it is a program, and may not act if it is JSON', async () => {
    const program = write('ctx.config.mjs', 'globalThis.wasRun = true; export default {};');
    await expect(findWith(folder, '/', trusts())).rejects.toMatchObject({
      kind: 'usage',
      message: 'this configuration is a program, and you have not allowed it to run',
    });
    expect(globalThis).not.toHaveProperty('wasRun');
    trusts().add(program);
    expect(await findWith(folder, '/', trusts())).toMatchObject({ value: {}, isTrusted: true });
    write('ctx.config.json', '{"limit":9}');
    expect(await findWith(folder, '/', trusts())).toMatchObject({ value: { limit: 9 }, isTrusted: false });
  });

  it('is one that has changed since then', () => {
    const file = write('ctx.config.json', '{"limit":9}');
    trusts().add(file);
    expect(trusts().has(file)).toBe(true);
    write('ctx.config.json', '{"limit":8}');
    expect([trusts().has(file), trusts().list()]).toEqual([false, [file]]);
    write('ctx.config.json', '{"limit":9}');
    expect(trusts().has(file)).toBe(true);
    expect([trusts().remove(file), trusts().has(file), trusts().remove(file)]).toEqual([true, false, false]);
  });

  it('of a package.json is its key: other changes do not count', () => {
    const file = write('package.json', '{"version":"1.0.0","ctx":{"limit":9}}');
    trusts().add(file);
    write('package.json', '{"version":"1.0.1","ctx":{"limit":9}}');
    expect(trusts().has(file)).toBe(true);
    write('package.json', '{"version":"1.0.1","ctx":{"limit":8}}');
    expect(trusts().has(file)).toBe(false);
  });

  it('is every one where the record cannot be read or the home is unknown', () => {
    const file = write('ctx.config.json', '{}');
    mkdirSync(path.join(folder, 'own/ctx'), { recursive: true });
    write('own/ctx/trusted.json', '{"trusted":[7,{"file":3}');
    expect(trusts().has(file)).toBe(false);
    expect(openTrustedConfigs({}, '').has(file)).toBe(false);
    expect(() => openTrustedConfigs({}, '').add(file)).toThrow('cannot record the permission');
  });
});
