import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bytes } from '../../../support/entries.js';
import { projectFolder } from '../../../support/files.js';
import { expectLinearTime } from '../../../support/growth.js';
import { ctx } from '../../../support/memory-io.js';
import { tried } from '../../../support/runs.js';
import { TESTED_AGENTS } from './agents.js';
import { buildConversation } from './conversations.js';
import { open, readMessages } from './read.js';

const MESSAGES_A_TURN = 4;

describe.each(TESTED_AGENTS)('a large session of $name', (agent) => {
  it('is read in linear time', async () => {
    await expectLinearTime((turns) => {
      const content = bytes(agent.write(buildConversation(1, turns)));
      return async () => {
        const session = await open(content);
        expect(readMessages(session).length).toBeGreaterThanOrEqual((MESSAGES_A_TURN - 1) * turns);
        for (const head of session.tree.heads) session.usage(head);
      };
    }, 60);
  });

  // Where not all is tried, each agent tries one command or none, since the test above reads all that they read.
  it.each(tried(['log', 'cache', ''], 3, TESTED_AGENTS.indexOf(agent)).filter(Boolean))(
    'takes linear time in ctx %s',
    async (command) => {
      await expectLinearTime((turns) => {
        const files = { s: agent.write(buildConversation(1, turns)) };
        return async () => expect((await ctx([command, 's', '--json'], { files })).exitCode).toBe(0);
      }, 30);
    },
  );
});

describe('the memory that a large session takes', () => {
  let folder = '';
  let kept: Readonly<Record<string, number>> = {};

  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'ctx-size-'));
    const files = TESTED_AGENTS.map(({ name, write }) => {
      const file = path.join(folder, name);
      writeFileSync(file, write(buildConversation(1, 50, ' and more'.repeat(2000))));
      return [name, file] as const;
    });
    const argv = ['--expose-gc', '--input-type=module', '--eval', MEASURE];
    const { stdout } = await execa(process.execPath, argv, { input: JSON.stringify(files) });
    kept = JSON.parse(stdout) as typeof kept;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(TESTED_AGENTS)('holds no texts of $name, or those of one document', ({ name, list }) => {
    expect(kept[name]).toBeLessThan(list === null ? 0.1 : 2.5);
  });
});

/**
 * The memory that each session takes when it was read, as a share of its file. In a process of its own, which holds
 * nothing else: where other tests have filled the memory, each collection of garbage takes long.
 */
const MEASURE = `
import { readFileSync } from 'node:fs';
import { envelopeAt, openSession } from ${JSON.stringify(pathToFileURL(path.join(projectFolder, 'dist/index.js')))};
async function read(content) {
  const session = await openSession(content);
  for (const head of session.tree.heads) session.usage(head);
  return session;
}
async function heapUsed() {
  // What a step held, also weakly, is garbage only after it.
  for (let times = 0; times < 3; times += 1) {
    await new Promise(setImmediate);
    gc();
  }
  return process.memoryUsage().heapUsed;
}
async function measure(content) {
  const before = await heapUsed();
  const session = await read(content);
  const kept = (await heapUsed()) - before;
  if (envelopeAt(session, session.tree.leaf.id).messages.cached.length < 120) throw new Error('messages are lacking');
  return kept / content.length;
}
const kept = {};
for (const [name, file] of JSON.parse(readFileSync(0, 'utf8'))) {
  const content = readFileSync(file);
  // The first reading also loads the code for it.
  await read(content);
  kept[name] = await measure(content);
}
console.log(JSON.stringify(kept));
`;
