import { describe, expect, it } from 'vitest';
import { completeUsage } from '#analysis/running/complete-usage.js';
import { countUsage } from '#analysis/stats/count-usage.js';
import { SharedEntries } from '#analysis/stats/shared-entries.js';
import { toUsageDocument } from '#analysis/stats/usage-sums.js';
import { readRunningSession, type RunningReading, type RunningWorld } from '#cli/sessions/running-session.js';
import { buildPriceList } from '#context/models/registry.js';
import { openSession } from '#context/open.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { nodeFiles } from '../../../src/platform/files/node-files.js';
import { ClaudeCodeLog } from '../../support/claude-code.js';
import { memoryIndex } from '../../support/memory-index.js';

const FILES = [
  'fixtures/agents/claude-code/session.jsonl',
  'fixtures/agents/claude-code/requests.jsonl',
  'fixtures/agents/codex/rollout.jsonl',
  'fixtures/agents/codex/version-0.50.jsonl',
];

function worldOf(text: string, more: Partial<RunningWorld> = {}): RunningWorld {
  const source = toByteSource(Buffer.from(text));
  const files = { ...nodeFiles, isPipe: () => false, open: () => Promise.resolve(source) };
  return { files, now: () => 0, index: null, timezone: null, deadline: 1, ...more };
}

async function read(text: string, more: Partial<RunningWorld> = {}): Promise<RunningReading> {
  const reading = await readRunningSession(worldOf(text, more), 's.jsonl');
  if (reading === null) throw new Error('no known agent');
  return reading;
}

function totalsOf({ figures }: RunningReading): unknown {
  return toUsageDocument(completeUsage(figures, [], buildPriceList()).usage);
}

const call = (id: string, command: string): unknown => ({ type: 'tool_use', id, name: 'Bash', input: { command } });

describe('a reading of a running session', () => {
  it.each(FILES)('counts the usage of %s as ctx stats does', async (file) => {
    const reading = await readRunningSession({ ...worldOf(''), files: nodeFiles }, file);
    const session = await openSession(file);
    expect(totalsOf(reading!)).toEqual(
      toUsageDocument(countUsage(session, new SharedEntries(), buildPriceList()).usage),
    );
    session.close();
  });

  it.each(FILES)('has the same figures of %s in any pieces', async (file) => {
    const source = await nodeFiles.open(file);
    const text = Buffer.from(source.read(0, source.size)).toString();
    source.close();
    const whole = await read(text);
    const index = memoryIndex();
    for (let end = 0; end < text.length; end += 1777) {
      const { keep, notes } = await read(text.slice(0, Math.max(end, 300)), { index });
      keep(new Map([...notes, ['end', end]]));
    }
    const last = await read(text, { index });
    expect(last.figures).toEqual(whole.figures);
    expect(last.notes.get('end')).toBeGreaterThan(0);
  });

  it('counts the lines of one answer once, with the usage of the last', async () => {
    const log = new ClaudeCodeLog();
    log.user('Count the boats.');
    log.answer('msg_1', { type: 'text', text: 'I look.' });
    log.answer('msg_1', call('toolu_1', 'ls'), log.leaf, { usage: { input_tokens: 3, output_tokens: 500 } });
    const { figures } = await read(log.text);
    expect(figures.usage.usage).toMatchObject({ calls: 1, input: 3, output: 500, cacheRead: 0 });
    expect(figures.context.tokens).toBe(503);
    expect([...figures.calls]).toEqual([['Bash', 1]]);
  });

  it('begins again in a file that was replaced', async () => {
    const [one, other] = ['', 'x'].map((prefix) => {
      const log = new ClaudeCodeLog(prefix);
      log.user(`Count the boats ${prefix}.`);
      log.answer(`msg_${prefix}1`, { type: 'text', text: 'Two.' });
      return log.text;
    });
    const index = memoryIndex();
    (await read(one!, { index })).keep(new Map([['a', 1]]));
    const { figures, notes } = await read(other!, { index });
    expect(figures.usage.usage.calls).toBe(1);
    expect(notes.size).toBe(0);
  });

  it('stops at the deadline, knows the context of the end, and goes on there', async () => {
    const log = new ClaudeCodeLog();
    for (let turn = 0; turn < 3000; turn += 1) {
      log.user(`Turn ${turn}. ${'word '.repeat(60)}`);
      log.answer(`msg_${turn}`, { type: 'text', text: 'word '.repeat(60) }, log.leaf, {
        usage: { input_tokens: turn, output_tokens: 1 },
      });
    }
    const index = memoryIndex();
    const first = await read(log.text, { index, deadline: 0 });
    expect(first.isWhole).toBe(false);
    expect(first.figures.usage.usage.calls).toBeLessThan(1500);
    expect(first.figures.context.tokens).toBe(3000);
    let last = first;
    let readings = 1;
    for (; !last.isWhole; readings += 1) {
      last.keep();
      last = await read(log.text, { index, deadline: 0 });
    }
    expect(readings).toBeGreaterThan(2);
    expect(last.figures.usage.usage.calls).toBe(3000);
  });

  it('reads no file of another program', async () => {
    expect(await readRunningSession(worldOf('{"type":"session","version":3,"id":"a"}\n'), 's.jsonl')).toBeNull();
    expect(await readRunningSession(worldOf(''), 's.jsonl')).toBeNull();
  });
});
