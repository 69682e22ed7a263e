import { expect, test } from 'vitest';
import { ctx } from '../../support/memory-io.js';

const codex = (version: object): string =>
  [
    { type: 'session_meta', payload: { id: 'v', timestamp: '2026-03-02T09:00:00.000Z', ...version } },
    {
      type: 'response_item',
      payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Rain?' }] },
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');

const opencode = (version: object): string =>
  JSON.stringify({
    info: { id: 'ses_1', directory: '/srv', title: 'Rain', time: { created: 1_790_000_000_000 }, ...version },
    messages: [
      {
        info: { id: 'msg_1', role: 'user', time: { created: 1_790_000_000_001 } },
        parts: [{ type: 'text', text: 'Rain?' }],
      },
    ],
  });

const qwen = (version: object): string =>
  `${JSON.stringify({
    uuid: 'q1',
    parentUuid: null,
    sessionId: 'q',
    timestamp: '2026-03-02T09:00:00.000Z',
    type: 'user',
    cwd: '/srv',
    ...version,
    message: { role: 'user', parts: [{ text: 'Rain?' }] },
  })}\n`;

test.each([
  ['a known version of Codex', codex({ cli_version: '0.98.1' }), false],
  ['a later known version of Codex', codex({ cli_version: '1.4.0-alpha.2' }), false],
  ['Codex without a version', codex({}), true],
  ['a version of Codex that was removed from the file', codex({ cli_version: 'removed' }), true],
  ['a build of Codex without a number', codex({ cli_version: '0.0.0' }), true],
  ['a version of Codex after the known ones', codex({ cli_version: '2.0.0' }), true],
  ['a known version of opencode', opencode({ version: '1.3.17' }), false],
  ['opencode without a version', opencode({}), true],
  ['a version of opencode after the known ones', opencode({ version: '2.1.0' }), true],
  ['a known version of Qwen Code', qwen({ version: '0.4.0' }), false],
  ['the newest version of Qwen Code that was tried', qwen({ version: '0.24.1' }), false],
  ['a version of Qwen Code after the known ones', qwen({ version: '0.31.0' }), true],
])('the header of ctx show says of %s whether messages and compactions are approximate', async (_, text, isUnknown) => {
  const { stdout } = await ctx(['show', 's.json'], { files: { 's.json': text } });
  const header = stdout.split('\n').find((line) => /; missing: /.test(line)) ?? '';
  expect(/approximate: [^;]*compactions/.test(header)).toBe(isUnknown);
  expect(/records [^;]*compactions/.test(header)).toBe(!isUnknown);
});
