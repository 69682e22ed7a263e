import { describe, expect, it } from 'vitest';
import type { Divergence } from '#analysis/cache/document.js';
import { buildPreamble, type Preamble } from '#analysis/cache/prompt.js';
import {
  findBreakClass,
  findCulprit,
  listIdleDeclarations,
  type RewritingEntry,
} from '#analysis/cache/rewriting-entries.js';
import type { ToolDefinition } from '#context/replay/content.js';
import { readSession } from '../../../src/session/read-session.js';
import { entry, HEADER, lines, sourceOf } from '../../support/entries.js';

/** Entries of all kinds that rewrite a context. */
const ENTRIES = [
  entry('compaction', 'k', null, { summary: 'All.', firstKeptEntryId: 'k' }),
  entry('context_transform', 't', 'k', { schemaVersion: 1, transformerName: 'trim', patch: [] }),
  entry('context_transform', 'tk', 't', { schemaVersion: 1, transformerName: 'compaction', patch: [] }),
  entry('context_edit', 'e', 'tk', { targetId: 'k', replacement: null }),
  entry('message', 's', 'e', { message: { role: 'system', content: 'Be brief.' } }),
];
const SESSION = readSession(sourceOf(lines(HEADER, ...ENTRIES)), 'session.jsonl');

function placeAt(section: Divergence['section'], index: number): Divergence {
  return { section, index, name: '', entryId: null, block: null, offset: 0, prefixTokensEstimated: 0 };
}

function withTools(...names: readonly string[]): Preamble {
  const tools = names.map((name): ToolDefinition => ({ name }));
  return buildPreamble({ tools, system: { parts: [], compiled: '' } });
}

function candidate(id: string, divergence: Divergence | null, more: Partial<RewritingEntry> = {}): RewritingEntry {
  const head = SESSION.tree.heads.find(id);
  if (!head) throw new Error(`no entry ${id}`);
  return { head, reasons: [], divergence, preamble: withTools(), ...more };
}

describe('what is to blame for a break', () => {
  const [first, second, third] = [placeAt('system', 1), placeAt('messages', 2), placeAt('messages', 7)];
  it.each<readonly [what: string, divergences: readonly (Divergence | null)[], at: Divergence, culprit: string | null]>(
    [
      ['the only one that changed it', [null, second, second], second, 't'],
      ['the one that reached so far up', [third, second, first], second, 't'],
      ['the last one, where another one has put it back', [second, third, second], second, 'tk'],
      ['the first one, if it was there from the beginning', [first, first, first], second, 'k'],
      ['none, where nothing reaches so far up', [third, null, third], second, null],
      ['none of none', [], second, null],
    ],
  )('is %s', (_what, divergences, at, culprit) => {
    const candidates = divergences.map((place, index) => candidate(['k', 't', 'tk'][index] ?? '', place));
    expect(findCulprit(candidates, at)?.head.id ?? null).toBe(culprit);
  });

  it.each([
    ['k', 'messages', 'compaction'],
    ['t', 'messages', 'transform'],
    ['tk', 'messages', 'compaction'],
    ['e', 'messages', 'edit'],
    ['s', 'system', 'system'],
    ['s', 'messages', 'system'],
    ['s', 'tools', 'tools'],
  ] as const)('has a class: %s in %s', (id, section, name) => {
    expect(findBreakClass(SESSION, candidate(id, placeAt(section, 0)), withTools('read'))).toBe(name);
  });

  it('is only the order of tools, where they are the same', () => {
    const inTools = candidate('s', placeAt('tools', 0), { preamble: withTools('bash', 'read') });
    expect(findBreakClass(SESSION, inTools, withTools('read', 'bash'))).toBe('tool order');
    expect(findBreakClass(SESSION, inTools, withTools('read', 'edit'))).toBe('tools');
    expect(findBreakClass(SESSION, { ...inTools, divergence: null }, withTools('read', 'bash'))).toBe('system');
  });
});

describe('reasons that were declared', () => {
  it('were for nothing where an entry changes nothing that those above it have not changed', () => {
    const reasons = ['as declared'];
    const candidates = [
      candidate('t', null, { reasons }),
      candidate('tk', placeAt('messages', 3), { reasons }),
      candidate('k', placeAt('messages', 3)),
      candidate('e', placeAt('messages', 3), { reasons }),
      candidate('s', placeAt('tools', 0), { reasons }),
    ];
    expect(listIdleDeclarations(candidates)).toEqual([
      { entryId: 't', line: 3, reasons },
      { entryId: 'e', line: 5, reasons },
    ]);
    expect(listIdleDeclarations([candidate('t', placeAt('tools', 0), { reasons })])).toEqual([]);
    expect(listIdleDeclarations([candidate('t', null)])).toEqual([]);
  });
});
