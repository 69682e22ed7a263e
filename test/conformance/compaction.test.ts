import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { isObject, type JsonObject } from '#base/json.js';
import { buildCompactionEntries, type CompactionForm } from '#change/compact/compaction-entries.js';
import { toFileLists } from '#change/compact/file-ops.js';
import { isContextOverflow } from '#change/compact/overflow.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { serializeConversation } from '#change/compact/summarizers/prompts.js';
import { ignorePatches } from '#context/open.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { canonicalJson } from '../../src/base/canonical-json.js';
import { fixtures, projectFolder, triedRecordings } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { expectGenerated } from '../support/generated.js';
import { withRealPi } from '../support/real-pi.js';
import { runs } from '../support/runs.js';
import { isComparable, untried } from './judged.js';
import {
  digest,
  GENERATED_FOR_COMPACTION,
  ours,
  type Place,
  placesIn,
  sessionForCompaction,
  sessionIn,
  textOf,
} from './prepared.js';

/** What Pi's `prepareCompaction` gave, digested, for each session. */
interface Golden {
  readonly fixtures: Readonly<Record<string, string>>;
  readonly generated: readonly string[];
}

const goldenFile = path.join(projectFolder, 'test/golden/pi-compaction.json');
const comparable = fixtures.filter(isComparable);
const TRIED = GENERATED_FOR_COMPACTION.slice(0, runs(GENERATED_FOR_COMPACTION.length));

function ourDigest(session: Session, expected: string): string {
  const failed = new Set(expected.split(' ').slice(1));
  return digest(
    [...placesIn(session)].map((place) => [place.name, failed.has(place.name) ? null : ours(session, place)]),
  );
}

describe('what real Pi prepared when it was asked', () => {
  const golden = (): Golden => JSON.parse(readFileSync(goldenFile, 'utf8')) as Golden;

  it('for every assistant entry of the fixtures', () => {
    for (const [name, expected] of Object.entries(golden().fixtures)) {
      const session = sessionIn(readFileSync(path.join(projectFolder, name)));
      expect(session && ourDigest(session, expected), name).toBe(expected);
    }
  });

  it(`for every assistant entry of ${TRIED.length} generated sessions`, () => {
    const { generated } = golden();
    for (const [at, shape] of TRIED.entries()) {
      const session = sessionIn(sessionForCompaction(shape));
      expect(session && ourDigest(session, generated[at] ?? ''), `seed ${shape.seed}`).toBe(generated[at]);
    }
  });
});

type Prepare = (entries: readonly unknown[], settings: object) => Record<string, unknown> | undefined;

withRealPi('real Pi', () => {
  const packageFolder = 'test/pi/node_modules/@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js';

  async function piPrepare(): Promise<(session: Session, place: Place) => string | null> {
    const file = pathToFileURL(path.join(projectFolder, packageFolder)).href;
    const pi = (await import(file)) as { prepareCompaction: Prepare };
    return (session, place) => {
      const settings = { enabled: true, reserveTokens: 16_384, keepRecentTokens: place.keepRecentTokens };
      try {
        const prepared = pi.prepareCompaction(
          place.path.map((head) => session.entry(head)),
          settings,
        );
        return prepared ? textOf(prepared) : 'nothing';
      } catch {
        return null;
      }
    };
  }

  function differences(
    session: Session,
    pi: (session: Session, place: Place) => string | null,
    budgets?: readonly number[],
  ): readonly string[] {
    return [...placesIn(session, budgets)].flatMap((place) => {
      const expected = pi(session, place);
      return expected === null || expected === ours(session, place) ? [] : [place.name];
    });
  }

  it('prepares the same for the fixtures and recordings', { timeout: 300_000 }, async () => {
    const pi = await piPrepare();
    for (const file of [...comparable, ...triedRecordings]) {
      const session = sessionIn(readFileSync(file));
      // Some recordings have many entries.
      if (session) expect(differences(session, pi, [250, 20_000]), file).toEqual([]);
    }
  });

  it(
    'prepares the same for generated sessions, and stands behind the golden digests',
    { timeout: 300_000 },
    async () => {
      const pi = await piPrepare();
      const digestOf = (session: Session): string =>
        digest([...placesIn(session)].map((place) => [place.name, pi(session, place)]));
      const byFixture: Record<string, string> = {};
      for (const file of comparable) {
        const session = sessionIn(readFileSync(file));
        if (session) byFixture[path.relative(projectFolder, file)] = digestOf(session);
      }
      const generated = TRIED.map((shape) => {
        const session = sessionIn(sessionForCompaction(shape));
        if (!session) return '';
        expect(differences(session, pi), `seed ${shape.seed}`).toEqual([]);
        return digestOf(session);
      });
      const golden = { fixtures: byFixture, generated: [...generated, ...untried(goldenFile, generated.length)] };
      const text = `${JSON.stringify(golden, null, 1)}\n`;
      expectGenerated(goldenFile, text);
    },
  );
});

withRealPi('real Pi', () => {
  const packages = path.join(projectFolder, 'test/pi/node_modules/@earendil-works');
  const load = (file: string): Promise<Record<string, never>> => import(pathToFileURL(path.join(packages, file)).href);
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-compact-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  interface SessionManager {
    appendCompaction(...args: readonly unknown[]): string;
    buildSessionContext(): { readonly messages: readonly JsonObject[] };
  }

  async function open(file: string): Promise<SessionManager> {
    const module: unknown = await load('pi-coding-agent/dist/core/session-manager.js');
    return (module as { SessionManager: { open(file: string): SessionManager } }).SessionManager.open(file);
  }

  /** Sessions with something to compact at the leaf, as files of version 3. */
  function* compactable(): Generator<{ readonly session: Session; readonly bytes: Uint8Array }> {
    const generated = Array.from({ length: 60 }, (_, seed) =>
      Buffer.from(generateSession({ seed: seed + 20_000, sound: true, edits: 0.05 })),
    );
    for (const bytes of [...comparable.map((file) => readFileSync(file)), ...generated]) {
      const session = sessionIn(bytes);
      if (session && session.header.version === 3 && session.problems.length === 0) yield { session, bytes };
    }
  }

  it('writes the same compaction, and sees what was predicted', async () => {
    const { convertToLlm } = (await load('pi-coding-agent/dist/core/messages.js')) as unknown as {
      convertToLlm(messages: readonly JsonObject[]): readonly JsonObject[];
    };
    let compared = 0;
    for (const { session, bytes } of compactable()) {
      const { leaf } = session.tree;
      const way = leaf ? pathTo(session.tree, leaf) : [];
      const preparation = prepareCompaction(ignorePatches(session), { path: way, keepRecentTokens: 20 });
      if (!preparation) continue;
      const summary = { text: 'all of it', usage: { input: 1, output: 2 } };
      let next = 0;
      const fresh = { now: () => 1_790_000_000_000, newId: () => (next += 1).toString(16).padStart(8, '0') };
      const entriesAs = (form: CompactionForm): readonly JsonObject[] =>
        buildCompactionEntries(session, { path: way, preparation, summary, form }, fresh);

      const file = path.join(folder, `${(compared += 1)}.jsonl`);
      writeFileSync(file, bytes);
      const { firstKeptEntryId, tokensBefore, fileOps } = preparation;
      const { read, modified } = toFileLists(fileOps);
      const details = { readFiles: read, modifiedFiles: modified };
      (await open(file)).appendCompaction(summary.text, firstKeptEntryId, tokensBefore, details, true, summary.usage);
      const line = readFileSync(file, 'utf8').trimEnd().split('\n').at(-1) ?? '';
      expect(withoutChance(entriesAs('compaction')[0] ?? {})).toBe(withoutChance(JSON.parse(line) as JsonObject));

      const both = `${file}.both`;
      writeFileSync(
        both,
        Buffer.concat([
          bytes,
          Buffer.from(
            entriesAs('both')
              .map((each) => `${JSON.stringify(each)}\n`)
              .join(''),
          ),
        ]),
      );
      const seen = convertToLlm((await open(both)).buildSessionContext().messages).filter(
        ({ role }) => role !== 'system',
      );
      const written = sessionIn(readFileSync(both));
      const shown = written && buildEnvelope(attachPatchReader(written), written.tree.leaf).messages.cached;
      expect(canonicalJson(shown)).toBe(canonicalJson(seen));
    }
    expect(compared).toBeGreaterThan(50);
  });

  it('has the same text for a summariser', async () => {
    const utils: unknown = await load('pi-coding-agent/dist/core/compaction/utils.js');
    const pi = utils as { serializeConversation(messages: readonly unknown[]): string };
    for (const { session } of compactable()) {
      const { cached } = buildEnvelope(ignorePatches(session), session.tree.leaf).messages;
      expect(serializeConversation(cached)).toBe(pi.serializeConversation(cached));
    }
  });

  it('takes the same answers for an overflow', async () => {
    const pi = await import('../pi/pi-ai.mjs');
    for (const { source } of pi.getOverflowPatterns()) {
      // What the pattern itself says is near enough to what it matches.
      const said = source.replaceAll(/\(\?:[^)]*\)[?]?|\\[sd][+*]?|\[[^\]]*\][+*]?|[\^$?|\\()]/g, ' 1 ');
      for (const errorMessage of [
        said,
        said.replaceAll(' 1 ', ''),
        `Throttling error: ${said}`,
        '413',
        '400 (no body)',
      ]) {
        const message = { role: 'assistant', stopReason: 'error', errorMessage, provider: 'cerebras' } as const;
        expect(isContextOverflow(message, null), errorMessage).toBe(pi.isContextOverflow(message));
      }
    }
    const source = readFileSync(path.join(projectFolder, 'src/change/compact/overflow.ts'), 'utf8');
    for (const pattern of pi.getOverflowPatterns()) {
      const written = pattern.source === SLOW.source ? QUICK : pattern;
      expect(source).toContain(`  ${String(written)},\n`);
    }
    const words = fc.constantFrom('input token count', ' of 5', ' exceeds the maximum', 'exceeds', '\n', 'INPUT TOKEN');
    fc.assert(
      fc.property(fc.array(words), (said) => {
        const message = { role: 'assistant', stopReason: 'error', errorMessage: said.join('') } as const;
        expect(isContextOverflow(message, null)).toBe(pi.isContextOverflow(message));
      }),
      { numRuns: runs(500) },
    );
  });
});

/** A pattern that looks at a long text as often as it says its beginning, and what matches the same texts at once. */
const SLOW = /input token count.*exceeds the maximum/i;
const QUICK = /input token count(?:(?!input token count).)*exceeds the maximum/i;

/** All but what differs each time, in the order in which it is written. */
function withoutChance({ systemMessage, ...entry }: JsonObject): string {
  const system = isObject(systemMessage) ? { systemMessage: { ...systemMessage, timestamp: 0 } } : {};
  return JSON.stringify({ ...entry, ...system, id: '', timestamp: '' });
}
