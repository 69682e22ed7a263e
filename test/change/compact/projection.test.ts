import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#base/json.js';
import { buildProjection } from '#change/compact/build-projection.js';
import { buildCurrentProjection } from '#change/compact/current-projection.js';
import { countSentMessages, type Projection } from '#change/compact/projection.js';
import { buildStockProjection } from '#change/compact/stock-projection.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { Head } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../../src/session/read-session.js';
import { Log } from '../../fixtures/log.js';
import { sourceOf } from '../../support/entries.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

interface Opened {
  readonly session: Session;
  readonly path: readonly Head[];
}

function opened(text: string): Opened {
  const session = readSession(sourceOf(text), 'log');
  const { leaf } = session.tree;
  return { session, path: leaf ? pathTo(session.tree, leaf) : [] };
}

function projected(log: Log): Projection {
  const { session, path } = opened(log.text());
  return buildProjection(attachPatchReader(session), path);
}

/** Entries with their messages in short. `*` marks messages that are made. */
function shape({ entries }: Projection): readonly string[] {
  return entries.map(({ head, messages, isMade }) => {
    const texts = messages.map(({ role, content, summary }) => `${String(role)} ${JSON.stringify(content ?? summary)}`);
    return [`${String(head.id)}${isMade ? '*' : ''}`, ...texts].join(': ');
  });
}

function isHidden({ message }: JsonObject): boolean {
  return isObject(message) && message['excludeFromContext'] === true;
}

/** What both ways to project say alike: without the checkpoint, and from the first message behind the summary on. */
function alike({ entries, summaryAt }: Projection): readonly unknown[] {
  const plain = entries.map(({ head, messages }) => {
    const own = messages.filter(({ role }) => head.type !== 'compaction' || role !== 'system');
    return { at: head.index, messages: own.map((message): JsonObject => ({ ...message, tokensBefore: null })) };
  });
  if (summaryAt === -1) return plain;
  const first = plain.findIndex(
    ({ messages }, at) => at > 0 && messages.some((message) => toLlmMessage(message) !== null),
  );
  return first === -1 ? [plain[0]] : [plain[0], ...plain.slice(first)];
}

describe('the context as a list of entries', () => {
  it('is the same where it is woven from the messages that are sent as where it is made as Pi makes it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e6 }), (seed) => {
        const { session, path } = opened(
          generateSession({ seed, entries: 40, sound: true, edits: 0.1, compactions: 0.1 }),
        );
        const compactions = new Set(path.filter(({ type }) => type === 'compaction').map(({ id }) => id));
        fc.pre(!path.some(({ type, target }) => type === 'context_edit' && compactions.has(target)));
        const stock = buildStockProjection(session, path);
        const woven = buildCurrentProjection(attachPatchReader(session), path);
        expect(alike(woven)).toEqual(alike(stock));
        expect([woven.summaryAt, woven.previousSummary, woven.previousDetails, woven.compacted]).toEqual([
          stock.summaryAt,
          stock.previousSummary,
          stock.previousDetails,
          stock.compacted,
        ]);
        // A hidden shell command at the beginning of what was kept is sent to nobody, but Pi counts it.
        if (path.some((head) => isHidden(session.entry(head)))) return;
        // Prompt and tools are rounded up each on its own.
        expect(Math.abs(woven.tokens - stock.tokens)).toBeLessThanOrEqual(1);
      }),
      { numRuns: runs(150) },
    );
  });
});

const REPLACE = { op: 'messages_cached_replace', scope: 'cached', invalidateCacheReason: 'trim' };
const short = (content: string): JsonObject => ({ role: 'user', content, timestamp: 1 });
const replacing = (...messages: readonly JsonObject[]): JsonObject => ({ ...REPLACE, messages });
const REMOVE = { op: 'tools_remove', scope: 'cached', toolNames: ['read'], invalidateCacheReason: 'unused' };
const APPLY = {
  op: 'compaction_apply',
  scope: 'cached',
  summary: 'All.',
  timestamp: 5,
  firstKeptMessageIndex: 2,
  invalidateCacheReason: 'compaction',
};

describe('the context behind transforms', () => {
  const prompt = { role: 'system', content: 'Be brief.' };
  it.each<readonly [what: string, log: Log, entries: readonly string[]]>([
    [
      'holds made messages at the transform, and what came since at its entries',
      new Log('p')
        .twoTurns()
        .transform('t', 'trim', [replacing(short('A'), short('B'))])
        .user('u3', 'C')
        .entry('l', 'label', {}),
      ['t*: user "A"', 't*: user "B"', 'u3: user "C"', 'l'],
    ],
    [
      'does not hold entries that a transform has taken the messages of, nor what stood among them',
      new Log('p')
        .entry('l1', 'custom', {})
        .twoTurns()
        .entry('l2', 'custom', {})
        .transform('t', 'trim', [replacing()])
        .user('u3', 'C'),
      ['l2', 't', 'u3: user "C"'],
    ],
    [
      'holds prompts and hidden commands where they stand, if all above them still is',
      new Log('p')
        .message('s', prompt)
        .twoTurns()
        .transform('t', 'trim', [replacing(short('A'))])
        .message('b', { role: 'bashExecution', command: 'ls', output: 'a', excludeFromContext: true })
        .message('s2', prompt),
      ['t*: user "A"', 'b: bashExecution undefined', 's2: system "Be brief."'],
    ],
    [
      'holds messages as they were edited, and nothing of those that were left out',
      new Log('p')
        .transform('t', 'trim', [replacing(short('A'))])
        .user('u1', 'B')
        .assistant('a1', 'C')
        .user('u2', 'D')
        .edit('e1', 'u1', { content: 'E' })
        .edit('e2', 'a1', null)
        .edit('e3', 'u2', null)
        .edit('e4', 'u2', { content: 'F' }),
      ['t*: user "A"', 'u1: user "E"', 'a1', 'u2: user "F"', 'e1', 'e2', 'e3', 'e4'],
    ],
    [
      'holds a summary that a transform has made, and nothing above it',
      new Log('p').message('s', prompt).twoTurns().transform('t', 'compaction', [APPLY]).user('u3', 'C'),
      [
        't*: compactionSummary "All."',
        'u2: user "In which zone?"',
        'a2: assistant [{"type":"text","text":"In the local one."}]',
        'u3: user "C"',
      ],
    ],
    [
      'knows a compaction that only repeats the transform above it',
      new Log('p').twoTurns().transform('t', 'compaction', [APPLY]).compaction('k', 'All.', 'u2').user('u3', 'C'),
      [
        't*: compactionSummary "All."',
        'u2: user "In which zone?"',
        'a2: assistant [{"type":"text","text":"In the local one."}]',
        'u3: user "C"',
      ],
    ],
    [
      'holds messages in the order in which they are sent, and what has none once',
      new Log('p')
        .entry('u1', 'message', { message: short('A') })
        .entry('l', 'custom', {})
        .entry('u2', 'message', { message: short('B') })
        .transform('t', 'trim', [replacing(short('B'), short('A'))])
        .user('u3', 'C'),
      ['l', 'u2: user "B"', 'u1: user "A"', 't', 'u3: user "C"'],
    ],
    [
      'holds an edited note as the note that it is',
      new Log('p')
        .transform('t', 'trim', [replacing(short('A'))])
        .entry('c', 'custom_message', { content: 'B' })
        .edit('e', 'c', { content: 'C' }),
      ['t*: user "A"', 'c: custom "C"', 'e'],
    ],
    [
      'holds what stands below a summary that keeps nothing',
      new Log('p')
        .twoTurns()
        .transform('t', 'compaction', [{ ...APPLY, firstKeptMessageIndex: 4 }])
        .entry('l', 'custom', {}),
      ['t*: compactionSummary "All."', 'l'],
    ],
  ])('%s', (_what, log, entries) => {
    expect(shape(projected(log))).toEqual(entries);
  });

  it('says where a summary stands, what it says, and when it was written', () => {
    const none = projected(new Log('p').twoTurns().transform('t', 'trim', [replacing(short('A'))]));
    expect(none).toMatchObject({ summaryAt: -1, previousSummary: null, previousDetails: null, compacted: null });
    const log = new Log('p').twoTurns().transform('t', 'compaction', [APPLY]);
    const time = log.now();
    const made = { summaryAt: 0, previousSummary: 'All.', previousDetails: null, compacted: time };
    expect(projected(log.user('u3', 'C'))).toMatchObject(made);
  });

  it('takes details from the compaction of Pi, and from one that only repeats a transform', () => {
    const details = { readFiles: ['a.ts'] };
    const since = (log: Log): unknown =>
      projected(log.transform('x', 'trim', [REMOVE]).transform('y', 'compaction', [])).previousDetails;
    const stock = (fields: JsonObject): Log => new Log('p').twoTurns().compaction('k', 'All.', 'u2', fields);
    expect(since(stock({ details }))).toEqual(details);
    expect(since(stock({ details, fromHook: true }))).toBeNull();
    expect(since(stock({}))).toBeUndefined();
    const both = new Log('p').twoTurns().transform('t', 'compaction', [APPLY]);
    expect(projected(both.compaction('k', 'All.', 'u2', { details, fromHook: true })).previousDetails).toEqual(details);
  });

  it('is estimated by the newest number of a provider, if nothing since has changed what was sent', () => {
    const usage = { usage: { input: 700, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 700 } };
    const log = (): Log =>
      new Log('p').transform('t', 'trim', [replacing(short('four'))]).assistant('a1', '12345678', usage);
    expect(projected(log()).tokens).toBe(700);
    expect(projected(log().user('u1', 'four')).tokens).toBe(701);
    expect(projected(log().user('u1', 'four').edit('e', 'u1', { content: 'fourfour' })).tokens).toBe(1 + 2 + 2);

    expect(projected(log().transform('x', 'trim', [REMOVE])).tokens).toBe(1 + 2);
    const twelve = { role: 'system', content: 'twelve chars' };
    expect(projected(log().message('s', twelve).edit('e', 'a1', { content: 'four' })).tokens).toBe(1 + 1 + 3);
    const madeUsage = { ...short('x'), role: 'assistant', content: [{ type: 'text', text: 'four' }], ...usage };
    expect(projected(new Log('p').transform('t', 'trim', [replacing(madeUsage)])).tokens).toBe(1);
  });

  it('is not known where a patch breaks a rule', () => {
    const broken = { op: 'messages_cached_replace', scope: 'cached', messages: 'none', invalidateCacheReason: 'x' };
    expect(() => projected(new Log('p').twoTurns().transform('t', 'trim', [broken]))).toThrow(
      'messages_cached_replace',
    );
  });

  it('is not needed where transforms change no messages, or have no name that says they compact', () => {
    const all = ['u1', 'a1', 'u2', 'a2', 't'];
    const ids = (log: Log): readonly unknown[] => projected(log).entries.map(({ head }) => head.id);
    expect(ids(new Log('p').twoTurns().transform('t', 'trim', [REMOVE]))).toEqual(all);
    expect(ids(new Log('p').twoTurns().transform('t', 'compaction', [REMOVE]))).toEqual(all);
  });

  it('knows how many messages are sent', () => {
    const hidden = { role: 'bashExecution', command: 'ls', output: '', excludeFromContext: true };
    const { entries } = projected(
      new Log('p').message('s', prompt).twoTurns().message('b', hidden).message('x', { role: 'x' }),
    );
    expect(countSentMessages(entries)).toBe(4);
    expect(countSentMessages([])).toBe(0);
  });
});
