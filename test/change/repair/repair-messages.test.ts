import { describe, expect, it } from 'vitest';
import { check } from '../../support/check.js';
import { type Entry, HEADER, lines } from '../../support/entries.js';
import { ctx } from '../../support/memory-io.js';
import { repairBytes, saidOf } from '../../support/repaired.js';

/** An answer with a call, whose block is written by hand. */
function calling(block: string): string {
  const message = `{"role":"assistant", "content" : [ {"type":"text","text":"a \\"toolCall\\""} , ${block} ],"usage":{}}`;
  return `{"type":"message","id":"a1","parentId":null,"message":${message},"timestamp":"2026-01-05T09:00:00.000Z"}`;
}

/** The repaired line of an entry, and what is said about it. */
async function repairedLine(line: string): Promise<readonly [line: string, said: readonly string[]]> {
  const file = lines(HEADER, line);
  const repaired = await repairBytes(Buffer.from(file));
  expect(repaired.discarded).toEqual([]);
  const [, after = ''] = Buffer.from(repaired.bytes).toString().split('\n');
  return [after, saidOf(repaired, file).map((said) => said.replace(/ \d+\+\d+:/, ':'))];
}

describe('a call without an object of arguments', () => {
  it.each<readonly [before: string, after: string, said: string]>([
    [
      '{"type":"toolCall","id":"c7","name":"navigate"}',
      '{"type":"toolCall","id":"c7","name":"navigate","arguments":{}}',
      'the call "c7" has empty arguments now',
    ],
    [
      '{"arguments" : null, "type":"toolCall","id":"c7","name":"navigate"}',
      '{"arguments" : {}, "type":"toolCall","id":"c7","name":"navigate"}',
      'the call "c7" has empty arguments now',
    ],
    [
      String.raw`{"type":"toolCall","id":"c7","name":"read","arguments":"{\"path\": \"b.md\"}"}`,
      '{"type":"toolCall","id":"c7","name":"read","arguments":{"path":"b.md"}}',
      'the arguments of the call "c7" are an object now',
    ],
    [
      '{"type":"toolCall","name":"bash","arguments":"ls -l"}',
      '{"type":"toolCall","name":"bash","arguments":{"input":"ls -l"}}',
      'the arguments of the call "bash" are an object now',
    ],
  ])('%s', async (before, after, message) => {
    const [line, said] = await repairedLine(calling(before));
    expect(line).toBe(calling(after));
    expect(said).toContain(`2 block-fields a1: ${message}`);
    const again = await repairBytes(Buffer.from(lines(HEADER, line)));
    expect(again.repairs.filter(({ code }) => code === 'block-fields')).toEqual([]);
  });

  it('stays as it is in a text, and with arguments', async () => {
    const line = calling('{"type":"toolCall","id":"c7","name":"read","arguments":{"path":"b"}}');
    const [after, said] = await repairedLine(line);
    expect(after).toBe(line);
    expect(said.filter((one) => one.includes('block-fields'))).toEqual([]);
  });

  it('is what ctx check says that ctx repair repairs', async () => {
    const file = lines(HEADER, calling('{"type":"toolCall","id":"c7","name":"navigate"}'));
    const { stdout } = await ctx(['check', 's.jsonl', '--rules', 'block-fields'], { files: { 's.jsonl': file } });
    expect(stdout).toContain('`ctx repair` writes them as an object');
    const repaired = await repairBytes(Buffer.from(file));
    expect(await check(repaired.bytes, { rules: ['block-fields'] })).toEqual([]);
  });
});

it('the text of a result becomes a content block', async () => {
  const written = (content: string): string =>
    `{"type":"message","id":"r1","parentId":null,"message":{"role":"toolResult","toolCallId":"c","toolName":"ls","content":${content}}}`;
  const [line, said] = await repairedLine(written(String.raw`"a\nb"`));
  expect(line).toBe(written(String.raw`[{"type":"text","text":"a\nb"}]`));
  expect(said).toContain('2 message-fields r1: its text is now a content block');
});

describe('results that a provider rejects', () => {
  it.each([
    ['twice', 'duplicate-result'],
    ['of no call', 'result-without-call'],
  ])('are omitted, as ctx check says: %s', async (what, rule) => {
    const call = calling('{"type":"toolCall","id":"c7","name":"read","arguments":{}}');
    const result = (id: string, parentId: string, toolCallId: string): Entry => ({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-05T09:00:01.000Z',
      message: { role: 'toolResult', toolCallId, toolName: 'read', content: [], isError: false },
    });
    const file = lines(HEADER, call, result('r1', 'a1', 'c7'), result('r2', 'r1', what === 'twice' ? 'c7' : ''));
    const found = await check(Buffer.from(file), { rules: [rule] });
    expect(found).toMatchObject([{ rule, fix: '`ctx repair` omits the result with a `context_edit`' }]);
    const repaired = await repairBytes(Buffer.from(file));
    expect(await check(repaired.bytes, { rules: [rule] })).toEqual([]);
  });
});
