import { describe, expect, it } from 'vitest';
import { PIXEL } from '#analysis/check/provider/image-example.js';
import { readMessageText } from '#analysis/facts/text.js';
import { findSummaryText } from '#context/replay/convert.js';
import { countMessageTokens } from '#context/size/tokens.js';
import { createThreePhaseEngine } from '#lab/builtin/three-phase.js';
import type { EngineSetup } from '#lab/define.js';
import { buildDefaultAssembly } from '#lab/injectors/assembly.js';
import { LEADING_TITLE, TAIL_TITLE } from '#lab/injectors/compose.js';
import { type Session } from '#session/session.js';
import { readSession } from '../../src/session/read-session.js';
import { sessionOf, sourceOf } from '../support/entries.js';
import { generateSession } from '../support/generate.js';
import { answered, asked, call, result, type Said, talk } from '../support/history.js';
import { runs } from '../support/runs.js';
import { messagesOf } from '../support/situations.js';
import { beginsWith, cachedOf, requestsOf, type Step } from '../support/three-phase.js';
import { workingSession } from '../support/working-session.js';

const sessionIn = (...said: readonly Said[]): Session => sessionOf(...talk(...said));
const working = (seed: number, turns = 9): Session =>
  readSession(sourceOf(workingSession({ seed, turns })), 'session.jsonl');
const prompts = (seed: number): ReadonlySet<string> =>
  new Set([...working(seed, 8).tree.heads].flatMap(({ id, role }) => (role === 'user' ? [String(id)] : [])));
const last = (steps: readonly Step[]): Step => steps.at(-1)!;
const texts = ({ assembled: { messages } }: Step): readonly string[] => messages.map(readMessageText);

const remembering = {
  ...buildDefaultAssembly(),
  injectors: buildDefaultAssembly().injectors.map((seat) => ({
    ...seat,
    settings: { ...seat.settings, texts: [{ path: 'm.md', text: '- Dates are in UTC.' }] },
  })),
};

describe('a request', () => {
  const session = sessionIn(
    asked('u1', 'Mend the dates.'),
    answered('a1', call('c1', 'read', { path: 'a.js' })),
    result('r1', 'c1', 'const a = 1;'),
  );
  const baseline = { parts: [{ name: 'preamble', text: 'You are Pi.' }], tools: [{ name: 'read' }] };

  it('is the prompt, the context of the session, the conversation, and what changes', async () => {
    const request = last(await requestsOf(session, { assembly: remembering, baseline }));
    expect(request.assembled.system.compiled).toBe('You are Pi.');
    expect(request.assembled.tools).toEqual([{ name: 'read' }]);
    expect(request.origins).toMatchObject([
      { by: 'leading', entryId: null },
      { by: 'entry', entryId: 'u1' },
      { by: 'entry', entryId: 'a1' },
      { by: 'entry', entryId: 'r1' },
      { by: 'tail', entryId: null },
    ]);
    expect(request.assembled.messages.map(({ role }) => role)).toEqual([
      'user',
      'user',
      'assistant',
      'toolResult',
      'user',
    ]);
    expect(texts(request)[0]).toContain(LEADING_TITLE);
    expect(texts(request)[0]).toContain('Dates are in UTC.');
    expect(texts(request).at(-1)).toMatch(/\nNext: Mend the dates\.$/);
    expect(texts(request).at(-1)).toContain(TAIL_TITLE);
  });

  it('says what it takes, as the host counts it', async () => {
    for (const { assembled } of await requestsOf(working(3), { budget: 20_000, assembly: remembering, baseline }))
      expect(assembled.estimatedTokens).toBe(assembled.tokens);
  });

  it('is the same each time', async () => {
    const make = async (): Promise<string> =>
      JSON.stringify((await requestsOf(working(1), { budget: 9000 })).map(cachedOf));
    expect(await make()).toBe(await make());
  });
});

describe('the prefix', () => {
  it.each([0, 1, 2, 3, 4])(
    'stays put from one request to the next, up to the end of the conversation (%i)',
    async (seed) => {
      const steps = await requestsOf(working(seed), { assembly: { ...remembering, variation: 7 } });
      expect(steps.length).toBeGreaterThan(9);
      for (const [at, step] of steps.entries()) {
        const before = steps[at - 1];
        if (before) expect(beginsWith(cachedOf(step), cachedOf(before))).toBe(true);
      }
    },
  );

  it.each([0, 1, 2])('changes only where the conversation decays, at the beginning of a turn (%i)', async (seed) => {
    const steps = await requestsOf(working(seed, 14), { budget: 16_000, assembly: remembering });
    let decays = 0;
    for (const [at, step] of steps.entries()) {
      const before = steps[at - 1];
      if (!before) continue;
      const isKept = beginsWith(cachedOf(step), cachedOf(before));
      expect(isKept).toBe(step.deeds.length === 0);
      decays += step.deeds.length;
      if (step.deeds.length > 0 && before.assembled.tokens < 12_000)
        expect(step.assembled.messages.at(-2)?.role).toBe('user');
    }
    expect(decays).toBeGreaterThan(0);
    expect(decays).toBeLessThan(8);
  });

  it('stays put where only the date of the prompt is another', async () => {
    const said = talk(asked('u1', 'Hello.'), answered('a1', { type: 'text', text: 'Hi.' }), asked('u2', 'Go on.'));
    const system = (id: string, date: string, parentId: string | null) => ({
      type: 'message',
      id,
      parentId,
      timestamp: '2026-01-05T09:00:01.000Z',
      message: { role: 'system', content: '', sections: { env: `Current date: ${date}` }, timestamp: 0 },
    });
    const [first, second, third] = said;
    const session = sessionOf(
      system('s1', '2026-01-05', null),
      { ...first, parentId: 's1' },
      { ...second },
      system('s2', '2026-01-06', 'a1'),
      { ...third, parentId: 's2' },
    );
    const [one, other] = await requestsOf(session);
    expect(one && other && beginsWith(cachedOf(other), cachedOf(one))).toBe(true);
    expect(texts(other!).at(-1)).toContain('date 1: 2026-01-06');
    expect(texts(one!).at(-1)).toContain('date 1: 2026-01-05');
  });
});

const LONG = Array.from({ length: 1500 }, (_, at) => `line ${at} of the log, with some words`).join('\n');

describe('a long tool result', () => {
  const session = sessionIn(
    asked('u1', 'Look.'),
    answered('a1', call('c1', 'read', { path: 'log.txt' }), call('c2', 'read', { path: 'short.txt' })),
    result('r1', 'c1', LONG),
    result('r2', 'c2', LONG.slice(0, 10_000)),
    answered('a2', { type: 'text', text: 'Hm.' }),
    asked('u2', 'And?'),
  );

  it('is shortened to 3,000 tokens when it enters, with the entry that holds it, and stays so', async () => {
    const steps = await requestsOf(session);
    const shown = steps.slice(1).map((step) => step.assembled.messages.find(({ toolCallId }) => toolCallId === 'c1'));
    for (const message of shown) expect(message).toEqual(shown[0]);
    expect(countMessageTokens(shown[0]!)).toBeLessThanOrEqual(3000);
    expect(readMessageText(shown[0]!)).toContain('Full data: ctx cat the-session r1');
    expect(readMessageText(shown[0]!)).toContain('line 0 of the log');
    expect(steps[1]?.origins.map(({ by }) => by)).toEqual(['entry', 'entry', 'shortened', 'entry', 'tail']);
  });
});

describe('a conversation that is over half of its budget', () => {
  const turns = (count: number): readonly Said[] =>
    Array.from({ length: count }, (_, at): readonly Said[] => [
      asked(`u${at}`, `Please look at file ${at}.`),
      answered(`a${at}`, call(`c${at}`, 'read', { path: `src/file-${at}.ts` })),
      result(`r${at}`, `c${at}`, `export const number = ${at};\n`.repeat(40)),
      answered(`b${at}`, { type: 'text', text: `File ${at} is fine.` }),
    ]).flat();

  it('decays: the newest turns are whole, those before them folded, older ones a summary of 500 tokens', async () => {
    const steps = await requestsOf(sessionIn(...turns(30), asked('u', 'And now?')), { budget: 8000 });
    const request = last(steps);
    const [summary, ...rest] = request.assembled.messages;
    expect(findSummaryText(summary!)).toContain('file 0');
    expect(countMessageTokens(summary!)).toBeLessThanOrEqual(500);
    const results = rest.flatMap((message) =>
      message.role === 'toolResult' ? [[message['toolCallId'], readMessageText(message)] as const] : [],
    );
    const whole = results.filter(([, text]) => text.startsWith('export'));
    const folded = results.filter(([, text]) => !text.startsWith('export'));
    expect(whole.map(([id]) => id).at(-1)).toBe('c29');
    expect(folded.length).toBeGreaterThan(0);
    for (const [, text] of folded) expect(text.split('\n')).toHaveLength(1);
    expect(results.map(([id]) => id)).not.toContain('c0');
    // Folded ones come before whole ones.
    expect(results.slice(0, folded.length)).toEqual(folded);
    expect(request.assembled.tokens).toBeLessThan(8000);
  });

  it('does not decay below that, or if the budget is unknown', async () => {
    for (const budget of [200_000, null]) {
      const steps = await requestsOf(sessionIn(...turns(14)), { budget });
      expect(steps.flatMap(({ deeds }) => deeds)).toEqual([]);
      expect(last(steps).origins.map(({ by }) => by)).not.toContain('shortened');
    }
  });

  it('replaces images that are more than two turns old by a line', async () => {
    const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
    const session = sessionIn(
      ['u', { role: 'user', content: [{ type: 'text', text: 'See this.' }, picture] }],
      answered('b', { type: 'text', text: 'I see.' }),
      ...turns(3),
      ['w', { role: 'user', content: [{ type: 'text', text: 'And this.' }, picture] }],
    );
    const request = last(await requestsOf(session, { budget: 6000 }));
    const shown = request.assembled.messages.map(({ content }) => JSON.stringify(content));
    expect(shown.filter((content) => content.includes('"image"'))).toHaveLength(1);
    expect(shown[0]).toContain('Image at Turn 1: from the user');
    expect(shown[0]).toContain('ctx cat the-session u');
  });

  it('takes up the skills in use in the prompt, so that they outlive the reading', async () => {
    const session = sessionIn(
      asked('u', 'Release it.'),
      answered('a', call('c', 'read', { path: 'skills/release/SKILL.md' })),
      result('r', 'c', 'Tag, then publish. '.repeat(30)),
      answered('b', { type: 'text', text: 'I know how.' }),
      ...turns(14),
      asked('v', 'Go on.'),
    );
    const steps = await requestsOf(session, { budget: 8000 });
    expect(steps[1]?.assembled.system.compiled).toBe('');
    expect(last(steps).assembled.system.compiled).toContain('## release\nTag, then publish.');
  });

  it('goes further where that is not enough, and never parts a call from its result', async () => {
    for (const seed of [0]) {
      for (const step of await requestsOf(working(seed, 8), { budget: 4000 })) {
        const prompt = step.origins.findLast(({ entryId }) => entryId !== null && prompts(seed).has(entryId));
        expect(prompt).toBeDefined();
        const calls = new Set<unknown>();
        for (const message of step.assembled.messages) {
          for (const block of Array.isArray(message['content'])
            ? (message['content'] as { type: string; id: string }[])
            : [])
            if (block.type === 'toolCall') calls.add(block.id);
          if (message.role === 'toolResult') expect(calls.delete(message['toolCallId'])).toBe(true);
        }
        expect(calls.size).toBe(0);
      }
    }
  });

  it('says so where even that does not fit', async () => {
    const session = sessionIn(asked('u', 'word '.repeat(4000)));
    const [request] = await requestsOf(session, { budget: 2000 });
    expect(request).toMatchObject({ overflow: true });
    expect(request?.assembled.promptAuthority).toBe('assembled');
    expect(request?.compactions.map(({ result: { ok, compacted } }) => [ok, compacted])).toEqual([[true, false]]);
  });
});

describe('a knowledge injector at the end', () => {
  it('looks for what the newest message asks for', async () => {
    const files = [{ path: 'k.md', text: '# Dates\nIn UTC.\n\n# Colours\nBlue.' }];
    const seats = buildDefaultAssembly().injectors.map((seat) => {
      if (seat.injector.name !== 'knowledge') return seat;
      const placement = { ...seat.placement, phase: 'runtime' as const, cache: 'dynamic' as const };
      return { ...seat, placement, settings: { texts: files, top: 1 } };
    });
    const session = sessionIn(
      asked('u1', 'Mend the dates.'),
      answered('a1', { type: 'text', text: 'Done.' }),
      asked('u2', 'And the colours?'),
    );
    const tails = (await requestsOf(session, { assembly: { ...buildDefaultAssembly(), injectors: seats } })).map(
      (step) => texts(step).at(-1) ?? '',
    );
    expect(tails.map((tail) => /From k\.md, (\w+)/.exec(tail)?.[1])).toEqual(['Dates', 'Colours']);
  });
});

describe('a compaction that is asked for', () => {
  const said = messagesOf(
    ...Array.from({ length: 12 }, (_, at) => [
      `user: Question ${at}. ${'word '.repeat(100)}`,
      `assistant: Answer ${at}.`,
    ]).flat(),
    'user: And now?',
  );
  const started = (tokenBudget: number | null) => {
    const notes: unknown[] = [];
    const setup = {
      tokenBudget,
      declared: () => ({ system: { parts: [], compiled: '' }, tools: [], options: {} }),
      transcript: () => said.map((message, at) => ({ entryId: `e${at}`, message })),
      summarize: () => 'Questions were asked.',
      note: (deed: unknown) => void notes.push(deed),
    } as unknown as EngineSetup;
    return { engine: createThreePhaseEngine(setup, buildDefaultAssembly()), notes };
  };
  const ids = { sessionId: 's', sessionFile: 's.jsonl' };

  it('is impossible with an unknown budget, and not needed while there is room', async () => {
    const { engine } = started(null);
    await engine.assemble({ sessionId: 's', messages: said });
    expect(await engine.compact(ids)).toMatchObject({ ok: true, compacted: false });
    expect(await engine.compact({ ...ids, tokenBudget: 100_000 })).toEqual({
      ok: true,
      compacted: false,
      reason: 'below the threshold',
    });
  });

  it('goes on until the target is kept, and says by how much', async () => {
    const { engine, notes } = started(100_000);
    const before = await engine.assemble({ sessionId: 's', messages: said });
    const { result: done } = await engine.compact({ ...ids, tokenBudget: 1400, compactionTarget: 'threshold' });
    expect(done?.tokensBefore).toBe(before.estimatedTokens);
    expect(done?.tokensAfter).toBeLessThanOrEqual(700);
    const after = await engine.assemble({ sessionId: 's', messages: said });
    expect(after.estimatedTokens).toBe(done?.tokensAfter);
    expect(notes).toHaveLength(1);
    expect(engine.origins()[0]).toMatchObject({ by: 'summary' });
  });

  it('takes in messages without keeping what it is handed, and owns its compaction', async () => {
    const { engine } = started(null);
    expect(engine.info.ownsCompaction).toBe(true);
    expect(await engine.ingest({ sessionId: 's', message: said[0]! })).toEqual({ ingested: false });
    expect(await engine.ingestBatch?.({ sessionId: 's', messages: said.slice(0, 2) })).toEqual({ ingestedCount: 0 });
  });
});

describe('any session', () => {
  it.each(Array.from({ length: runs(24) }, (_, seed) => seed))('can be assembled (%i)', async (seed) => {
    const shape = { seed, entries: 60, compactions: 0.05, edits: 0.1, odd: seed % 3 === 0 ? 0.1 : 0 };
    const session = readSession(sourceOf(generateSession(shape)), 'session.jsonl');
    for (const budget of [500, 4000]) {
      const steps = await requestsOf(session, { budget, assembly: { ...remembering, variation: seed } });
      for (const { assembled } of steps) expect(assembled.estimatedTokens).toBe(assembled.tokens);
    }
  });
});

describe('an edit of the conversation', () => {
  it('rebuilds the conversation', async () => {
    const said = talk(asked('u1', 'Say 1.'), answered('a1', { type: 'text', text: '1' }), asked('u2', 'Say 2.'));
    const session = sessionOf(...said, {
      type: 'context_edit',
      id: 'e1',
      parentId: 'u2',
      timestamp: '2026-01-05T09:00:02.000Z',
      targetId: 'u1',
      replacement: { content: 'Say one, please.' },
    });
    const request = last(await requestsOf(session));
    expect(texts(request)[0]).toBe('Say one, please.');
  });
});
