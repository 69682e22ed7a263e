import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder, triedRecordings } from '../../support/files.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const PATCH = JSON.stringify([{ op: 'options_set', scope: 'cached', temperature: 1, invalidateCacheReason: 'test' }]);

const hook = (pi: { on(event: string, handler: (event: { reason: string }) => unknown): void }): void =>
  pi.on('context', ({ reason }) =>
    reason === 'before_request' ? { transformerName: 'test', patch: JSON.parse(PATCH) as unknown } : undefined,
  );

const fixture = (name: string): string => readFileSync(path.join(projectFolder, 'fixtures', name), 'utf8');
const NAME = 'my old one.jsonl';

function run(argv: readonly string[], text: string, world: World = {}): Promise<Ran> {
  const files = { [NAME]: text, 'p.json': PATCH, ...world.files };
  return ctx(argv, { startPlugin: pluginsHere({ 'h.ts': hook }), now: Date.UTC(2026, 0, 5), ...world, files });
}

const OLD = [
  ['version 1', fixture('version-1.jsonl'), '@{compaction}'],
  ['version 2', fixture('version-2.jsonl'), null],
  ...triedRecordings
    .filter((file) => /pi-mono-(large|before)/.test(file))
    .map((file) => [path.basename(file), readFileSync(file, 'utf8'), null] as const),
] as const;

/** Command lines that plan entries for a session. */
function planning(undo: string | null): readonly (readonly string[])[] {
  return [
    ['compact', NAME, '--keep-recent', '5'],
    ['prune', NAME, '--zone', 'compact', '--recent-turns', '1'],
    ['apply', NAME, 'p.json'],
    ['hooks', NAME, '--hook', 'h.ts', '--write'],
    ...(undo === null ? [] : [['revert', NAME, undo]]),
  ];
}

const LONG = 500_000;

/** Of long sessions, only what they were recorded for. */
const CASES = OLD.flatMap(([name, text, undo]) =>
  planning(undo)
    .slice(0, text.length > LONG ? 2 : undefined)
    .map((argv) => [argv[0] ?? '', name, argv, text] as const),
);

/** What the model is shown, whatever the lines of the file are. */
async function messagesOf(file: string, ran: Ran): Promise<unknown> {
  const { stdout } = await ctx(['show', file, '--json'], { files: ran.files });
  const { system, tools, messages, options } = JSON.parse(stdout) as Record<string, unknown>;
  return { system, tools, messages, options };
}

describe('a session of an older version', () => {
  it.each(CASES)('ctx %s plans for one of %s, and writes a migrated copy', async (_command, _name, argv, text) => {
    const tried = await run([...argv, '--dry-run'], text);
    expect(tried.exitCode, tried.stderr).toBe(0);
    expect(tried.stdout).toMatch(/(would append \d|nothing to prune)/);
    if (tried.stdout.includes('would append')) expect(tried.stdout).toContain('was migrated to version 3 in memory');
    const copied = await run([...argv, '--output', 'new.jsonl'], text);
    expect(copied.exitCode, copied.stderr).toBe(0);
    for (const ran of [tried, copied]) expect(ran.files[NAME]).toBe(text);
    if (tried.stdout.includes('nothing to prune')) return;
    const migrated = await run(['migrate', NAME, '--output', 'migrated.jsonl'], text);
    const [copy, base] = [copied.files['new.jsonl'], migrated.files['migrated.jsonl']].map(String);
    expect(copy?.startsWith(base ?? '?')).toBe(true);
    const added = copy?.slice(base?.length).trimEnd().split('\n') ?? [];
    expect(tried.stdout).toContain(`would append ${added.length} entr`);
    const checked = await ctx(['check', 'new.jsonl', '--rules', 'file,tree', '--json'], { files: copied.files });
    expect(checked.stdout).not.toContain('"severity": "error"');
    const applied = await run([...argv.map((word) => (word === NAME ? 'migrated.jsonl' : word)), '--yes'], text, {
      files: migrated.files,
    });
    expect(await messagesOf('new.jsonl', copied)).toEqual(await messagesOf('migrated.jsonl', applied));
  });

  it.each(CASES)(
    'ctx %s appends nothing to one of %s, and names what migrates it',
    async (_command, _name, argv, text) => {
      for (const rest of [[], ...(argv[0] === 'compact' ? [['--plan', 'plan.json', '--dry-run']] : [])]) {
        const ran = await run([...argv, ...rest], text);
        expect(ran.exitCode).toBe(4);
        expect(Object.keys(ran.files)).toEqual([NAME, 'p.json']);
        expect(ran.files[NAME]).toBe(text);
        expect(ran.stderr).toMatch(
          /is never appended to: my old one\.jsonl: migrate it first: ctx migrate 'my old one\.jsonl' --output 'my old one\.v3\.jsonl'\n$/,
        );
      }
    },
  );

  it.each(OLD)('the command that is named migrates one of %s', async (_name, text) => {
    const ran = await run(['migrate', NAME, '--output', 'my old one.v3.jsonl'], text);
    expect(ran.exitCode).toBe(0);
    const files = { 'n.jsonl': ran.files['my old one.v3.jsonl'] ?? '', 'p.json': PATCH };
    expect((await ctx(['apply', 'n.jsonl', 'p.json', '--yes'], { files })).exitCode).toBe(0);
  });

  it.each(OLD)('ctx diff and ctx status read one of %s', async (_name, text) => {
    expect((await run(['diff', NAME, 'HEAD~1', 'HEAD', '--stat'], text)).exitCode).toBe(0);
    const status = await run(['status', NAME, '--limit', '200k'], text);
    expect(status).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('reads standard input as well', async () => {
    const files = { '-': fixture('version-1.jsonl') };
    const ran = await ctx(['compact', '-', '--keep-recent', '5', '--dry-run'], { files });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    const refused = await ctx(['compact', '-', '--keep-recent', '5'], { files });
    expect(refused.stderr).toContain('ctx migrate - --output NEW.jsonl');
  });

  it('says which lines a migrated copy lacks', async () => {
    const damaged = `${fixture('version-1.jsonl')}{"type":"message","mess\n`;
    const ran = await run(['compact', NAME, '--keep-recent', '5', '--dry-run'], damaged);
    expect(ran.stdout).toContain('note: 1 damaged line of it cannot be migrated: see ctx check');
    expect(ran.stderr).toContain('ctx check');
  });
});
