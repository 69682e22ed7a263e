import { describe, expect, it } from 'vitest';
import { type JsonObject, listObjects } from '#base/json.js';
import { eachEnvelope, envelopeAt } from '#context/envelope-at.js';
import { openSession, type OpenSession } from '#context/open.js';
import {
  reminder,
  RequestLog,
  requestSession,
  resultBlock,
  type WireMessage,
} from '../../../../support/claude-code-requests.js';
import { call, textBlock } from '../../../../support/claude-code.js';
import { bytes } from '../../../../support/entries.js';
import { expectGenerated } from '../../../../support/generated.js';
import { isTried } from '../../../../support/runs.js';

/** The messages of a request in words that both sides can be put into: a result is a message of its own. */
function sentWords({ role, content }: WireMessage): readonly string[] {
  const blocks = typeof content === 'string' ? [textBlock(content)] : content;
  const rest = blocks.filter(({ type }) => type !== 'tool_result').map((block) => wordsOf(block as JsonObject));
  const results = blocks.filter(({ type }) => type === 'tool_result');
  return [
    ...results.map((result) => `result ${String(result['tool_use_id'])}: ${String(result['content'])}`),
    ...(rest.length === 0 ? [] : [`${role === 'system' ? 'user' : role}: ${rest.join(' + ')}`]),
  ];
}

function ownWords({ role, toolCallId, content }: JsonObject): string {
  const words = typeof content === 'string' ? content : listObjects(content).map(wordsOf).join(' + ');
  return role === 'toolResult' ? `result ${String(toolCallId)}: ${words}` : `${String(role)}: ${words}`;
}

function wordsOf({ type, text, id }: JsonObject): string {
  return type === 'text' ? String(text) : `call ${String(id)}`;
}

function open({ log }: RequestLog): Promise<OpenSession> {
  return openSession(bytes(log.text));
}

/** The messages before each answer to a request, by the number of the request. */
async function shownIn(session: OpenSession): Promise<ReadonlyMap<number, readonly string[]>> {
  const shown = new Map<number, readonly string[]>();
  let before: readonly string[] = [];
  for (const { head, content } of eachEnvelope(session)) {
    const { message = {} } = session.entry(head);
    const number = Number(/^msg_(\d+)$/.exec(String((message as JsonObject)['responseId']))?.[1]);
    if (number > 0) shown.set(number, before);
    before = content.messages.cached.map((each) => ownWords(each));
  }
  return shown;
}

async function expectAsSent(log: RequestLog): Promise<OpenSession> {
  const session = await open(log);
  const sent = log.sent.map((messages, at) => [at + 1, messages.flatMap(sentWords)] as const);
  const shown = await shownIn(session);
  expect([...shown]).toEqual(sent.filter(([number]) => shown.has(number)));
  return session;
}

/** The entries of the messages at the leaf, by the beginning of their ids. */
function sourcesIn(session: OpenSession): readonly (string | null)[] {
  return envelopeAt(session).meta.provenance.map(({ entryId }) => entryId);
}

const titlesIn = (session: OpenSession): readonly unknown[] =>
  Array.from({ length: session.tree.heads.length }, (_, at) => session.tree.heads.at(at))
    .filter((head) => head?.type === 'context_transform')
    .map((head) => head && (session.entry(head)['display'] as JsonObject)['title']);

/** A prompt, and a request of it. */
function asked(log: RequestLog, words = 'Hi'): readonly WireMessage[] {
  log.user(words);
  const messages = [{ role: 'user', content: words }];
  log.ask(messages);
  return messages;
}

describe('the messages of a request', () => {
  it('are those that were sent, joined and in their order', async () => {
    const log = requestSession();
    expectGenerated('fixtures/agents/claude-code/requests.jsonl', log.log.text);
    const session = await expectAsSent(log);
    expect((await shownIn(session)).size).toBe(log.sent.length - 1);
    expect(session.agent?.parts.messages).toBe('recorded');
    // Only the failed answer is no part of what was sent after it.
    expect(titlesIn(session)).toEqual(['messages as they were sent']);
  });

  it('have the entries of the records that they are from', async () => {
    const log = new RequestLog();
    const prompt = log.user('Look');
    const told = log.attachment('Be brief.', 'system');
    log.attachment('Use tabs.');
    const messages = [
      { role: 'user', content: [reminder('Use tabs.'), textBlock('Look')] },
      { role: 'system', content: 'Be brief.' },
    ];
    log.ask(messages);
    const answer = log.answer(call('t1'));
    const answered = log.log.leaf ?? '';
    const result = log.user([resultBlock('t1', 'a list')]);
    log.attachment('Still Monday.');
    log.ask([...messages, answer, { role: 'user', content: [resultBlock('t1', `a list\n\nStill Monday.`)] }]);
    log.answer();
    const sources = [prompt, told, answered, result, log.log.leaf ?? ''].map((uuid) => uuid.slice(0, 8));
    expect(sourcesIn(await expectAsSent(log))).toEqual(sources);
  });

  it('are those of the branch of its answer', async () => {
    const log = new RequestLog();
    const start = [...asked(log), log.answer()];
    const { leaf } = log.log;
    log.user('One');
    const first = [...start, { role: 'user', content: 'One' }];
    log.ask(first);
    const other = log.answer();
    const end = (log.log.leaf ?? '').slice(0, 8);
    log.log.leaf = leaf;
    log.user('Two');
    log.attachment('Use tabs.');
    log.ask([...start, { role: 'user', content: [reminder('Use tabs.'), textBlock('Two')] }]);
    log.answer();
    const session = await expectAsSent(log);
    const shown = envelopeAt(session, end).messages.cached.map((each) => ownWords(each));
    expect(shown).toEqual([...first, other].flatMap(sentWords));
    expect(titlesIn(session)).toEqual([]);
  });

  it('are stated again where they are others than before, and those that are equal keep their entries', async () => {
    const log = new RequestLog();
    const prompt = log.user('Look');
    const start = [{ role: 'user', content: 'Look' }];
    log.ask(start);
    const answer = log.answer(call('t1'));
    const answered = log.log.leaf ?? '';
    log.user([resultBlock('t1', 'a long list')]);
    const sent = [...start, answer, { role: 'user', content: [resultBlock('t1', 'a long list')] }];
    log.ask(sent);
    const second = [...sent, log.answer()];
    log.user('Go on');
    const cut = { role: 'user', content: [resultBlock('t1', 'cleared')] };
    log.ask(second.with(2, cut).concat({ role: 'user', content: 'Go on' }));
    log.answer();
    const session = await expectAsSent(log);
    expect(titlesIn(session)).toEqual(['messages as they were sent']);
    expect(sourcesIn(session).slice(0, 2)).toEqual([prompt.slice(0, 8), answered.slice(0, 8)]);
  });

  it('are found in the lines of a conversation whose first requests are not recorded', async () => {
    const log = new RequestLog();
    log.user('Look');
    const answer = { role: 'assistant', content: [textBlock('I look.'), call('t1')] };
    for (const block of answer.content) log.log.answer('old', block);
    log.user([resultBlock('t1', 'a list')]);
    log.attachment('Use tabs.');
    log.ask([
      { role: 'user', content: 'Look' },
      answer,
      { role: 'user', content: [resultBlock('t1', 'a list\n\nUse tabs.')] },
    ]);
    log.answer();
    const session = await expectAsSent(log);
    expect((await shownIn(session)).size).toBe(1);
    expect(session.agent?.parts.messages).toBe('approximate');
  });

  it('are approximate if the file has not all of them', async () => {
    const log = new RequestLog();
    asked(log);
    log.answer();
    log.user('Go on');
    log.log.other({ type: 'api-request', id: 'lost', keep: 0, tail: ['0'.repeat(64)] });
    log.log.answer('other', textBlock('Done.'));
    const session = await open(log);
    expect(envelopeAt(session).messages.cached.map((each) => ownWords(each))).toEqual([
      'user: Hi',
      'assistant: Answer 1.',
      'user: Go on',
      'assistant: Done.',
    ]);
    expect(session.agent?.parts.messages).toBe('approximate');
  });

  it('are approximate if the client may not store parts of them', async () => {
    const log = new RequestLog();
    log.user('Hi');
    log.ask([{ role: 'user', content: 'Hi' }]);
    log.answer();
    log.log.lines.splice(1, 1, (log.log.lines[1] ?? '').replace('"keep":0', '"keep":0,"cut":{"kind":"x"}'));
    expect((await open(log)).agent?.parts.messages).toBe('approximate');
  });

  it('may be anything, and the lines may be damaged', async () => {
    const { lines } = requestSession().log;
    const values = [null, -1, 1e9, 'x', {}, [null, 'x']];
    let cases = 0;
    for (const [at, line] of lines.entries()) {
      const value = JSON.parse(line) as JsonObject;
      if (!String(value['type']).startsWith('api-request')) continue;
      for (const key of ['hash', 'message', 'id', 'base', 'keep', 'tail'].filter((name) => name in value))
        for (const other of values) {
          cases += 1;
          if (!isTried(cases, 4)) continue;
          const changed = lines.with(at, JSON.stringify({ ...value, [key]: other }));
          const session = await openSession(bytes(changed.map((each) => `${each}\n`).join('')));
          expect(envelopeAt(session).messages.cached.length).toBeGreaterThan(3);
        }
    }
  });
});
