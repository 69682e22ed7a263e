import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assistant, HEADER, textContent, toolCall, toolResult, user } from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import type { JsonObject } from '#base/json.js';
import { check } from '../../support/check.js';
import { fixtures, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { isAccepted, type PairMessage, repaired } from '../../support/pairs.js';
import { runs } from '../../support/runs.js';

const encoder = new TextEncoder();
const REQUESTS = ['leaf', 'all'] as const;

function pathOf(messages: readonly PairMessage[]): readonly JsonObject[] {
  return messages.map(({ role, ids, isFailed }, at) => {
    const [id, parent] = [`e${at}`, at === 0 ? null : `e${at - 1}`];
    if (role === 'user') return user(id, parent, 'Go on.');
    if (role === 'toolResult') return toolResult(id, parent, ids[0] ?? '');
    const content = [textContent('Well.'), ...ids.map((call) => toolCall(call))];
    return assistant(id, parent, content, isFailed ? { stopReason: 'error' } : {});
  });
}

const callId = fc.constantFrom('c1', 'c2', 'c3', 'c4', 'c5');
const question = fc.constant<PairMessage>({ role: 'user', ids: [] });
const result = callId.map((id): PairMessage => ({ role: 'toolResult', ids: [id] }));
const answer = fc
  .tuple(fc.array(callId, { maxLength: 2 }), fc.constantFrom(false, false, true))
  .map(([ids, isFailed]): PairMessage => ({ role: 'assistant', ids, isFailed }));
const message = fc.oneof(question, { weight: 2, arbitrary: result }, { weight: 2, arbitrary: answer });

const ofPairs = {
  rules: [
    'call-without-result',
    'open-call',
    'result-without-call',
    'result-out-of-order',
    'duplicate-result',
    'duplicate-call-id',
    'compaction-in-tool-pair',
  ],
};

describe('tool calls and results', () => {
  it('are an error just where Anthropic refuses what Pi sends, and a lesser finding for each result that Pi adds', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 10 }), async (messages) => {
        const found = await check([HEADER, ...pathOf(messages)], ofPairs);
        const { sent, added } = repaired(messages);
        expect(found.some(({ severity }) => severity === 'error')).toBe(!isAccepted(sent));
        if (isAccepted(sent)) expect(found).toHaveLength(added);
      }),
      { numRuns: runs(200) },
    );
  });

  it('give the same findings, or more, when every request is looked at', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 10 }), async (messages) => {
        const session = [HEADER, ...pathOf(messages)];
        const all = new Set((await check(session, { ...ofPairs, requests: 'all' })).map(keyOf));
        for (const finding of await check(session, ofPairs)) expect(all).toContain(keyOf(finding));
      }),
      { numRuns: runs(200) },
    );
  });
});

const seed = fc.nat(1_000_000);
const requestRules = (await loadRules(['provider'])).flatMap(({ name, looksAt }) =>
  looksAt === 'request' ? name : [],
);
const group = { rules: ['provider', 'cache'] };

describe('a sound session', () => {
  it('has no error at any request', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.constantFrom(0, 0.1), async (number, transforms) => {
        const session = encoder.encode(generateSession({ seed: number, entries: 60, sound: true, transforms }));
        const found = await check(session, { ...group, requests: 'all' });
        expect(found.filter(({ severity }) => severity === 'error')).toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it('has the findings of its leaf among those of all requests, if nothing was rewritten', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.boolean(), async (number, sound) => {
        const shape = { seed: number, entries: 50, sound, compactions: 0, edits: 0 };
        const session = encoder.encode(generateSession(shape));
        const all = new Set((await check(session, { ...group, requests: 'all' })).map(keyOf));
        for (const finding of await check(session, group)) expect(all).toContain(keyOf(finding));
      }),
      { numRuns: runs(50) },
    );
  });

  it('has at all requests what it has at each of them', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.boolean(), fc.constantFrom(0, 0.15), async (number, sound, transforms) => {
        const shape = { seed: number, entries: 40, sound, transforms, compactions: 0.1, edits: 0.15 };
        const [header = '', ...rest] = generateSession(shape).trimEnd().split('\n');
        const path = pathIn(rest.map((line) => JSON.parse(line) as Entry));
        const requests = { rules: requestRules };
        const lines = (count: number): readonly JsonObject[] => [
          JSON.parse(header) as JsonObject,
          ...path.slice(0, count),
        ];
        const single = new Set<string>();
        for (const [at, entry] of [...path, null].entries())
          if (entry === null || isAnswer(entry))
            for (const finding of await check(lines(at), requests)) single.add(shortKeyOf(finding));
        const all = await check(lines(path.length), { ...requests, requests: 'all' });
        expect(new Set(all.map(shortKeyOf))).toEqual(single);
      }),
      { numRuns: runs(30) },
    );
  });

  it('shows it when the line of a call or of a result is taken out', async () => {
    await fc.assert(
      fc.asyncProperty(seed, fc.nat(), fc.constantFrom(...REQUESTS), async (number, choice, requests) => {
        const shape = { seed: number, entries: 50, sound: true, compactions: 0, edits: 0 };
        const [header = '', ...rest] = generateSession(shape).trimEnd().split('\n');
        const entries = rest.map((line) => JSON.parse(line) as Entry);
        const paired = pairedOnPath(entries);
        fc.pre(paired.length > 0);
        const gone = paired[choice % paired.length]!;
        const left = entries
          .filter((entry) => entry !== gone)
          .map((entry) => (entry.parentId === gone.id ? { ...entry, parentId: gone.parentId } : entry));
        const before = await findingsOf([JSON.parse(header) as JsonObject, ...entries], requests);
        const after = await findingsOf([JSON.parse(header) as JsonObject, ...left], requests);
        const known = new Set(before.map(({ message: said }) => said));
        expect(after.filter(({ message: said }) => !known.has(said))).not.toEqual([]);
      }),
      { numRuns: runs(60) },
    );
  });

  it.each([...fixtures.filter((file) => !/damaged|rules/.test(file)), ...triedRecordings].map((file) => [file]))(
    'is %s, or it is none for a reason that is known',
    async (file) => {
      const found = await check(readFileSync(file), { ...group, requests: 'all' });
      const errors = new Set(found.flatMap(({ severity, rule }) => (severity === 'error' ? rule : [])));
      const known = KNOWN.find(([name]) => file.endsWith(name))?.[1] ?? [];
      expect([...errors]).toEqual(known);
    },
  );
});

/** Recordings that were shortened by others in a way that no provider takes. */
const KNOWN: readonly (readonly [string, readonly string[]])[] = [
  ['agent-sessions-openclaw-large.jsonl', ['result-without-call']],
  ['pi-cache-graph-session-linear.jsonl', ['result-without-call']],
];

interface Entry extends JsonObject {
  readonly id: string;
  readonly parentId: string | null;
}

/** The results on the active path, and the answers that call for one that stands there. */
function pairedOnPath(entries: readonly Entry[]): readonly Entry[] {
  const messages = pathIn(entries).flatMap((entry) => {
    const sent = entry['message'] as JsonObject | undefined;
    return sent ? [{ entry, sent }] : [];
  });
  const results = new Set(messages.map(({ sent }) => sent['toolCallId']));
  return messages.flatMap(({ entry, sent }) => {
    if (sent['role'] === 'toolResult') return [entry];
    const content = sent['role'] === 'assistant' ? (sent['content'] as readonly JsonObject[]) : [];
    return content.some(({ type, id }) => type === 'toolCall' && results.has(id)) ? [entry] : [];
  });
}

function pathIn(entries: readonly Entry[]): readonly Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const path: Entry[] = [];
  for (let next = entries.at(-1); next; next = byId.get(next.parentId ?? '')) path.push(next);
  return path.toReversed();
}

function isAnswer({ message: sent }: Entry): boolean {
  return (sent as JsonObject | undefined)?.['role'] === 'assistant';
}

/** Which entry parted a call from its result is told with what the whole path knows. */
function shortKeyOf(finding: Finding): string {
  return finding.rule === 'compaction-in-tool-pair' ? JSON.stringify(finding.message) : keyOf(finding);
}

async function findingsOf(
  session: readonly JsonObject[],
  requests: (typeof REQUESTS)[number],
): Promise<readonly Finding[]> {
  return await check(session, { ...ofPairs, requests });
}

function keyOf({ rule, line, place, message: said }: Finding): string {
  return JSON.stringify([rule, line, place, said]);
}

describe('rubbish', () => {
  const json = fc.jsonValue({ maxDepth: 3 });
  const block = fc.oneof(
    json,
    fc.record(
      {
        type: fc.constantFrom<unknown>('text', 'image', 'thinking', 'toolCall', 7),
        text: json,
        thinking: json,
        thinkingSignature: json,
        redacted: json,
        id: fc.oneof(json, callId),
        name: json,
        arguments: json,
        data: fc.oneof(json, fc.base64String()),
        mimeType: fc.oneof(json, fc.constant('image/png')),
      },
      { requiredKeys: ['type'] },
    ),
  );
  const rubbish = fc.record(
    {
      role: fc.constantFrom<unknown>('user', 'assistant', 'toolResult', 'system', 'custom', 'bashExecution', null),
      content: fc.oneof(json, fc.array(block, { maxLength: 4 })),
      toolCallId: fc.oneof(json, callId),
      isError: json,
      stopReason: fc.oneof(json, fc.constantFrom('error', 'stop')),
      errorMessage: json,
      provider: fc.oneof(json, fc.constant('anthropic')),
      api: fc.oneof(json, fc.constantFrom('anthropic-messages', 'openai-responses')),
      sections: fc.oneof(json, fc.dictionary(fc.string(), json)),
      toolsAdded: fc.oneof(json, fc.array(fc.record({ name: json, description: json }))),
    },
    { requiredKeys: ['role'] },
  );
  const line = fc.oneof(
    rubbish.map((each) => ({ type: 'message', message: each })),
    json.map((each) => ({ type: 'message', message: each })),
    json.map((replacement) => ({ type: 'context_edit', targetId: 'e1', replacement })),
    json.map((each) => ({ type: 'compaction', summary: each, firstKeptEntryId: 'e2' })),
    fc.array(json).map((patch) => ({ type: 'context_transform', schemaVersion: 1, transformerName: 'x', patch })),
  );

  it('makes no rule fail, and no message or place long', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), fc.constantFrom(...REQUESTS), async (lines, requests) => {
        const entries = lines.map((each, at) => ({ id: `e${at}`, parentId: at === 0 ? null : `e${at - 1}`, ...each }));
        const found = await check([HEADER, ...entries], { ...group, requests });
        for (const { message: said, place } of found) {
          expect(said.length).toBeLessThan(400);
          expect(place?.length ?? 0).toBeLessThan(600);
        }
      }),
      { numRuns: runs(200) },
    );
  });

  it('may be nested as deeply as you like', async () => {
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const lines = [
      HEADER,
      `{"type":"message","id":"s1","parentId":null,"message":{"role":"system","toolsAdded":[{"name":"x","parameters":${deep}}]}}\n` +
        `{"type":"message","id":"u1","parentId":"s1","message":{"role":"user","content":${deep}}}\n` +
        `{"type":"message","id":"a1","parentId":"u1","message":{"role":"assistant","content":[{"type":"toolCall","id":"c1","arguments":${deep}}]}}\n` +
        `{"type":"context_edit","id":"e1","parentId":"a1","targetId":"u1","replacement":{"content":${deep}}}\n` +
        `{"type":"message","id":"s2","parentId":"e1","message":{"role":"system","toolsAdded":[{"name":"x","parameters":[${deep}]}]}}\n` +
        `{"type":"message","id":"a2","parentId":"s2","message":{"role":"assistant","content":[]}}\n`,
    ];
    const found = await check(lines, { ...group, requests: 'all' });
    expect(found.map(({ rule }) => rule)).toContain('undeclared-change');
  });
});
