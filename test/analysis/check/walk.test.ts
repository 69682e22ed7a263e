import { describe, expect, it } from 'vitest';
import type { ActiveRule } from '#analysis/check/active-rules.js';
import { CheckMemory } from '#analysis/check/check-memory.js';
import { checkSession } from '#analysis/check/check-session.js';
import { defineRule, type Example, type Hit, type RuleDefinition } from '#analysis/check/define.js';
import {
  assistant,
  buildExampleFile,
  entry,
  HEADER,
  system,
  textContent,
  transform,
  user,
} from '#analysis/check/example.js';
import type { Finding } from '#analysis/check/finding.js';
import { loadRules } from '#analysis/check/index.js';
import type { JsonObject } from '#base/json.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Head } from '#session/heads/head.js';
import { readSession } from '../../../src/session/read-session.js';
import { toByteSource } from '../../../src/session/scan/byte-source.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

interface Looking {
  readonly requests?: 'leaf' | 'all';
  readonly isStrict?: boolean;
  readonly memory?: CheckMemory;
}

/** The findings of some rules, and the ids of the entries that were parsed for them, in order. */
async function looked(
  lines: Example,
  rules: readonly RuleDefinition[],
  { requests = 'leaf', isStrict = false, memory = new CheckMemory() }: Looking = {},
): Promise<{ readonly findings: readonly Finding[]; readonly parsed: readonly unknown[] }> {
  const session = readSession({ ...toByteSource(buildExampleFile(lines)), isStrict }, 's.jsonl', { withShapes: true });
  const findings: Finding[] = [];
  const parsed: unknown[] = [];
  const check = {
    session: {
      ...attachPatchReader(session),
      entry(head: Head) {
        parsed.push(head.id);
        return session.entry(head);
      },
    },
    rules: rules.map((rule): ActiveRule => ({ rule, severity: 'warning', options: rule.options?.parse({}) })),
    requests,
    envelope: {},
    report: (finding: Finding) => void findings.push(finding),
  };
  checkSession(check, memory);
  return { findings, parsed };
}

const ABOUT = {
  severity: 'note',
  summary: 'S',
  help: 'H.',
  example: { fires: null, silent: [] },
} as const;

const all = await loadRules();

function named(...names: readonly string[]): readonly RuleDefinition[] {
  return all.filter(({ name }) => names.includes(name));
}

const QUESTION = user('u1', null, 'What is in here?');
const ANSWER = assistant('a1', 'u1', [textContent('A README.')]);
const TALK = [HEADER, QUESTION, ANSWER];

// The line scanner, which determines shapes, starts after this many bytes.
readSession(toByteSource(buildExampleFile([HEADER, user('u1', null, 'x'.repeat(1 << 16))])), 's.jsonl');

describe('an entry', () => {
  const questions = ['00000001', '00000002', '00000003'].map((id, at) =>
    user(id, at === 0 ? null : `0000000${at}`, `Question ${at}?`),
  );

  it('is not parsed where no rule wants to see it', async () => {
    const rules = named('cycle', 'orphan', 'no-final-newline', 'abandoned-leaves');
    expect((await looked([HEADER, ...questions], rules, { requests: 'all' })).parsed).toEqual([]);
  });

  it('is parsed once for its shape, if nothing is found in that', async () => {
    const rules = named('message-fields', 'block-fields');
    // The first one has no parent, which is another shape.
    expect((await looked([HEADER, ...questions], rules)).parsed).toEqual(['00000001', '00000002']);
    const wrong = questions.map((line) => ({ ...line, message: { role: 'user', content: 42 } }));
    const { findings, parsed } = await looked([HEADER, ...wrong], rules);
    expect(findings.map(({ rule, entryId }) => `${rule} ${entryId}`)).toEqual([
      'message-fields 00000001',
      'message-fields 00000002',
      'message-fields 00000003',
    ]);
    expect(parsed).toEqual(['00000001', '00000002', '00000003']);
  });

  it('is known by a rule that is the same object each time it is loaded', async () => {
    const [first, second] = [await loadRules(['schema']), await loadRules(['schema', 'tree'])];
    expect(first.length).toBeGreaterThan(0);
    expect(first.every((rule) => second.includes(rule))).toBe(true);
  });

  it('is not parsed for its shape where the same rules have found that sound in an earlier session of a run', async () => {
    const rules = named('block-fields');
    const memory = new CheckMemory();
    expect((await looked([HEADER, ...questions], rules, { memory })).parsed).toEqual(['00000001', '00000002']);
    expect((await looked([HEADER, ...questions], rules, { memory })).parsed).toEqual([]);
    expect((await looked([HEADER, ...questions], rules)).parsed).toEqual(['00000001', '00000002']);
    const wrong = questions.map((line) => ({ ...line, message: { role: 'user', content: 42 } }));
    expect((await looked([HEADER, ...wrong], rules, { memory })).parsed).toEqual(['00000001', '00000002']);
    const { findings } = await looked([HEADER, ...wrong], named('message-fields'), { memory });
    expect(findings).toHaveLength(3);
  });

  it('is parsed whatever its shape where that does not tell enough', async () => {
    const rules = named('message-fields');
    const every = ['00000001', '00000002', '00000003'];
    expect((await looked([HEADER, ...questions], rules, { isStrict: true })).parsed).toEqual(every);
    expect((await looked([{ ...HEADER, version: 2 }, ...questions], rules)).parsed).toEqual(every);
    // The line scanner does not confirm ids of another form.
    const others = ['u1', 'u2', 'u3'].map((id) => user(id, '00000001', 'And?'));
    expect((await looked([HEADER, ...others], rules)).parsed).toEqual(['u1', 'u2', 'u3']);
    const off = (id: string, parent: string | null): JsonObject =>
      transform(id, parent, { op: 'tools_remove', toolNames: ['bash'] });
    expect(
      (await looked([HEADER, off('0000000a', null), off('0000000b', '0000000a'), off('0000000c', '0000000b')], rules))
        .parsed,
    ).toEqual(['0000000a', '0000000b', '0000000c']);
  });

  it('is parsed once for the rules of shapes, of entries and of the path together', async () => {
    const rules = [...named('message-fields', 'tool-order'), entries('any', [])];
    const { parsed } = await looked(
      [HEADER, ...questions, user('b1', '00000001', 'A branch?'), user('00000004', '00000003', 'On?')],
      rules,
    );
    expect(parsed).toEqual(['00000001', '00000002', '00000003', 'b1', '00000004']);
    const ofPath = await looked([HEADER, ...questions, user('b1', '00000001', 'A branch?')], named('tool-order'));
    expect(ofPath.parsed).toEqual(['00000001', 'b1']);
  });

  it('may stand above its parent in the file', async () => {
    const log: string[] = [];
    const lines = [HEADER, ANSWER, QUESTION, user('u2', 'a1', 'And?')];
    const { parsed } = await looked(lines, [steps(log), entries('entry', log)]);
    expect(log).toEqual(['entry a1', 'entry u1', 'entry u2', 'u1', 'a1', 'u2', 'end']);
    expect(parsed).toEqual(['a1', 'u1', 'u2']);
  });
});

/** Writes down which entries it is shown. */
function entries(name: string, log: string[], anchors?: readonly string[]): RuleDefinition {
  return defineRule({
    ...ABOUT,
    name,
    looksAt: 'entry',
    ...(anchors && { anchors }),
    find(_entry, { id }) {
      log.push(`${name} ${String(id)}`);
      return [];
    },
  });
}

describe('a rule with anchors', () => {
  // Of small files every entry is shown to all.
  const filler = Array.from({ length: 300 }, (_, at) => user(`f${at}`, null, 'x'.repeat(1000)));
  const shown = async (
    lines: Example,
    rules: (log: string[]) => readonly RuleDefinition[],
    memory?: CheckMemory,
  ): Promise<readonly string[]> => {
    const log: string[] = [];
    await looked([HEADER, ...lines], rules(log), memory && { memory });
    return log;
  };

  it('is shown the entries whose line holds one of them', async () => {
    const fruit = [
      user('u1', null, 'an apple'),
      user('u2', null, 'a berry, a cherry'),
      user('u3', null, 'apple, cherry'),
    ];
    const rules = (log: string[]): readonly RuleDefinition[] => [
      entries('A', log, ['apple', 'almond']),
      entries('B', log, ['berry', 'cherry']),
    ];
    const memory = new CheckMemory();
    expect(await shown([...filler, ...fruit], rules, memory)).toEqual(['A u1', 'B u2', 'A u3', 'B u3']);
    expect(await shown([...fruit, ...filler], rules, memory)).toEqual(['A u1', 'B u2', 'A u3', 'B u3']);
    // The finder of the memory is used for a small session too.
    expect(await shown(fruit, rules, memory)).toEqual(['A u1', 'B u2', 'A u3', 'B u3']);
    expect(await shown(fruit, rules)).toHaveLength(6);
    const others = (log: string[]): readonly RuleDefinition[] => [
      entries('A', log, ['berry']),
      entries('B', log, ['apple']),
    ];
    expect(await shown([...filler, ...fruit], others, memory)).toEqual(['B u1', 'A u2', 'B u3']);
  });

  it('may share them with others', async () => {
    const fruit = [user('u1', null, 'an apple'), user('u2', null, 'a berry')];
    const rules = (log: string[]): readonly RuleDefinition[] => [
      entries('C', log, ['apple']),
      entries('D', log, ['berry', 'apple']),
    ];
    expect(await shown([...filler, ...fruit], rules)).toEqual(['C u1', 'D u1', 'D u2']);
  });

  it('is shown every entry where that is asked for', async () => {
    const log: string[] = [];
    await looked([HEADER, ...filler], [entries('A', log, ['apple'])], { isStrict: true });
    expect(log).toHaveLength(300);
  });

  it('does not keep those without from seeing every entry', async () => {
    const rules = (log: string[]): readonly RuleDefinition[] => [entries('A', log, ['apple']), entries('B', log)];
    const log = await shown([...filler, user('u1', null, 'an apple')], rules);
    expect(log).toHaveLength(302);
    expect(log.slice(-3)).toEqual(['B f299', 'A u1', 'B u1']);
    expect(await shown(filler, (other) => [entries('B', other)])).toHaveLength(300);
  });

  it('is shown what may hold them in another way of writing', async () => {
    const escaped = JSON.stringify(user('u1', null, 'an Apple')).replace('Apple', String.raw`\u0061pple`);
    const rules = (log: string[]): readonly RuleDefinition[] => [
      entries('A', log, ['apple']),
      entries('B', log, ['berry']),
    ];
    expect(await shown([...filler, escaped, user('u2', null, 'none')], rules)).toEqual(['A u1', 'B u1']);
  });

  it('may be one of many: beyond the thirty-first they see the same entries', async () => {
    const rules = (log: string[]): readonly RuleDefinition[] =>
      Array.from({ length: 34 }, (_, at) => entries(`R${at}`, log, [`<${at}>`]));
    const lines = [...filler, user('u30', null, '<30>'), user('u33', null, '<33>')];
    expect(await shown(lines, rules)).toEqual(['R30 u30', 'R31 u33', 'R32 u33', 'R33 u33']);
  });
});

/** Writes down the steps of the path, and what changes in each. */
function steps(log: string[]): RuleDefinition {
  return defineRule({
    ...ABOUT,
    name: 'steps',
    looksAt: 'path',
    watch: () => ({
      step({ head, change, diagnostics }) {
        const counts = change && [change.before, change.after].map(({ messages }) => messages.cached.length);
        const said = diagnostics.map(({ code }) => code);
        const from = change?.origins().map(({ entryId }) => entryId);
        log.push([head.id, ...(counts ? [counts.join('>'), from?.join('+')] : []), ...said].join(' '));
        return [];
      },
      end() {
        log.push('end');
        return [];
      },
    }),
  });
}

const compaction = (id: string, parentId: string, firstKeptEntryId: string): JsonObject =>
  entry('compaction', id, parentId, { summary: 'A question.', tokensBefore: 10, firstKeptEntryId });
const edit = (id: string, parentId: string, targetId: string): JsonObject =>
  entry('context_edit', id, parentId, { targetId, replacement: null });

it('a rule of the path is shown what each entry changes, and what replay has to say of it', async () => {
  const log: string[] = [];
  const lines = [
    ...TALK,
    edit('e1', 'a1', 'u1'),
    transform('t1', 'e1', { op: 'frobnicate' }),
    entry('label', 'l1', 't1', { targetId: 'u1', label: 'x' }),
    compaction('k1', 'l1', 'a1'),
    system('s1', 'k1', { sections: { rules: 'Be brief.' } }),
    entry('novelty', 'n1', 's1'),
    user('u2', 'n1', 'And?'),
  ];
  await looked(lines, [steps(log)]);
  expect(log).toEqual([
    'u1',
    'a1',
    'e1 2>1 a1',
    't1 1>1 a1 patch-unknown-op',
    'l1',
    'k1 1>2 k1+a1',
    's1 2>2 k1+a1',
    'n1 unknown-entry',
    'u2',
    'end',
  ]);
});

/** Writes down how requests are watched. */
function watched(log: string[], hits: () => Iterable<Hit> = () => []): RuleDefinition {
  return defineRule({
    ...ABOUT,
    name: 'requests',
    looksAt: 'request',
    watch() {
      log.push('start');
      return {
        see({ from }) {
          log.push(String(from.entryId));
          return hits();
        },
        end() {
          log.push('end');
          return [];
        },
      };
    },
  });
}

async function requestsOf(...lines: readonly JsonObject[]): Promise<string> {
  const log: string[] = [];
  await looked([HEADER, ...lines], [watched(log)], { requests: 'all' });
  return log.join(' ');
}

describe('the requests of a session', () => {
  const ANOTHER = [user('u2', 'a1', 'And?'), assistant('a2', 'u2', [textContent('Well.')])];

  it('are one, or one before each answer and at the end', async () => {
    const log: string[] = [];
    await looked([...TALK, ...ANOTHER], [watched(log)]);
    expect(log.join(' ')).toBe('start u1 a1 u2 a2 end');
    expect(await requestsOf(QUESTION, ANSWER, ...ANOTHER)).toBe('start u1 end a1 u2 end a2 end');
    expect(await requestsOf()).toBe('start end');
  });

  it('start over if sent messages were changed', async () => {
    const next = user('u2', 'x1', 'And?');
    expect(await requestsOf(QUESTION, ANSWER, edit('x1', 'a1', 'u1'), next)).toBe('start u1 end start a1 u2 end');
    expect(await requestsOf(QUESTION, ANSWER, compaction('x1', 'a1', 'a1'), next)).toBe(
      'start u1 end start x1 a1 u2 end',
    );
    const replaced = transform('x1', 'a1', { op: 'messages_cached_replace', messages: [QUESTION['message']] });
    expect(await requestsOf(QUESTION, ANSWER, replaced, next)).toBe('start u1 end start u1 u2 end');
  });

  it('go on where nothing was sent that is changed', async () => {
    const next = user('u2', 'x1', 'And?');
    const told = system('x1', 'a1', { sections: { rules: 'Be brief.' } });
    expect(await requestsOf(QUESTION, ANSWER, told, next)).toBe('start u1 end a1 u2 end');
    expect(await requestsOf(QUESTION, ANSWER, edit('x1', 'a1', 'a1'), next)).toBe('start u1 end u2 end');
    const label = entry('label', 'x1', 'a1', { targetId: 'u1', label: 'start' });
    expect(await requestsOf(QUESTION, ANSWER, label, next)).toBe('start u1 end a1 u2 end');
  });

  it('are not looked at where no rule is about them', async () => {
    expect((await looked(TALK, [], { requests: 'all' })).parsed).toEqual([]);
    const log: string[] = [];
    await looked(TALK, [steps(log)], { requests: 'all' });
    expect(log).toEqual(['u1', 'a1', 'end']);
  });

  it('have each finding once, however they come and how often', async () => {
    const session = [...TALK, edit('e1', 'a1', 'u1'), user('u2', 'e1', 'And?')];
    const hit = { message: 'wrong', at: { line: 3 } };
    const hits = [hit, { ...hit, at: { line: 2 } }, { ...hit, message: 'bad' }, { ...hit, place: 'content' }, hit];
    const one = watched([], () => hits);
    const other = defineRule({
      ...ABOUT,
      name: 'other',
      looksAt: 'request',
      watch: () => ({ see: () => new Set(hits), end: () => hits }),
    });
    const { findings } = await looked(session, [one, other], { requests: 'all' });
    const words = findings.map(({ rule, line, message, place }) => `${rule} ${line} ${message} ${place}`);
    const each = ['3 wrong null', '2 wrong null', '3 bad null', '3 wrong content'];
    expect(words).toEqual([...each.map((said) => `requests ${said}`), ...each.map((said) => `other ${said}`)]);
  });
});

it('a hit becomes a finding that says where the line of its entry stands', async () => {
  const hits: readonly Hit[] = [
    { message: 'of all' },
    { message: 'of an entry', at: { line: 3, id: 7 }, related: ['u1', null, undefined, 8] },
    { message: 'of no entry', at: { line: 9 }, place: 'x', fix: 'mend it' },
    { message: 'of bytes', at: { line: 3, offset: 1, length: 2, id: null } },
    { message: 'of what is hidden', at: { line: 1 } },
  ];
  const rule = defineRule({ ...ABOUT, name: 'any', looksAt: 'session', find: () => hits });
  const { findings } = await looked(TALK, [rule]);
  const [first = 0, second = 0, third = 0] = TALK.map((line) => JSON.stringify(line).length + 1);
  const nowhere = { line: null, entryId: null, offset: null, length: null, place: null };
  const none = { rule: 'any', severity: 'warning', ...nowhere, fix: null, related: [] };
  expect(findings).toEqual([
    { ...none, message: 'of all' },
    {
      ...none,
      message: 'of an entry',
      line: 3,
      entryId: '7',
      offset: first + second,
      length: third,
      related: ['u1', '8'],
    },
    { ...none, message: 'of no entry', line: 9, place: 'x', fix: 'mend it' },
    { ...none, message: 'of bytes', line: 3, offset: 1, length: 2 },
    { ...none, message: 'of what is hidden', line: 1 },
  ]);
});

it('a rule of the envelope sees what would be sent next, also beside a broken operation', async () => {
  const seen: unknown[] = [];
  const rule = defineRule({
    ...ABOUT,
    name: 'envelope',
    looksAt: 'envelope',
    find({ messages, envelope }) {
      seen.push(envelope().at.entryId, messages.cached.length);
      return [];
    },
  });
  await looked([...TALK, transform('t1', 'a1', { op: 'frobnicate' })], [rule]);
  expect(seen).toEqual(['t1', 2]);
});

it('a rule of the envelope sees the same context where other rules have followed its path', async () => {
  const seen: ContextEnvelope[] = [];
  const rule = defineRule({
    ...ABOUT,
    name: 'envelope',
    looksAt: 'envelope',
    find({ envelope }) {
      seen.push(envelope());
      return [];
    },
  });
  for (let seed = 0; seed < runs(200); seed += 1) {
    const shape = { seed, entries: 30, odd: 0.1, transforms: 0.1, compactions: 0.1, edits: 0.1 };
    const lines = [new TextEncoder().encode(generateSession(shape))];
    await looked(lines, [rule]);
    await looked(lines, [rule, ...named('tool-order')]);
    const [built, followed] = seen.splice(0);
    // Diagnostics of entries without an effect on the leaf are only in the second one; no rule reads them.
    expect(withoutDiagnostics(followed)).toEqual(withoutDiagnostics(built));
  }
});

function withoutDiagnostics(envelope: ContextEnvelope | undefined): unknown {
  return { ...envelope, meta: { ...envelope?.meta, diagnostics: [] } };
}
