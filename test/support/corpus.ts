import { readFileSync } from 'node:fs';
import path from 'node:path';
import { toLenient } from '#context/lenient.js';
import { openSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { pathTo } from '#session/tree/tree.js';
import { type Damage, damaged, DAMAGES, entryAt, withMembers } from './corruption.js';
import { projectFolder } from './files.js';
import { generateSession } from './generate.js';
import { Random } from './random.js';

/** A damaged session, and what has to be in the context when it is repaired. */
export interface Case {
  readonly name: string;
  readonly kind: Damage;
  readonly bytes: Uint8Array;
  /** Messages that can be got back as they were. */
  readonly messages: readonly string[];
  /** The entry whose message can be got back, but not as it was; null: there is none. */
  readonly changed: string | null;
}

const FIXTURES = [
  'branches',
  'checkpoint',
  'edits',
  'edits-and-compaction',
  'keeps-from-metadata',
  'retain-none',
  'several-roots',
  'system-messages',
  'tool-change',
  'two-compactions',
  'user-like',
  'version-1',
  'version-2',
  'weather',
];
const SEEDS = [1, 2, 3];

interface Base {
  readonly name: string;
  readonly lines: readonly string[];
}

const bases: readonly Base[] = [
  ...FIXTURES.map((name) => ({
    name,
    lines: linesOf(readFileSync(path.join(projectFolder, 'fixtures', `${name}.jsonl`), 'utf8')),
  })),
  ...SEEDS.map((seed) => ({
    name: `generated ${seed}`,
    lines: linesOf(generateSession({ seed, entries: 25, sound: true, compactions: seed === 1 ? 0 : 0.05 })),
  })),
];

function linesOf(text: string): readonly string[] {
  return text.trimEnd().split('\n');
}

/** Every kind of damage, in several places of every session. */
export async function corpus(): Promise<readonly Case[]> {
  const cases: Case[] = [];
  for (const base of bases) {
    const original = await contextOf(Buffer.from(`${base.lines.join('\n')}\n`));
    for (const [at, place] of placesIn(base, original)) {
      for (const [seed, kind] of DAMAGES.entries()) {
        const bytes = damaged(kind, base.lines, at, new Random(seed * 1000 + at));
        if (!bytes) continue;
        const name = `${kind.name}, ${base.name}, ${place}`;
        cases.push({ name, kind, bytes, ...(await remaining(kind, { lines: base.lines, original, at })) });
      }
    }
  }
  return cases;
}

/** A message of the context with its entry. */
interface Sent {
  readonly json: string;
  readonly line: number;
  readonly entryId: string | null;
  readonly editLine: number | null;
  readonly calls: readonly unknown[];
  readonly answers: unknown;
}

export interface Context {
  readonly messages: readonly Sent[];
  /** The lines of the active path, from the root on. */
  readonly path: readonly number[];
}

export async function contextOf(bytes: Uint8Array): Promise<Context> {
  const session = await openSession(bytes);
  const { tree } = session;
  const { messages, meta } = buildEnvelope(toLenient(session), tree.leaf);
  return {
    path: tree.leaf ? pathTo(tree, tree.leaf).map(({ line }) => line) : [],
    messages: messages.cached.map((message, at): Sent => {
      const from = meta.provenance[at]!;
      const content = Array.isArray(message['content']) ? (message['content'] as Record<string, unknown>[]) : [];
      return {
        json: JSON.stringify(message),
        line: from.line,
        entryId: from.entryId,
        editLine: tree.heads.find(from.editId)?.line ?? null,
        calls: content.flatMap((block) => (block?.['type'] === 'toolCall' ? [block['id']] : [])),
        answers: message['toolCallId'],
      };
    }),
  };
}

/** By the index of a line: the first and the last, one in the middle of the active path, others on it and off it. */
function placesIn({ lines }: Base, { path: active }: Context): ReadonlyMap<number, string> {
  const last = lines.length - 1;
  const off = lines.findIndex((_line, at) => at > 0 && !active.includes(at + 1));
  const tool = lines.findIndex((line) => line.includes('"type":"toolCall"'));
  const result = lines.findIndex((line) => line.includes('"role":"toolResult"'));
  const middle = (active[Math.floor(active.length / 2)] ?? 1) - 1;
  const before = (active.at(-2) ?? 1) - 1;
  const places: readonly (readonly [number, string])[] = [
    [lines.findIndex((line) => /(?<!\\)\\n/.test(line)), 'at a text of several lines'],
    [tool, 'at a tool call'],
    [result, 'at a tool result'],
    [off, 'off the active path'],
    [before, 'before the leaf'],
    [middle, 'in the middle'],
    [last, 'at the end'],
    [1, 'at the beginning'],
  ];
  return new Map(places.filter(([at]) => at > 0));
}

/** What can be got back of a context when a line was damaged. */
async function remaining(
  { fate }: Damage,
  { lines, original, at }: { readonly lines: readonly string[]; readonly original: Context; readonly at: number },
): Promise<Pick<Case, 'messages' | 'changed'>> {
  if (fate === 'lost' && entryAt(lines, at)['type'] === 'compaction') {
    const { messages } = await contextOf(without(lines, at));
    return { messages: messages.map(({ json }) => json), changed: null };
  }
  const { messages } = original;
  const isHere = ({ line, editLine }: Sent): boolean => line === at + 1 || editLine === at + 1;
  const here = messages.filter(isHere);
  if (fate === 'whole' || here.length === 0) return { messages: messages.map(({ json }) => json), changed: null };
  // Without its call no provider takes a result.
  const calls = new Set(fate === 'lost' ? here.flatMap((sent) => sent.calls) : []);
  const others = messages.filter((sent) => !isHere(sent) && !calls.has(sent.answers));
  const changed = fate === 'changed' ? (here.find(({ line }) => line === at + 1)?.entryId ?? null) : null;
  return { messages: others.map(({ json }) => json), changed };
}

/** A session in which an entry was never written. */
function without(lines: readonly string[], at: number): Uint8Array {
  const { id, parentId } = entryAt(lines, at);
  const left = lines.map((line, other) =>
    entryAt(lines, other)['parentId'] === id ? withMembers(line, { parentId }) : line,
  );
  return Buffer.from(`${left.toSpliced(at, 1).join('\n')}\n`);
}
