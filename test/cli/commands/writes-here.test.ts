import { describe, expect, it } from 'vitest';
import { commandNames } from '#cli/commands/index.js';
import { compactedWork } from '../../support/compacted-work.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const SESSIONS = '/home/ada/.pi/agent/sessions';
const THERE = `${SESSIONS}/--home-ada-other--/2026-01-04T00-00-00-000Z_0198bbbb.jsonl`;
const OLDER = `${SESSIONS}/--home-ada-third--/2026-01-03T00-00-00-000Z_0198aaaa.jsonl`;
const HERE = `${SESSIONS}/--home-ada-weather--/2026-01-01T00-00-00-000Z_0198cccc.jsonl`;
const TEXT = compactedWork();
const PATCH = JSON.stringify([{ op: 'options_set', scope: 'cached', temperature: 1, invalidateCacheReason: 'test' }]);

/** Adds an option to the request. */
const hook = (pi: { on(event: string, handler: (event: { reason: string }) => unknown): void }): void =>
  pi.on('context', ({ reason }) =>
    reason === 'before_request' ? { transformerName: 'test', patch: JSON.parse(PATCH) as unknown } : undefined,
  );

function run(line: string, files: NonNullable<World['files']>): Promise<Ran> {
  const modified = { [OLDER]: 1000, [THERE]: 2000, [HERE]: 500 };
  const startPlugin = pluginsHere({ 'h.ts': hook });
  return ctx(line.split(' '), { files: { 'p.json': PATCH, ...files }, modified, startPlugin });
}

/** Commands that write to a session, or beside it, where none is named. */
const WRITING: Readonly<Record<string, string>> = {
  compact: 'compact --keep-recent 100 --yes',
  prune: 'prune --strategy distill,fold,dedupe --yes',
  revert: 'revert @{compaction} --yes',
  hooks: 'hooks --hook h.ts --write --yes',
  migrate: 'migrate --compactions',
};

/** Commands that write to a session only if it is named. */
const NAMED: Readonly<Record<string, string>> = { apply: 'apply p.json --yes' };

/** Commands that write nothing, or only the file that --output names. */
const READING: Readonly<Record<string, string>> = Object.fromEntries(
  commandNames
    .filter((name) => !Object.hasOwn(WRITING, name) && !Object.hasOwn(NAMED, name))
    .map((name) => [name, /^(extract|redact|report|export|repair)$/.test(name) ? `${name} --output new.out` : name]),
);

describe('a command that writes', () => {
  const there = { [THERE]: TEXT, [OLDER]: TEXT };

  it.each(Object.entries(WRITING))('%s takes no session of another folder that is not named', async (_name, line) => {
    const ran = await run(line, there);
    expect(ran.exitCode).toBe(2);
    expect(ran.stderr).toContain('the current folder has no session; one of another folder has to be named');
    expect(ran.stderr).toContain(
      `latest (0198bbbb, in ${SESSIONS.replace('/home/ada', '~')}/--home-ada-other--), 0198aaaa`,
    );
    expect(ran.files).toEqual({ 'p.json': PATCH, ...there });
  });

  it.each(Object.entries({ ...NAMED, ...READING }))(
    '%s writes to no session that is not named',
    async (_name, line) => {
      const { files } = await run(line, there);
      for (const file of [THERE, OLDER]) expect(files[file]).toBe(TEXT);
      const others = Object.keys(files).filter((name) => name.startsWith(SESSIONS));
      expect(others.toSorted()).toEqual([THERE, OLDER].toSorted());
    },
  );

  it.each(Object.entries(WRITING))('%s takes the session of this folder', async (_name, line) => {
    const ran = await run(line, { ...there, [HERE]: TEXT });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.files).toMatchObject(there);
    const written = Object.entries(ran.files).filter(([, text]) => String(text) !== TEXT);
    expect(written.map(([name]) => name)).toEqual(['p.json', expect.stringContaining('--home-ada-weather--')]);
  });

  it.each(Object.entries(WRITING))('%s uses the latest session of all folders with `latest`', async (_name, line) => {
    const [first = '', ...rest] = line.split(' ');
    const ran = await run([first, 'latest', ...rest].join(' '), there);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.files[OLDER]).toBe(TEXT);
    expect(Object.values(ran.files).filter((text) => String(text) !== TEXT && text !== PATCH)).toHaveLength(1);
  });

  it('says that there are none where there are no sessions at all', async () => {
    const ran = await run('prune --zone red', {});
    expect(ran.exitCode).toBe(3);
    expect(ran.stderr).toContain('there are no sessions of Pi or of another agent yet');
  });
});
