import { describe, expect, it } from 'vitest';
import { readResultOutline } from '#session/scan/entry-outline.js';
import { Log } from '../../fixtures/log.js';
import { opened } from '../../support/entries.js';

async function resultsIn(toolCallId: string): Promise<readonly unknown[]> {
  const log = new Log('results');
  // Shorter files are parsed.
  for (let at = 0; at < 200; at += 1) {
    const result = { toolCallId: `${toolCallId}${at}`, content: 'x'.repeat(1000), isError: at % 2 === 0 };
    log.message(at.toString(16).padStart(8, '0'), { role: 'toolResult', ...result });
  }
  const session = await opened(log.text());
  return Array.from(session.tree.heads)
    .filter(({ role }) => role === 'toolResult')
    .slice(1, 3)
    .map((head) => readResultOutline(session, head));
}

describe('a tool result', () => {
  it('is read without its content where the line is as Pi writes it', async () => {
    expect(await resultsIn('call_')).toEqual([
      { message: { toolCallId: 'call_1', isError: false } },
      { message: { toolCallId: 'call_2', isError: true } },
    ]);
  });

  it.each(['é', '"', '\\', 'x'.repeat(600)])('is parsed if the id of its call contains %j', async (odd) => {
    expect(await resultsIn(odd)).toEqual([null, null]);
  });
});
