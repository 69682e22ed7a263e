import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '#base/json.js';
import { sumBy } from '#base/lists.js';
import { eachEnvelope } from '#context/envelope-at.js';
import { openSession } from '#context/open.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import { readSentRole } from '#context/replay/convert.js';
import { projectFolder } from '../../support/files.js';
import { ctx } from '../../support/memory-io.js';

/** A request that the provider got, by the tokens that it counted, and its messages without what no file records. */
interface SentRequest {
  readonly promptTokens: number;
  readonly output: number;
  readonly messages: readonly string[];
}

/** The forks of Pi, whose sessions of these versions were recorded with a scripted provider, and what it was sent. */
const FORKS = [
  { agent: 'oh-my-pi', version: '18.2.3' },
  { agent: 'openclaw', version: '2026.9.6' },
];

describe.each(FORKS)('each session that $agent $version recorded', ({ agent }) => {
  const folder = path.join(projectFolder, 'fixtures/agents', agent, 'recorded');
  const sent = JSON.parse(readFileSync(path.join(folder, 'sent.json'), 'utf8')) as Record<string, SentRequest[]>;
  const names = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));

  test('is one of at least five, with the requests that were sent', () => {
    expect(names.length).toBeGreaterThanOrEqual(5);
    expect(Object.keys(sent).toSorted()).toEqual(names.map((name) => path.basename(name, '.jsonl')).toSorted());
  });

  test.each(names)('has the messages that were sent, and the tokens that the provider counted: %s', async (name) => {
    const file = path.join(folder, name);
    const requests = sent[path.basename(name, '.jsonl')] ?? [];
    const session = await openSession(file);
    expect(session.agent?.name).toBe(agent);
    expect(session.problems).toEqual([]);
    const found: number[] = [];
    let before: EnvelopeContent | null = null;
    for (const { head, content } of eachEnvelope(session)) {
      const usage = session.usage(head);
      const request = requests.find(({ promptTokens }) => promptTokens === usage?.['input']);
      if (request && before) {
        const ours = before.messages.cached.flatMap(toWords);
        expect(ours).toEqual(replaceSuperseded(ours, request.messages));
        found.push(request.promptTokens);
      }
      before = content;
    }
    expect(found).toEqual(requests.map(({ promptTokens }) => promptTokens));
    const { stdout } = await ctx(['stats', 's.jsonl', '--json'], { files: { 's.jsonl': readFileSync(file, 'utf8') } });
    expect(asObject(JSON.parse(stdout))['usageRecorded']).toMatchObject({
      input: sumBy(requests, ({ promptTokens }) => promptTokens),
      output: sumBy(requests, ({ output }) => output),
    });
  });
});

/** Earlier requests had the whole result: oh-my-pi writes these words over it, once it reads the file again. */
const SUPERSEDED = 'result: [Superseded by a newer read of this file]';

/** What was sent, with the words that the file has instead. */
function replaceSuperseded(ours: readonly string[], sent: readonly string[]): readonly string[] {
  return sent.map((words, at) => (ours[at] === SUPERSEDED && words.startsWith('result: ') ? SUPERSEDED : words.trim()));
}

function toWords(message: LlmMessage): readonly string[] {
  const { role, content } = message;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly JsonObject[]);
  return blocks.map((block) => toWord(role === 'toolResult' ? 'result' : readSentRole(message), block).trim());
}

function toWord(who: string, { type, text, thinking, name, arguments: input }: JsonObject): string {
  if (type === 'toolCall') return `call: ${String(name)} ${JSON.stringify(input)}`;
  if (type === 'thinking') return `thinking: ${String(thinking)}`;
  const summary = /<summary>\n?([^]*?)\n?<\/summary>/.exec(String(text))?.[1];
  return `${who}: ${summary?.trim() ?? String(text)}`;
}
