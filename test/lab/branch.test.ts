import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildDraft } from '#change/plan/draft.js';
import { findUndoRevision } from '#change/revert/undo-revision.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { AgentMessage, ContextEngine } from '#lab/contract.js';
import type { DriveSource } from '#lab/drive/drive-options.js';
import { draftBranch } from '#lab/drive/transcript/draft-branch.js';
import type { Transcript } from '#lab/drive/transcript/transcript.js';
import { labelsOf } from '#session/session.js';
import { activePath } from '#session/tree/tree.js';
import { driveAll, engine, sourceIn } from '../support/engines.js';
import { projectFolder } from '../support/files.js';
import { generateSession } from '../support/generate.js';
import { ctx } from '../support/memory-io.js';
import { pluginsHere } from '../support/plugins.js';
import { runs } from '../support/runs.js';

/** Ids in one order. */
function freshness(): { now: () => number; newId: () => string } {
  let id = 0;
  return { now: () => 0, newId: () => `new${(id += 1)}` };
}

interface Drafted extends ReturnType<typeof draftBranch> {
  readonly source: DriveSource;
  readonly end: End;
}

interface End {
  readonly transcript: Transcript;
  readonly messages: readonly LlmMessage[];
}

async function endOf(source: DriveSource, own: Partial<ContextEngine>): Promise<End> {
  const ends: End[] = [];
  await driveAll(source, () => engine(own), { tokenBudget: 400, onEnd: (end) => void ends.push(end) });
  return ends[0]!;
}

const NOTHING = { changed: false, bytesFreed: 0, rewrittenEntries: 0 };

/** Shortens every user message but the newest ones, one at a time, and compacts when asked to. */
function shortener(): Partial<ContextEngine> {
  const done = new Set<string>();
  return {
    async maintain({ runtimeContext }) {
      const next = runtimeContext?.transcript?.find(({ message }) => message?.role === 'user' && !isShort(message));
      if (!next?.message || done.has(next.entryId)) return NOTHING;
      const message = { ...next.message, content: 'short' };
      return runtimeContext!.rewriteTranscriptEntries!({ replacements: [{ entryId: next.entryId, message }] });
    },
    async compact({ currentTokenCount = 0, runtimeContext }) {
      const kept = runtimeContext?.transcript?.findLast(({ message }) => message?.role === 'user');
      if (!kept) return { ok: true, compacted: false };
      const result = { summary: 'All before.', firstKeptEntryId: kept.entryId, tokensBefore: currentTokenCount };
      return { ok: true, compacted: true, result };
    },
  };
}

function isShort({ content }: AgentMessage): boolean {
  return content === 'short';
}

const plain = (messages: readonly LlmMessage[]): string =>
  JSON.stringify(messages, (key, value: unknown) => (key === 'usage' ? null : value));

/** The branch that the engine leaves in a generated session; null where it cannot be written. */
async function drafted(seed: number, own: Partial<ContextEngine>, compactions: number): Promise<Drafted | null> {
  const source = sourceIn(generateSession({ seed, entries: 40, compactions, edits: 0.1, transforms: 0.05 }));
  const end = { path: activePath(source.tree), ...(await endOf(source, own)) };
  try {
    return { source, end, ...draftBranch(source, end, freshness()) };
  } catch (error) {
    expect((error as Error).message).toContain('would lose changes of prompt or tools');
    return null;
  }
}

describe('the branch that an engine leaves', () => {
  let compared = 0;

  it.each([...Array(runs(100)).keys()])('has the context of the engine, and is undone whole (%i)', async (seed) => {
    const { compact: _, ...rewrites } = shortener();
    const made = await drafted(seed, rewrites, 0);
    const { draft, end, source } = made!;
    // Not every session has a message that is long enough.
    if (draft.entries.length === 0) return;
    expect(plain(draft.after.messages.cached)).toBe(plain(end.messages));
    expect([...labelsOf(draft.longer).values()].toSorted()).toEqual([...labelsOf(source).values()].toSorted());
    if (draft.predicted().sha256 !== buildDraft(source, []).predicted().sha256)
      expect(findUndoRevision(draft)).not.toBeNull();
    compared += 1;
  });

  it('was compared in generated sessions', () => {
    expect(compared).toBeGreaterThan(runs(100) / 2);
  });

  it('is refused where a compaction loses another prompt, and not otherwise', async () => {
    let written = 0;
    for (let seed = 0; seed < runs(200); seed += 1) if (await drafted(seed, shortener(), 0.1)) written += 1;
    expect(written).toBeGreaterThan(3);
  });

  it('is empty where the engine changed nothing, whatever other engines did', async () => {
    for (let seed = 0; seed < 5; seed += 1) {
      const made = await drafted(seed, { info: { id: 'x', name: 'X', ownsCompaction: true } }, 0.2);
      expect(made?.draft.entries).toEqual([]);
    }
  });
});

const weather = readFileSync(path.join(projectFolder, 'fixtures/weather.jsonl'), 'utf8');

/** The engine that shortens, run over a session in memory. */
function run(argv: readonly string[], session = weather): ReturnType<typeof ctx> {
  const startPlugin = pluginsHere({ 'engine.ts': engine(shortener()) });
  const files = { 's.jsonl': session, 'engine.ts': '' };
  return ctx(['engine', 'run', 's.jsonl', '--engine', 'engine.ts', '--no-config', ...argv], { files, startPlugin });
}

describe('ctx engine run --write', () => {
  it('appends a branch, which ctx revert undoes', async () => {
    const dry = await run(['--write', '--dry-run']);
    expect(dry).toMatchObject({ exitCode: 0 });
    expect(dry.files['s.jsonl']).toBe(weather);
    const { files, stdout } = await run(['--write', '--yes']);
    const file = String(files['s.jsonl']);
    expect(file.startsWith(weather)).toBe(true);
    expect(file).toContain('"customType":"ctx.rewrite"');
    const undo = /undo: ctx revert s\.jsonl (\S+)/.exec(stdout)?.[1] ?? '';
    const back = await ctx(['revert', 's.jsonl', undo, '--yes'], { files: { 's.jsonl': file } });
    const messages = async (text: string): Promise<unknown> => {
      const shown = await ctx(['show', 's.jsonl', '--json'], { files: { 's.jsonl': text } });
      return (JSON.parse(shown.stdout) as { messages: unknown }).messages;
    };
    expect(await messages(String(back.files['s.jsonl']))).toEqual(await messages(weather));
    expect(await messages(file)).not.toEqual(await messages(weather));
  });

  it('keeps what follows the branch when it is undone', async () => {
    const { files } = await run(['--write', '--yes']);
    const file = String(files['s.jsonl']);
    const entries = file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: string; type: string });
    const later = { type: 'message', id: 'later', parentId: entries.at(-1)!.id, timestamp: '2026-01-14T21:00:00.000Z' };
    const message = { role: 'user', content: 'And now?', timestamp: 1 };
    const text = `${file}${JSON.stringify({ ...later, message })}\n`;
    const marker = entries.find(({ type, id }) => type === 'custom' && !weather.includes(id))!.id;
    const back = await ctx(['revert', 's.jsonl', marker, '--yes'], { files: { 's.jsonl': text } });
    expect(back).toMatchObject({ exitCode: 0 });
    const shown = await ctx(['show', 's.jsonl', '--part', 'messages'], {
      files: { 's.jsonl': String(back.files['s.jsonl']) },
    });
    expect(shown.stdout.trimEnd().split('\n').at(-1)).toContain('And now?');
    expect(shown.stdout).not.toContain('short\n');
  });

  it('writes a copy with --output, and nothing for an engine that did nothing', async () => {
    const copy = await run(['--write', '--output', 'copy.jsonl']);
    expect(copy.files['s.jsonl']).toBe(weather);
    expect(String(copy.files['copy.jsonl'])).toContain('ctx.rewrite');
    const none = await ctx(['engine', 'run', 's.jsonl', '--engine', 'none', '--write', '--yes', '--no-config'], {
      files: { 's.jsonl': weather },
    });
    expect(none.stdout).toContain('nothing to append');
  });

  it.each([['--write', '--at', 'HEAD~1'], ['--write', '--export', 'anthropic'], ['--dry-run'], ['--output', 'x']])(
    'refuses %s %s %s',
    async (...argv) => {
      expect(await run(argv.filter((word) => typeof word === 'string'))).toMatchObject({ exitCode: 2 });
    },
  );
});

describe('ctx engine run --export', () => {
  it.each(['anthropic', 'openai-responses', 'openai-chat', 'json'])(
    'prints the request of the engine as %s',
    async (format) => {
      const { stdout, exitCode } = await run(['--export', format]);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toBeTypeOf('object');
      expect(stdout).toContain('"short"');
      const recorded = await ctx(['export', 's.jsonl', '--format', format], { files: { 's.jsonl': weather } });
      expect(recorded.stdout).not.toContain('"short"');
    },
  );

  it('is the recorded request for the recorded engine', async () => {
    const files = { 's.jsonl': weather };
    const own = await ctx(['engine', 'run', 's.jsonl', '--engine', 'recorded', '--export', 'anthropic'], { files });
    const recorded = await ctx(['export', 's.jsonl', '--format', 'anthropic', '--ephemeral'], { files });
    expect(own.stdout).toBe(recorded.stdout);
  });

  it('goes to a file with --output', async () => {
    const { files, stdout } = await run(['--export', 'anthropic', '-o', 'request.json']);
    expect(JSON.parse(String(files['request.json']))).toHaveProperty('model');
    expect(stdout).toContain('request.json');
  });
});
