import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { envelopeAt } from '#context/envelope-at.js';
import type { LlmMessage } from '#context/replay/content.js';
import { readSearchableText } from '#context/words/message-blocks.js';
import { Log } from '../fixtures/log.js';
import { Random } from '../support/random.js';

/**
 * The messages after each cut, as the code of the original proposal gives them: pull request 383 of badlogic/pi-mono at
 * commit b66177e2, its `AgentSession._buildContextEnvelopeFromSession` run on these sessions.
 */
const RECORDED = JSON.parse(
  readFileSync(new URL('../golden/pull-request-383-cuts.json', import.meta.url), 'utf8'),
) as readonly (readonly string[])[];

async function sent(log: Log): Promise<readonly LlmMessage[]> {
  return envelopeAt(await log.open()).messages.cached;
}

/** Turns with tool calls, one or two prunes that shorten results, and a stock compaction that keeps from any entry. */
async function prunedThenCompacted(seed: number): Promise<Log> {
  const random = new Random(seed);
  const log = new Log(`cut-${seed}`);
  const ids: string[] = [];
  const turns = random.int(2, 5);
  for (let turn = 0; turn < turns; turn += 1) {
    log.user(`u${turn}`, `ask ${turn}`);
    ids.push(`u${turn}`);
    const calls = random.int(0, 3);
    for (let call = 0; call < calls; call += 1) {
      const id = `t${turn}${call}`;
      log.tool(id, 'read', { path: id }, `long ${id}`);
      ids.push(id, `${id}r`);
    }
  }
  const prunes = random.int(1, 2);
  for (let prune = 0; prune < prunes; prune += 1) {
    const messages = (await sent(log)).map((message) => shortened(message, random, prune));
    const op = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'prune', messages };
    log.transform(`x${prune}`, 'prune', [op]).user(`v${prune}`, `later ${prune}`);
    ids.push(`v${prune}`);
  }
  return log.compaction('k1', 'SUM', random.pick(ids)).user('z', 'go on');
}

function shortened(message: LlmMessage, random: Random, prune: number): LlmMessage {
  const isResult = message['role'] === 'toolResult';
  if (!random.chance(isResult ? 0.6 : 0.1) || message['role'] === 'assistant') return message;
  return { ...message, content: [{ type: 'text', text: `short ${prune}` }] };
}

/** Enough of a message to tell it from all others. */
function labelOf(message: LlmMessage): string {
  const text = readSearchableText(message).split('\n').join(' ');
  const { toolCallId } = message;
  return typeof toolCallId === 'string' ? `${toolCallId}: ${text}` : text;
}

describe('a stock compaction after prunes', () => {
  it.each(RECORDED.map((labels, at) => [at + 1, labels] as const))(
    'cuts session %i as the original does',
    async (seed, labels) => {
      expect((await sent(await prunedThenCompacted(seed))).map(labelOf)).toEqual(labels);
    },
  );
});
