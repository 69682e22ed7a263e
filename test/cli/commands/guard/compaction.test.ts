import { describe, expect, it } from 'vitest';
import { UNSAFE } from '../../../support/check-run.js';
import { ClaudeCodeLog } from '../../../support/claude-code.js';
import { ctx } from '../../../support/memory-io.js';

const FILE = '/home/ada/.claude/projects/-app/0b1c2d3e-0000-4000-8000-00000000abcd.jsonl';

/** A session whose user has given instructions. */
function talk(...instructions: readonly string[]): ClaudeCodeLog {
  const log = new ClaudeCodeLog();
  for (const [at, text] of ['Count the boats.', ...instructions].entries()) {
    log.user(text);
    log.answer(`msg_${at}`, { type: 'text', text: 'I do.' });
  }
  return log;
}

function compact(log: ClaudeCodeLog): void {
  log.boundary();
  log.summary('The boats were counted.');
}

/** A machine on which hooks run one after another. */
class Machine {
  files: Readonly<Record<string, string | Uint8Array>> = {};

  async hook(event: string, log: ClaudeCodeLog, args: readonly string[] = [], fields = {}) {
    const input = { session_id: 's', transcript_path: FILE, hook_event_name: event, ...fields };
    const world = { files: { ...this.files, [FILE]: log.text, '-': JSON.stringify(input) } };
    const { stdout, stderr, exitCode, files } = await ctx(['guard', 'compaction', ...args], world);
    this.files = files;
    if (exitCode !== 0) throw new Error(`${exitCode}: ${stderr}`);
    return { answer: stdout === '' ? null : JSON.parse(stdout), stderr };
  }
}

describe('ctx guard compaction', () => {
  it('names what each compaction lost, once', async () => {
    const machine = new Machine();
    const log = talk('Never measure anything in feet.');
    for (const text of ['Never measure anything in feet.', 'Always answer in French.']) {
      await machine.hook('PreCompact', log);
      compact(log);
      const { answer } = await machine.hook('UserPromptSubmit', log);
      expect(answer.systemMessage).toContain(text);
      expect((await machine.hook('UserPromptSubmit', log)).answer).toBeNull();
      log.user('Always answer in French.');
      log.answer('msg_9', { type: 'text', text: 'Oui.' });
    }
  });

  it('prints nothing that a terminal would obey, or that hides text', async () => {
    const file = '/home/ada/.claude/projects/-\u202eapp\u009b/s.jsonl';
    const log = talk('Never measure \u202e anything in feet.');
    const hook = (event: string, files: object) => {
      const input = { session_id: 's', transcript_path: file, hook_event_name: event };
      return ctx(['guard', 'compaction'], { files: { ...files, [file]: log.text, '-': JSON.stringify(input) } });
    };
    const { files } = await hook('PreCompact', {});
    compact(log);
    const { stdout } = await hook('UserPromptSubmit', files);
    expect(JSON.stringify(JSON.parse(stdout))).toContain('\u202eapp\u009b');
    expect(stdout).not.toMatch(UNSAFE);
  });

  it('gives back what fits, at the first event that takes it, and says so before', async () => {
    const machine = new Machine();
    const log = talk('Never measure anything in feet.', 'Always answer in French.');
    await machine.hook('PreCompact', log);
    compact(log);
    const restore = ['--restore', '500'];
    const { answer: told } = await machine.hook('PostCompact', log, restore);
    expect(told).toEqual({
      systemMessage: expect.stringMatching(/lacks 2 instructions .* The model gets them back with a later event\.$/),
    });
    const { answer: given } = await machine.hook('UserPromptSubmit', log, restore);
    expect(given).toEqual({
      hookSpecificOutput: {
        hookEventName: 'UserPromptSubmit',
        additionalContext: expect.stringContaining('\n- Never measure anything in feet.\n- Always answer in French.'),
      },
    });
    expect((await machine.hook('UserPromptSubmit', log, restore)).answer).toBeNull();
  });

  it('gives the newest back where not all fit, and promises no more', async () => {
    const machine = new Machine();
    const log = talk('Never measure anything in feet.', 'Always answer in French.');
    await machine.hook('PreCompact', log);
    compact(log);
    const { answer } = await machine.hook('UserPromptSubmit', log, ['--restore', '30']);
    expect(answer.systemMessage).toContain('The model gets the newest 1 instruction back with this event. Repeat');
    expect(answer.hookSpecificOutput.additionalContext).toMatch(/:\n- Always answer in French\.$/);
  });

  it('reads the session at few calls of tools after a compaction that never came', async () => {
    const machine = new Machine();
    const log = talk('Never measure anything in feet.');
    await machine.hook('PreCompact', log);
    for (let event = 0; event < 20; event += 1) await machine.hook('PostToolUse', log);
    compact(log);
    expect((await machine.hook('PostToolUse', log)).answer).toBeNull();
    const { answer } = await machine.hook('UserPromptSubmit', log);
    expect(answer.systemMessage).toContain('Never measure anything in feet.');
  });

  it.each([
    ['no usable id', { session_id: '../../s' }, 'there is no folder for the facts of this session'],
    ['no session', { transcript_path: null }, 'the agent saves no session'],
    ['no file', { transcript_path: '/gone.jsonl' }, 'no such file'],
  ])('lets the agent go on with %s, and writes nothing', async (_, fields, reason) => {
    const machine = new Machine();
    const { answer, stderr } = await machine.hook('PreCompact', talk(), [], fields);
    expect(answer).toBeNull();
    expect(stderr).toContain(reason);
    expect(Object.keys(machine.files).filter((file) => file.includes('/ctx/'))).toEqual([]);
  });

  it('masks control characters in what it names', async () => {
    const machine = new Machine();
    const log = talk('Never measure anything in \u001b[31mfeet.');
    await machine.hook('PreCompact', log);
    compact(log);
    const { answer } = await machine.hook('UserPromptSubmit', log, ['--restore', '500']);
    expect(JSON.stringify(answer)).not.toContain('\\u001b');
    expect(answer.systemMessage).toContain('feet');
  });
});
