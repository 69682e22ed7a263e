import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { asObject, type JsonObject, listObjects } from '#base/json.js';
import { ClaudeCode } from './claude-code.js';
import { Codex } from './codex.js';
import { findClaudeCode, findCodex } from './installed.js';
import { calls, says } from './provider.js';

const CTX = `"${process.execPath}" "${path.resolve('bin/ctx.js')}"`;
const claudeCode = findClaudeCode('2.1.332');
const codexProgram = findCodex('0.171.0');

if (claudeCode === null) console.warn('left out: Claude Code 2.1.332 is not installed');
if (codexProgram === null) console.warn('left out: Codex 0.171.0 is not installed');

/** The hooks of these events, as both agents configure them. */
function hooksOf(command: string, events: readonly string[]): JsonObject {
  return Object.fromEntries(events.map((event) => [event, [{ hooks: [{ type: 'command', command, timeout: 10 }] }]]));
}

const BUDGET = ['PreToolUse', 'PostToolUse', 'Stop', 'UserPromptSubmit'];
const COMPACTION = ['PreCompact', 'PostCompact', 'SessionStart', 'UserPromptSubmit', 'PostToolUse'];
const again = calls('Bash', { command: 'echo boats', description: 'Count' });

/** The texts of the messages of a request. */
function textOf(body: JsonObject | undefined): string {
  return JSON.stringify(body?.['messages'] ?? body?.['input'] ?? []);
}

describe.skipIf(claudeCode === null)('Claude Code 2.1.332 with the hooks of ctx', () => {
  async function play(command: string, events: readonly string[], work: (claude: ClaudeCode) => Promise<void>) {
    const claude = await ClaudeCode.start(claudeCode!, '2.1.332');
    claude.settings({ hooks: hooksOf(command, events) });
    try {
      await work(claude);
    } finally {
      await claude.end();
    }
  }

  it('stops where equal calls repeat, and says why', async () => {
    await play(`${CTX} guard budget --repeat 2 --action stop`, BUDGET, async (claude) => {
      claude.provider.script('Count the boats', again, again, again, says('There are two.'));
      const conversation = claude.open('--dangerously-skip-permissions');
      await conversation.say('Count the boats.');
      await conversation.client.end();
      expect(claude.provider.requests).toHaveLength(2);
      expect(JSON.stringify(claude.lines())).toContain('Bash was called 2 times with equal input');
    });
  });

  it('warns of the context and the cost once, and goes on', async () => {
    await play(`${CTX} guard budget --context 20k --cost 0.0001`, BUDGET, async (claude) => {
      claude.provider.script('Count the boats', again, again, says('There are two.'));
      const conversation = claude.open('--dangerously-skip-permissions');
      await conversation.say('Count the boats.');
      await conversation.client.end();
      expect(claude.provider.requests).toHaveLength(3);
      const told = claude
        .lines()
        .filter(({ attachment }) => asObject(attachment)['type'] === 'hook_system_message')
        .map((line) => JSON.stringify(line));
      // The cost doubles with the second request.
      expect(told.filter((text) => text.includes('the limit is 20k'))).toHaveLength(1);
      expect(told.join('\n')).toMatch(/the limit is 20k; the session has cost ~\$0\.\d+, and the limit is/);
    });
  });

  it('goes on where the hook cannot read, and where its command line is wrong', async () => {
    await play(`${CTX} guard budget --context lots --action stop`, BUDGET, async (claude) => {
      claude.provider.script('Count the boats', again, says('There are two.'));
      await claude.open('--dangerously-skip-permissions').only('Count the boats.');
      expect(claude.provider.requests).toHaveLength(2);
    });
  });

  it('names what a compaction lost, and gives it back once', async () => {
    await play(`${CTX} guard compaction --restore 300`, COMPACTION, async (claude) => {
      claude.provider.script('Count the boats', says('There are two.'));
      const conversation = claude.open('--dangerously-skip-permissions');
      await conversation.say('Count the boats. Never measure anything in feet.');
      await conversation.say('/compact');
      await conversation.say('And now?');
      await conversation.say('And then?');
      await conversation.client.end();
      const folder = path.join(claude.world.home, '.local/share/ctx/compactions');
      const [name = ''] = readdirSync(folder);
      const record = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as JsonObject;
      expect(statSync(path.join(folder, name)).mode & 0o777).toBe(0o600);
      expect(record).toMatchObject({ isTold: true, isRestored: true, lost: ['Never measure anything in feet.'] });
      expect(listObjects(asObject(asObject(record['facts'])['constraints'])['facts'])).toMatchObject([
        { text: 'Never measure anything in feet.' },
      ]);
      const after = claude.provider.requests.find(({ body }) => textOf(body).includes('And now?'));
      expect(textOf(after?.body)).toContain('- Never measure anything in feet.');
      const last = claude.provider.requests.findLast(({ body }) => textOf(body).includes('And then?'));
      expect(textOf(last?.body).split('- Never measure anything in feet.')).toHaveLength(2);
    });
  });
});

describe.skipIf(codexProgram === null)('Codex 0.171 with the hooks of ctx', () => {
  async function play(command: string, events: readonly string[], work: (codex: Codex) => Promise<void>) {
    const codex = await Codex.start(codexProgram!);
    codex.world.write(path.join(codex.config, 'hooks.json'), JSON.stringify({ hooks: hooksOf(command, events) }));
    try {
      await work(codex);
    } finally {
      await codex.end();
    }
  }
  const shell = calls('exec_command', { cmd: 'echo boats' });
  // Codex runs hooks that the user has reviewed. This flag is for automation.
  const trusted = '--dangerously-bypass-hook-trust';

  it('refuses equal calls, and tells the model why', async () => {
    await play(`${CTX} guard budget --repeat 2 --action stop`, BUDGET, async (codex) => {
      codex.provider.script('Count the boats', shell, shell, says('There are two.'));
      await codex.exec('Count the boats.', trusted);
      const outputs = listObjects(codex.provider.requests.at(-1)?.body['input']).flatMap(({ output }) => output ?? []);
      expect(outputs).toHaveLength(2);
      expect(outputs[0]).not.toContain('ctx stopped');
      expect(outputs[1]).toContain('ctx stopped the agent: Bash was called 2 times with equal input');
    });
  });

  it('goes on below the limits', async () => {
    await play(`${CTX} guard budget --calls bash=3 --context 50k --action stop`, BUDGET, async (codex) => {
      codex.provider.script('Count the boats', shell, shell, says('There are two.'));
      await codex.exec('Count the boats.', trusted);
      expect(codex.provider.requests).toHaveLength(3);
    });
  });

  it('saves the facts before a compaction, which keeps the messages of the user', async () => {
    await play(`${CTX} guard compaction --restore 300`, COMPACTION, async (codex) => {
      codex.settings('model_auto_compact_token_limit = 20100');
      codex.provider.script('Count the boats', { ...shell, promptTokens: 20_500 }, says('There are two.'));
      await codex.exec('Count the boats. Never measure anything in feet.', trusted);
      const folder = path.join(codex.world.home, '.local/share/ctx/compactions');
      const [name = ''] = readdirSync(folder);
      const record = JSON.parse(readFileSync(path.join(folder, name), 'utf8')) as JsonObject;
      expect(record).toMatchObject({ compactions: 0, lost: [], isTold: false });
      expect(asObject(asObject(record['facts'])['goal'])['text']).toContain('Count the boats.');
    });
  });
});
