import { describe, expect, it } from 'vitest';
import { CtxError } from '#base/errors.js';
import { bytesAccountedFor } from '#session/scan/scan.js';
import { ctx } from '../../../support/memory-io.js';
import { Random } from '../../../support/random.js';
import { runs, tried } from '../../../support/runs.js';
import { TESTED_AGENTS } from './agents.js';
import { FIXTURES, insertLine, listPaths, parseValues, printValues, replaceAt, type ValuePath } from './content.js';
import { buildConversation } from './conversations.js';
import { listExpected, listFaults, open, readMessages } from './read.js';

const CONVERSATION = buildConversation(3, 3);
const PLACES = [0, 0.3, 0.7, 1];

const ofLines = TESTED_AGENTS.filter(({ list }) => list === null);
const ofDocuments = TESTED_AGENTS.filter(({ list }) => list !== null);

describe.each(ofLines)('a damaged file of $name', (agent) => {
  const text = agent.write(CONVERSATION);
  const expected = listExpected(CONVERSATION, agent);

  it('has the messages of the whole lines, wherever writing stopped', async () => {
    const random = new Random(5);
    const first = text.indexOf('\n') + 1;
    let compared = 0;
    for (let count = runs(300, 20); count > 0; count -= 1) {
      const torn = text.slice(0, random.int(first, text.length));
      const whole = torn.slice(0, torn.lastIndexOf('\n') + 1);
      const session = await open(torn);
      if (isJson(torn.slice(whole.length))) continue;
      expect(readMessages(session)).toEqual(readMessages(await open(whole)));
      expect(listFaults(session)).toEqual([]);
      expect(session.problems.length > 0).toBe(torn.length > whole.length);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(10);
  });

  it.each([
    ['no JSON', 'Killed', 'malformed-line'],
    ['the beginning of a record', '{"type":"user","message":{"conte', 'malformed-line'],
    ['NUL bytes', '\0'.repeat(64), 'nul-bytes'],
    ['a number', '7', 'not-an-object'],
    ['null', 'null', 'not-an-object'],
    ['a list', '[{"type":"user"}]', 'not-an-object'],
  ])('has all messages, and reports the line, beside one with %s', async (_name, line, code) => {
    for (const place of PLACES) {
      const session = await open(insertLine(text, line, place));
      expect(readMessages(session)).toEqual(expected);
      expect(session.problems.map((problem) => problem.code)).toEqual([code]);
      expect(listFaults(session)).toEqual([]);
    }
  });

  it('has all messages with blank lines, carriage returns and without a newline at the end', async () => {
    for (const changed of [text.replaceAll('\n', '\n\n'), text.replaceAll('\n', '\r\n'), text.trimEnd()]) {
      const session = await open(changed);
      expect(readMessages(session)).toEqual(expected);
      expect([session.problems, listFaults(session)]).toEqual([[], []]);
    }
  });

  it('has all messages, and reports the line, where NUL bytes are before a record', async () => {
    const lines = text.split('\n');
    for (const place of PLACES) {
      const at = 1 + Math.floor((lines.length - 3) * place);
      const session = await open(lines.with(at, `${'\0'.repeat(9)}${lines[at]}`).join('\n'));
      expect(readMessages(session)).toEqual(expected);
      expect(session.problems.map((problem) => [problem.code, problem.line])).toEqual([['nul-bytes', at + 1]]);
    }
  });

  it('is read without any line, and reports that', async () => {
    const lines = text.trimEnd().split('\n');
    for (const [at, line] of lines.entries()) {
      if (at === 0) continue;
      const session = await open(`${lines.with(at, line.slice(0, -9)).join('\n')}\n`);
      expect(session.problems.map((problem) => problem.line)).toContain(at + 1);
      expect(listFaults(session)).toEqual([]);
    }
  });
});

describe.each(ofDocuments)('a damaged document of $name', (agent) => {
  const text = agent.write(CONVERSATION);

  it('has no message, and is reported, wherever writing stopped', async () => {
    const random = new Random(5);
    for (let count = runs(100, 20); count > 0; count -= 1) {
      const files = { 's.json': text.slice(0, random.int(1, text.length - 1)) };
      const shown = await ctx(['show', 's.json', '--json'], { files });
      expect(shown.stderr).toMatch(/s\.json/);
      if (shown.exitCode === 0) expect(JSON.parse(shown.stdout)).toMatchObject({ messages: { cached: [] } });
      expect((await ctx(['check', 's.json'], { files })).exitCode).toBeGreaterThan(0);
    }
  });
});

describe.each(TESTED_AGENTS)('a file of $name', (agent) => {
  it('has the rest of a text whose bytes are no UTF-8, and reports them', async () => {
    const [message] = CONVERSATION.messages;
    const [begin = ''] = message?.text.split('\n') ?? [];
    const characters = Buffer.from(agent.write(CONVERSATION)).toString('latin1');
    const bytes = Buffer.from(characters.replaceAll(begin.slice(0, 10), '\u00ffuestion 0'), 'latin1');
    const session = await open(bytes);
    expect(JSON.stringify(readMessages(session)[0])).toContain('\ufffduestion');
    expect(readMessages(session).slice(1)).toEqual(listExpected(CONVERSATION, agent).slice(1));
    expect(new Set(session.problems.map(({ code }) => code))).toEqual(new Set(['invalid-utf8']));
  });
});

const VALUES: readonly unknown[] = [undefined, null, true, -7, 1e300, '', 'text', [], ['list'], [null], {}, { key: 7 }];

/** A value, and the place in which it replaces another one. */
type Change = readonly [at: ValuePath, value: unknown];

/** Every change takes some milliseconds, and a command ten times as long: one of them gets each `COMMAND_STEP`th. */
const STEP = 101;
const COMMAND_STEP = 8;

/** Commands that read what others do not. */
const COMMANDS = ['show', 'log', 'stats', 'cache', 'check', 'facts', 'export', 'status'];

describe.each(FIXTURES)('any value in any field of $name', ({ text }) => {
  const values = parseValues(text);
  const changes = tried(
    [...listPaths(values)].flatMap((path) => VALUES.map((value): Change => [path, value])),
    STEP,
  );
  const change = ([path, value]: Change): string => printValues(replaceAt(values, path, value) as []);

  it('is read without an exception, also by commands', async () => {
    let readable = 0;
    for (const each of changes) {
      const session = await open(change(each)).catch(refusal);
      if (session === null) continue;
      expect([each, bytesAccountedFor(session.scan)]).toEqual([each, session.scan.size]);
      for (const head of session.tree.heads) session.entry(head);
      readMessages(session);
      if (readable % COMMAND_STEP === 0) await expectExitCode(each, readable / COMMAND_STEP);
      readable += 1;
    }
    expect(readable).toBeGreaterThan(0);
  });

  /** `nth`: which of the commands reads it. */
  async function expectExitCode(each: Change, nth: number): Promise<void> {
    const command = COMMANDS[nth % COMMANDS.length] ?? '';
    const { exitCode } = await ctx([command, 's'], { files: { s: change(each) } });
    expect([each, command, [0, 1, 3, 4].includes(exitCode)]).toEqual([each, command, true]);
  }
});

/** A file that is no session any more. */
function refusal(error: unknown): null {
  if (error instanceof CtxError && error.kind === 'input') return null;
  throw error;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return text.trim() === '';
  }
}
