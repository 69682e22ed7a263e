import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sessionEntry } from '#context/format/entries.js';
import { sessionHeader } from '#session/format/entries.js';
import { fixtures, triedRecordings } from '../../support/files.js';
import { generateSession } from '../../support/generate.js';
import { runs } from '../../support/runs.js';

/** Other programs wrote these, and left out what Pi never does. */
const NOT_BY_PI = ['agent-sessions-openclaw-large', 'pi-cache-graph-session-linear'];
/** Hand-written ones in which something is missing on purpose. */
const NOT_WHOLE = ['missing-content', 'version-1'];

const healthy = [...fixtures, ...triedRecordings].filter((file) => {
  const name = path.basename(file, '.jsonl');
  return !/damaged|rules/.test(path.dirname(file)) && ![...NOT_BY_PI, ...NOT_WHOLE].includes(name);
});

interface Line {
  readonly type: string;
}

function linesIn(text: string): readonly Line[] {
  return text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line];
    } catch {
      return [];
    }
  });
}

/** What the published schemas say of the lines of a file, types that nobody knows left out. */
function problemsIn(text: string): readonly unknown[] {
  return linesIn(text).flatMap((line) => {
    if (['unknown_future_entry_type', 'future_entry', 'future_type'].includes(line.type)) return [];
    const { error } = line.type === 'session' ? sessionHeader.safeParse(line) : sessionEntry.safeParse(line);
    return error ? [{ line, issues: error.issues }] : [];
  });
}

describe('the schemas of session files', () => {
  it.each(healthy.map((file) => [path.basename(file), file]))('hold for %s', (_name, file) => {
    expect(problemsIn(readFileSync(file, 'utf8'))).toEqual([]);
  });

  it('hold for generated sessions of every version', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.constantFrom(1, 2, 3), (seed, version) => {
        const text = generateSession({ seed, version, transforms: 0.2, compactions: 0.1 });
        // The generator knows roles and types that Pi does not.
        const known = text.split('\n').filter((line) => !line.includes('"role":"mystery"'));
        expect(problemsIn(known.join('\n'))).toEqual([]);
      }),
      { numRuns: runs(200) },
    );
  });
});

const entry = { id: 'a', parentId: null, timestamp: '2026-03-02T09:00:00.000Z' };
const answer = { role: 'assistant', content: [], provider: 'p', model: 'm', usage: { input: 1, output: 1, cost: {} } };

describe('an entry', () => {
  it.each<readonly [string, object]>([
    ['of version 1, with neither id nor parent', { type: 'message', timestamp: entry.timestamp, message: answer }],
    ['with a usage of version 1', { type: 'message', ...entry, message: answer }],
    ['with keys that nobody knows', { type: 'message', ...entry, odd: 1, message: { ...answer, odd: { deep: [] } } }],
    ['with words instead of blocks', { type: 'message', ...entry, message: { role: 'user', content: 'Hello' } }],
    [
      'of a hook before version 3',
      { type: 'message', ...entry, message: { role: 'hookMessage', customType: 'x', content: '' } },
    ],
    ['that compacts by index', { type: 'compaction', ...entry, summary: '', tokensBefore: 0, firstKeptEntryIndex: 3 }],
    ['that clears a label', { type: 'label', ...entry, targetId: 'b', label: '' }],
    ['that leaves another out', { type: 'context_edit', ...entry, targetId: 'b', replacement: null }],
    ['of an extension, whatever its data', { type: 'custom', ...entry, customType: 'x', data: 7 }],
  ])('%s passes', (_what, value) => {
    expect(sessionEntry.safeParse(value)).toMatchObject({ success: true });
  });

  it.each<readonly [string, object]>([
    ['without a message', { type: 'message', ...entry }],
    ['with a number for content', { type: 'message', ...entry, message: { role: 'user', content: 42 } }],
    ['with an answer that is no list', { type: 'message', ...entry, message: { ...answer, content: 'Hello' } }],
    ['without a summary', { type: 'compaction', ...entry, tokensBefore: 0 }],
    [
      'with a patch that gives no reason',
      {
        type: 'context_transform',
        ...entry,
        schemaVersion: 1,
        patch: [{ op: 'tools_remove', scope: 'cached', toolNames: [] }],
      },
    ],
    ['of no type', entry],
  ])('%s does not', (_what, value) => {
    expect(sessionEntry.safeParse(value)).toMatchObject({ success: false });
  });
});
