import { describe, expect, it } from 'vitest';
import type { WrittenDocument } from '#change/plan/written-document.js';
import { compactedWork } from '../../support/compacted-work.js';
import { ctx, type Ran, type World } from '../../support/memory-io.js';
import { pluginsHere } from '../../support/plugins.js';

const TEXT = compactedWork();
const PATCH = JSON.stringify([{ op: 'options_set', scope: 'cached', temperature: 1, invalidateCacheReason: 'test' }]);
const NOW = Date.UTC(2026, 0, 5, 10);
const HOUR = 3_600_000;

const hook = (pi: { on(event: string, handler: (event: { reason: string }) => unknown): void }): void =>
  pi.on('context', ({ reason }) =>
    reason === 'before_request' ? { transformerName: 'test', patch: JSON.parse(PATCH) as unknown } : undefined,
  );

function run(line: string, world: World = {}): Promise<Ran> {
  const files = { 's.jsonl': TEXT, 'p.json': PATCH, 'it is.jsonl': TEXT };
  const modified = { 's.jsonl': NOW - 3 * HOUR };
  return ctx(line.split(' '), { files, modified, now: NOW, startPlugin: pluginsHere({ 'h.ts': hook }), ...world });
}

const APPENDING = [
  'compact s.jsonl --keep-recent 100',
  'prune s.jsonl --strategy distill,fold,dedupe',
  'prune s.jsonl --strategy distill,fold,dedupe --as context_edit',
  'revert s.jsonl @{compaction}',
  'hooks s.jsonl --hook h.ts --write',
  'apply s.jsonl p.json',
];

describe('on a terminal', () => {
  it.each(APPENDING)('ctx %s asks, and a no leaves the session as it is', async (line) => {
    for (const answer of ['', 'n', 'yes please']) {
      const ran = await run(line, { answer });
      expect(ran.exitCode).toBe(4);
      // Both the notes and the question are wrapped.
      expect(ran.stderr.replaceAll(/\n +/g, ' ')).toMatch(
        /^would append \d+[^]*\n(note: .*\n)*(resume: .*\n)?(?:undo|redo): ctx revert s\.jsonl \S+\nin short {2}~?[\d,]+ → ~?[\d,]+ tokens.*; messages: \d.*\nAppend \d+ entr(y|ies) to ".+" \(3 hours old, \/.+\)\? \[y\/N\] ctx: not confirmed/,
      );
      expect(ran.files['s.jsonl']).toBe(TEXT);
      expect(Object.keys(ran.files)).toHaveLength(3);
    }
  });

  it.each(APPENDING)('ctx %s appends what was confirmed, and does not ask with --yes', async (line) => {
    const [confirmed, told] = [await run(line, { answer: 'y' }), await run(`${line} --yes`, { answer: 'n' })];
    expect([confirmed.exitCode, told.exitCode]).toEqual([0, 0]);
    expect(told.stderr).not.toContain('Append');
    expect(String(confirmed.files['s.jsonl'])).toBe(String(told.files['s.jsonl']));
    expect(String(told.files['s.jsonl']).length).toBeGreaterThan(TEXT.length);
  });

  it.each(APPENDING)('ctx %s shows the effects before the question, and not again after it', async (line) => {
    const { stdout, stderr } = await run(line, { answer: 'y' });
    const dry = await run(`${line} --dry-run`);
    const effects = dry.stdout.split('\n').filter((row) => /^ +(messages|total) |^(prefix|cache|pays off) /.test(row));
    expect(effects.length).toBeGreaterThan(1);
    const before = stderr.slice(0, stderr.indexOf('[y/N]'));
    for (const row of effects) expect(before).toContain(row);
    expect(stdout).toMatch(/^(?:.*\n)*appended .*\n(resume: .*\n)?((?:undo|redo): .*\n)?$/);
    for (const row of effects.filter((each) => each.startsWith(' '))) expect(stdout).not.toContain(row);
  });

  it.each(['--dry-run', '--plan plan.json', '--output new.jsonl'])('does not ask with %s', async (flag) => {
    const ran = await run(`prune s.jsonl --strategy distill,fold,dedupe ${flag}`, { answer: 'n' });
    expect(ran).toMatchObject({ exitCode: 0, stderr: '' });
    expect(ran.files['s.jsonl']).toBe(TEXT);
  });

  it('says what matters before it asks, once', async () => {
    const note = 'Pi may have the session open (process 42 has the file open); reopen it there to see the new entries';
    const branch = 'a new branch begins at';
    const ran = await run('prune s.jsonl --strategy distill,fold,dedupe --at HEAD~1', { answer: 'y', processes: [42] });
    const said = ran.stderr.replaceAll(/\n +/g, ' ');
    expect(said.indexOf(note)).toBeGreaterThan(-1);
    expect(said.indexOf(note)).toBeLessThan(said.indexOf('Append'));
    expect(said).toContain(branch);
    expect(ran.stdout).not.toContain('note:');
  });

  it('shows control characters of the title instead of printing them', async () => {
    const named = `${TEXT}{"type":"session_info","id":"n1","parentId":null,"timestamp":"","name":"a\\u001b[2Jb"}\n`;
    const ran = await run('apply s.jsonl p.json', { answer: 'n', files: { 's.jsonl': named, 'p.json': PATCH } });
    expect(ran.stderr).toContain('to "a␛[2Jb"');
  });
});

describe('without a terminal', () => {
  it.each(APPENDING)('ctx %s writes only with --yes', async (line) => {
    const refused = await run(line);
    expect(refused.exitCode).toBe(4);
    expect(refused.stderr).toContain('s.jsonl: add --dry-run to see the effect, or --yes to write');
    expect(refused.files['s.jsonl']).toBe(TEXT);
    const written = await run(`${line} -y`);
    expect(written).toMatchObject({ exitCode: 0, stderr: '' });
    expect(String(written.files['s.jsonl']).length).toBeGreaterThan(TEXT.length);
  });

  it('is refused before a summary is paid for', async () => {
    const calls: unknown[] = [];
    const runProgram: World['runProgram'] = (call) => {
      calls.push(call);
      return Promise.reject(new Error('never called'));
    };
    const line = 'compact s.jsonl --keep-recent 100 --summarizer-command summarise';
    expect(await run(line, { runProgram })).toMatchObject({ exitCode: 4 });
    expect(calls).toEqual([]);
  });

  it('needs no consent where there is nothing to write', async () => {
    expect(await run('compact s.jsonl --keep-recent 900k')).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await run('prune s.jsonl --limit 900k')).toMatchObject({ exitCode: 0, stderr: '' });
  });
});

/** What the model is shown, as its hash. */
async function envelopeOf(text: string | Uint8Array | undefined): Promise<string> {
  const ran = await ctx(['show', 's.jsonl', '--json'], { files: { 's.jsonl': text ?? '' } });
  const { system, tools, messages, options } = JSON.parse(ran.stdout) as Record<string, unknown>;
  return JSON.stringify({ system, tools, messages, options });
}

describe('the line that undoes a write', () => {
  it.each([...APPENDING, 'prune s.jsonl --strategy distill,fold,dedupe --at HEAD~1'])(
    'gives back the context from before ctx %s',
    async (line) => {
      const ran = await run(`${line} --yes`);
      const last = ran.stdout.trimEnd().split('\n').at(-1) ?? '';
      expect(last).toMatch(/^(?:undo|redo): ctx revert s\.jsonl \S+$/);
      const undone = await ctx([...last.split(' ').slice(2), '--yes'], { files: ran.files, now: NOW });
      expect(undone.exitCode, undone.stderr).toBe(0);
      expect(await envelopeOf(undone.files['s.jsonl'])).toBe(await envelopeOf(TEXT));
      expect(await envelopeOf(ran.files['s.jsonl'])).not.toBe(await envelopeOf(TEXT));
    },
  );

  it('quotes the name for a shell, and is in the JSON', async () => {
    const files = { 'it is.jsonl': TEXT };
    const ran = await ctx(['prune', 'it is.jsonl', '--yes', '--strategy', 'distill,fold,dedupe', '--json'], {
      files,
      now: NOW,
    });
    const { undo, entries } = JSON.parse(ran.stdout) as WrittenDocument;
    expect(entries.map(({ entryId }) => `ctx revert 'it is.jsonl' ${entryId}`)).toContain(undo);
  });

  it('comes after the command with which Pi continues a session that got shorter', async () => {
    const files = { 'it is.jsonl': TEXT };
    const prune = ['prune', 'it is.jsonl', '--strategy', 'distill,fold,dedupe'];
    const inPlace = await ctx([...prune, '--yes'], { files, now: NOW });
    expect(inPlace.stdout).toMatch(/\nresume: pi --session 'it is\.jsonl'\nundo: ctx revert /);
    const copy = await ctx([...prune, '--output', 'new.jsonl'], { files, now: NOW });
    expect(copy.stdout).toMatch(/\nresume: pi --session new\.jsonl\n$/);
    for (const more of [['--dry-run'], ['--plan', 'p']])
      expect((await ctx([...prune, ...more], { files, now: NOW })).stdout).not.toContain('resume');
  });

  it('is missing where nothing changed', async () => {
    const files = { 's.jsonl': TEXT, 'm.json': '[{"role":"user","content":"x","timestamp":0}]' };
    const ran = await run('apply s.jsonl m.json --ephemeral --yes', { files });
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(ran.stdout).toMatch(/^appended/);
    expect(ran.stdout).not.toContain('undo:');
  });
});
