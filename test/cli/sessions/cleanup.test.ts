import { describe, expect, it } from 'vitest';
import { ClaudeCodeLog } from '../../support/claude-code.js';
import { ctx } from '../../support/memory-io.js';

const DAY = 86_400_000;
const NOW = 100 * DAY;
const FOLDER = '/home/ada/.claude/projects/-work-app';
const SETTINGS = '/home/ada/.claude/settings.json';
const log = new ClaudeCodeLog();
log.user('Where is the harbour?');
const NAMES = ['0b1c2d3e-0000-4000-8000-000000000001', '0b1c2d3e-0000-4000-8000-000000000002'];

/** What `ctx ls` prints about two sessions, of which the older one was written some days ago. */
async function list(age: number, settings?: string, isTerminal = true): Promise<string> {
  const [older, newer] = NAMES.map((name) => `${FOLDER}/${name}.jsonl`);
  const { stdout } = await ctx(['ls', '--agent', 'claude-code'], {
    files: {
      [older!]: log.text,
      [newer!]: log.text,
      ...(settings === undefined ? {} : { [SETTINGS]: settings }),
    },
    modified: { [older!]: NOW - age * DAY, [newer!]: NOW },
    env: { HOME: '/home/ada' },
    now: NOW,
    columns: 400,
    isTerminal,
  });
  return stdout;
}

describe('a listing of sessions of Claude Code', () => {
  it('tells which will be deleted within a week, and the setting that keeps them', async () => {
    expect(await list(24)).toContain(
      `Claude Code deletes one of these sessions within a week, 30 days after the last change: keep copies with ctx archive, or set "cleanupPeriodDays" in ${SETTINGS}`,
    );
    expect(await list(22)).not.toContain('deletes');
  });

  it('follows the setting', async () => {
    expect(await list(24, '{"cleanupPeriodDays":365}')).not.toContain('deletes');
    expect(await list(4, '{"cleanupPeriodDays":10}')).toContain('10 days after the last change');
  });

  it.each(['{"cleanupPeriodDays":"never"}', 'no JSON'])(
    'tells nothing where nothing is deleted: %s',
    async (settings) => {
      expect(await list(40, settings)).not.toContain('deletes');
    },
  );

  it('tells nothing to a program', async () => {
    expect(await list(24, undefined, false)).not.toContain('deletes');
  });
});

describe('a listing of sessions of Gemini CLI', () => {
  const CHATS = '/home/ada/.gemini/tmp/app/chats';
  const GEMINI_SETTINGS = '/home/ada/.gemini/settings.json';

  /** What `ctx ls` prints about a session that was written some days ago. */
  async function listOld(age: number, retention?: object): Promise<string> {
    const file = `${CHATS}/session-2026-01-02T03-04-0b1c2d3e.json`;
    const document = { sessionId: '0b1c2d3e-0000-4000-8000-000000000001', projectHash: 'f'.repeat(64), messages: [] };
    const { stdout } = await ctx(['ls', '--agent', 'gemini-cli'], {
      files: {
        [file]: JSON.stringify(document),
        ...(retention ? { [GEMINI_SETTINGS]: JSON.stringify({ general: { sessionRetention: retention } }) } : {}),
      },
      modified: { [file]: NOW - age * DAY },
      env: { HOME: '/home/ada' },
      now: NOW,
      columns: 400,
      isTerminal: true,
    });
    return stdout;
  }

  it('tells which will be deleted within a week, and the setting that keeps them', async () => {
    expect(await listOld(24)).toContain(
      `Gemini CLI deletes one of these sessions within a week, 30 days after the last change: keep copies with ctx archive, or set "general.sessionRetention.maxAge" in ${GEMINI_SETTINGS}`,
    );
    expect(await listOld(22)).not.toContain('deletes');
  });

  it.each([
    [4, { maxAge: '1w' }],
    [55, { maxAge: '2m' }],
    [1, { maxAge: '6h', minRetention: '1h' }],
  ])('follows the setting: after %s days with %j', async (age, retention) => {
    expect(await listOld(age, retention)).toContain('deletes one of these sessions');
  });

  it.each([{ enabled: false }, { maxAge: '6h' }, { maxAge: 'soon' }])(
    'tells nothing where nothing is deleted: %j',
    async (retention) => {
      expect(await listOld(90, retention)).not.toContain('deletes');
    },
  );
});
