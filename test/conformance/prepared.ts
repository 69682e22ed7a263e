import { createHash } from 'node:crypto';
import { isObject, type JsonObject } from '#base/json.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { ignorePatches } from '#context/open.js';
import type { Head } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { parentOf, pathTo } from '#session/tree/tree.js';
import { canonicalJson, canonicalJsonOnce } from '../../src/base/canonical-json.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import type { Shape } from '../support/generate.js';
import { Random } from '../support/random.js';
import { generatedBytes } from './judged.js';

/** Small budgets cut everywhere, the last one is Pi's own. */
const BUDGETS = [1, 15, 60, 250, 20_000];

export const GENERATED_FOR_COMPACTION: readonly Shape[] = Array.from({ length: 500 }, (_, seed) => ({
  seed: seed + 10_000,
  entries: 20 + (seed % 4) * 15,
  odd: seed % 5 === 0 ? 0.2 : 0,
  compactions: seed % 3 === 0 ? 0.1 : 0.03,
  edits: seed % 2 === 0 ? 0.15 : 0.02,
}));

/** A place where a preparation is asked for. */
export interface Place {
  readonly name: string;
  readonly path: readonly Head[];
  readonly keepRecentTokens: number;
}

/** Every assistant entry and the leaf, with every budget. */
export function* placesIn(session: Session, budgets: readonly number[] = BUDGETS): Generator<Place> {
  for (const head of session.tree.heads) {
    if (head.role !== 'assistant' && head.index !== session.tree.leaf?.index) continue;
    const path = pathTo(session.tree, head);
    // Pi would walk a cycle until it runs out of memory.
    if (path[0] && parentOf(session.tree, path[0])) continue;
    for (const keepRecentTokens of budgets) yield { name: `${head.index}/${keepRecentTokens}`, path, keepRecentTokens };
  }
}

/** A session for the questions; null for a file that is none. */
export function sessionIn(bytes: Uint8Array): Session | null {
  try {
    return remembering(readSession(toByteSource(bytes), 'prepared'));
  } catch {
    return null;
  }
}

/** The same entries are asked for again and again. */
function remembering(session: Session): Session {
  const known = new Map<number, JsonObject>();
  return {
    ...session,
    entry(head) {
      const entry = known.get(head.index) ?? session.entry(head);
      known.set(head.index, entry);
      return entry;
    },
  };
}

/** Our preparation, in the form of Pi's. */
export function ours(session: Session, { path, keepRecentTokens }: Place): string {
  const preparation = prepareCompaction(ignorePatches(session), { path, keepRecentTokens });
  return preparation ? textOf({ ...preparation }) : 'nothing';
}

/** A preparation of either side as canonical text. */
export function textOf({ fileOps, previousSummary, ...rest }: Record<string, unknown>): string {
  const { firstKeptEntryId, messagesToSummarize, turnPrefixMessages, isSplitTurn, tokensBefore } = rest;
  const files = Object.entries(fileOps as Record<string, Set<string>>).map(([kind, paths]) => [kind, [...paths]]);
  const first = canonicalJson({ fileOps: Object.fromEntries(files), firstKeptEntryId, isSplitTurn });
  const next = canonicalJson({ previousSummary: previousSummary ?? null, tokensBefore });
  return `${first.slice(0, -1)},"messagesToSummarize":${listText(messagesToSummarize)},${next.slice(1, -1)},"turnPrefixMessages":${listText(turnPrefixMessages)}}`;
}

/** Most messages are part of many preparations. */
function listText(messages: unknown): string {
  return `[${(messages as readonly object[]).map(canonicalJsonOnce).join(',')}]`;
}

/** Many answers in one: a hash of all, with the places where nobody can be asked. */
export function digest(answers: Iterable<readonly [name: string, answer: string | null]>): string {
  const hash = createHash('sha256');
  const failed: string[] = [];
  for (const [name, answer] of answers) {
    if (answer === null) failed.push(name);
    else hash.update(`${name} ${answer}\n`);
  }
  return [hash.digest('hex').slice(0, 16), ...failed].join(' ');
}

/** A generated session with what only compactions look at: details, calls inside of calls, attempts that were left out. */
export function sessionForCompaction(shape: Shape): Uint8Array {
  const random = new Random(shape.seed);
  const lines = new TextDecoder().decode(generatedBytes(shape)).trimEnd().split('\n');
  const changed = lines.map((line) => changedLine(line, random));
  const last = parsed(changed.at(-1) ?? '');
  if (!last || typeof last['id'] !== 'string' || random.chance(0.3)) return Buffer.from(`${changed.join('\n')}\n`);
  return Buffer.from(`${[...changed, ...failedAttempt(last['id'], random)].join('\n')}\n`);
}

function changedLine(line: string, random: Random): string {
  const entry = parsed(line);
  const roll = random.next();
  if (entry?.['type'] === 'compaction' && roll < 0.6) {
    const details = { readFiles: ['kept/a.ts', 'src/a.ts'], modifiedFiles: ['kept/b.ts'] };
    return JSON.stringify({ ...entry, details: roll < 0.5 ? details : 'other', fromHook: roll < 0.2 });
  }
  const message = entry?.['message'];
  if (isObject(message) && message['role'] === 'toolResult' && roll < 0.3) {
    const calls = ['read', 'write', 'edit', 'bash'].map((name) => ({ name, arguments: { path: `nested/${name}.ts` } }));
    return JSON.stringify({ ...entry, message: { ...message, nestedCalls: { calls } } });
  }
  return line;
}

/** A long input on which a request failed, and the edits that left the attempts out. */
function failedAttempt(parentId: string, random: Random): readonly string[] {
  const timestamp = '2026-04-01T00:00:00.000Z';
  const user = { role: 'user', content: 'far too long '.repeat(random.int(1, 90)), timestamp: 1 };
  const failed = {
    role: 'assistant',
    content: [],
    stopReason: 'error',
    errorMessage: 'prompt is too long',
    timestamp: 2,
  };
  const replacement = random.chance(0.8) ? null : { content: 'shorter' };
  const entries: JsonObject[] = [
    { type: 'message', id: 'in', message: user },
    { type: 'message', id: 'try', message: failed },
    ...(random.chance(0.3) ? [{ type: 'label', id: 'mark', targetId: 'try', label: 'x' }] : []),
    { type: 'context_edit', id: 'out', targetId: random.chance(0.85) ? 'try' : parentId, replacement },
  ];
  let above = parentId;
  return entries.map(({ type, id, ...rest }) => {
    const line = JSON.stringify({ type, id, parentId: above, timestamp, ...rest });
    above = String(id);
    return line;
  });
}

function parsed(line: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
