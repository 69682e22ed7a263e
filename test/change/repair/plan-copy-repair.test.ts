import { expect, it } from 'vitest';
import { readForCopy } from '../../../src/change/copy/session-to-copy.js';
import { planCopyRepair } from '../../../src/change/repair/plan-copy-repair.js';
import { toOpenSession } from '../../../src/context/open.js';
import { codexCopier } from '../../../src/session/agents/codex/copier.js';
import { readAgentSession } from '../../../src/session/agents/reader.js';
import { call, ClaudeCodeLog, textBlock } from '../../support/claude-code.js';
import { openToCopy } from '../../support/copying.js';
import { lines, sourceOf } from '../../support/entries.js';

const timestamp = '2026-03-02T09:00:00.000Z';

function say(text: string): object {
  return { type: 'message', role: 'user', content: [{ type: 'input_text', text }] };
}

/** Plans the repair of a session of Codex, and returns the number of records that it parses. */
async function countParsed(history: readonly object[]): Promise<number> {
  const meta = { id: '019ca000-0000-7000-8000-000000000001', timestamp, cwd: '/work', cli_version: '0.171.0' };
  const source = sourceOf(
    lines(
      { timestamp, type: 'session_meta', payload: meta },
      { timestamp, type: 'response_item', payload: say('Look at it.') },
      { timestamp, type: 'compacted', payload: { message: 'A summary.', replacement_history: history } },
    ),
  );
  const session = await toOpenSession(readAgentSession(source, 'rollout.jsonl')!);
  const copied = await readForCopy({ ...session, close: () => undefined }, codexCopier, true);
  const native = copied.native!;
  let parsed = 0;
  const counting = {
    ...native,
    valueAt(span: Parameters<typeof native.valueAt>[0]) {
      parsed += 1;
      return native.valueAt(span);
    },
  };
  planCopyRepair({ ...copied, native: counting }, new Set(), { now: () => 0, newId: () => '00000001' });
  return parsed;
}

it('parses the record of a history once, however many messages it has', async () => {
  const few = await countParsed([say('one'), say('two')]);
  const many = await countParsed(Array.from({ length: 40 }, (_, at) => say(`number ${at}`)));
  expect([few > 0, many]).toEqual([true, few]);
});

it('leaves a call alone that a compaction took out of the context, also where the prompt was recorded after it', async () => {
  const log = new ClaudeCodeLog();
  log.user('What is here?');
  log.answer('m1', call('c1'));
  log.user('Go on.');
  log.boundary();
  log.summary('They looked around.');
  log.record('attachment', { attachment: { type: 'prompt_snapshot', system: [textBlock('Be brief.')], tools: [] } });
  log.user('And now?');
  const compacted = log.text;
  log.answer('m2', call('c2'));
  log.user('Well?');
  expect(await listRules(compacted)).toEqual([]);
  expect(await listRules(log.text)).toEqual(['call-without-result']);
});

async function listRules(text: string): Promise<readonly string[]> {
  const session = await openToCopy(text);
  const { repairs } = planCopyRepair(session, new Set(), { now: () => 0, newId: () => '00000001' });
  return repairs.map(({ rule }) => rule);
}
