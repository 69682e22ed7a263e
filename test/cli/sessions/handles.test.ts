import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateSession } from '#cli/locate.js';
import { createPiHandles } from '#cli/sessions/handles.js';
import type { Io } from '#platform/io.js';
import { memoryFiles } from '../../support/memory-io.js';

const SESSIONS = '/home/ada/.pi/agent/sessions';
const HERE = `${SESSIONS}/--home-ada--`;

function ioWith(files: readonly string[], cwd = '/home/ada'): Io {
  const disk = memoryFiles(Object.fromEntries(files.map((file) => [file, ''])));
  const exists: Io['files']['exists'] = (file) => disk.exists(path.resolve(cwd, file));
  const list: Io['files']['list'] = (folder) => disk.list(path.resolve(cwd, folder));
  return { env: {}, home: '/home/ada', cwd, files: { ...disk, exists, list } } as unknown as Io;
}

const ONE = `${HERE}/2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl`;

describe('what names a session file', () => {
  it.each([
    ['/anywhere', ONE],
    ['/home/ada', '.pi/agent/sessions/--home-ada--/2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl'],
    [HERE, './2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl'],
    [HERE, '2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl'],
    [SESSIONS, '../sessions/--home-ada--/2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl'],
  ])("is in Pi's folder a prefix of its id: from %s, %s", (cwd, file) => {
    expect(createPiHandles(ioWith([ONE], cwd))(file)).toBe('0198aaaa');
  });

  it.each([
    ['a name without an id', `${HERE}/mine.jsonl`],
    ['an id that another file has too', `${HERE}/2_0198aaaa-1111.jsonl`],
    ['a folder in which ids are not looked up', `${HERE}/deeper/2_0198bbbb.jsonl`],
    ["Pi's folder itself", `${SESSIONS}/2_0198bbbb.jsonl`],
    ['an id that means another file', `${HERE}/2_latest.jsonl`],
    ['an id that a command takes for a flag', `${HERE}/2_--json.jsonl`],
    ['an id that a command takes for a path', `${HERE}/2_a.jsonl.jsonl`],
  ])('is a path for %s', (_why, file) => {
    expect(createPiHandles(ioWith([ONE, file], '/'))(file)).toBe(file.slice(1));
    expect(createPiHandles(ioWith([ONE, file], '/srv'))(file)).toBe(file);
  });

  it.each([
    ['/home/ada/backup/one.jsonl', 'backup/one.jsonl'],
    ['backup/../two.jsonl', 'two.jsonl'],
    ['/home/adam/one.jsonl', '/home/adam/one.jsonl'],
    ['../one.jsonl', '/home/one.jsonl'],
    ['..one.jsonl', '..one.jsonl'],
    ['-one.jsonl', './-one.jsonl'],
    ['~one.jsonl', "'~one.jsonl'"],
    ['an hour.jsonl', "'an hour.jsonl'"],
    ["ada's.jsonl", String.raw`'ada'\''s.jsonl'`],
    ['天気.jsonl', '天気.jsonl'],
  ])('is elsewhere a path that works from here: %s', (file, handle) => {
    expect(createPiHandles(ioWith([ONE]))(file)).toBe(handle);
  });

  it('is absolute where the current directory is gone', () => {
    expect(createPiHandles(ioWith([ONE], ''))('/backup/one.jsonl')).toBe('/backup/one.jsonl');
    expect(createPiHandles(ioWith([ONE], ''))(ONE)).toBe('0198aaaa');
  });

  it("is a path if Pi's folder is unknown", () => {
    const io = { ...ioWith([ONE]), home: '' };
    expect(createPiHandles(io)(ONE)).toBe(
      '.pi/agent/sessions/--home-ada--/2026-01-01T00-00-00-000Z_0198aaaa-1111.jsonl',
    );
  });

  it('is found again by every command', async () => {
    const id = fc.string({ unit: fc.constantFrom('a', 'b', '-', '_', '.jsonl'), minLength: 1, maxLength: 11 });
    const file = fc.tuple(fc.constantFrom('/x', '/y', ''), fc.constantFrom('1_', '2_', ''), id);
    const files = fc.uniqueArray(
      file.map(([folder, time, name]) => `${SESSIONS}${folder}/${time}${name}.jsonl`),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(files, fc.constantFrom('/home/ada', `${SESSIONS}/x`, '/srv'), async (all, cwd) => {
        const io = ioWith(all, cwd);
        const handleOf = createPiHandles(io);
        for (const each of all) {
          const handle = handleOf(each);
          expect(handle.startsWith('-')).toBe(false);
          expect(path.resolve(cwd, await locateSession(io, handle))).toBe(each);
        }
      }),
    );
  });
});
