import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { execa } from 'execa';
import { hideTransforms } from '#change/plan/stock-view.js';
import { ignorePatches } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { findSettings } from '#context/replay/settings.js';
import { walkEnvelopes } from '#context/replay/walk-envelopes.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { canonicalJson, canonicalJsonOnce } from '../../src/base/canonical-json.js';
import { readSession } from '../../src/session/read-session.js';
import { toByteSource } from '../../src/session/scan/byte-source.js';
import { projectFolder } from '../support/files.js';
import { generateSession, type Shape } from '../support/generate.js';

/** What real Pi saw in each session, on one line; null for one that it refuses. */
export interface Golden {
  readonly fixtures: Readonly<Record<string, string | null>>;
  readonly generated: readonly (string | null)[];
}

export const goldenFile = path.join(projectFolder, 'test/golden/pi-contexts.json');

/** The recorded answers for the generated sessions that a share of the cases leaves out. */
export function untried(file: string, from: number): readonly string[] {
  const { generated } = JSON.parse(readFileSync(file, 'utf8')) as { readonly generated: readonly string[] };
  return generated.slice(from);
}

/** The beginning of a hash for every entry, by its position among them; HEAD is the active leaf. */
export function goldenLine(hashes: Iterable<readonly [number | null, string]> | null): string | null {
  return hashes && [...hashes].map(([index, sha256]) => `${index ?? 'HEAD'}:${sha256.slice(0, 8)}`).join(' ');
}

/** Pi knows no patch ops, and it does not refuse an empty file but begins a session in it. */
export function isComparable(file: string): boolean {
  const text = readFileSync(file, 'latin1');
  return text !== '' && !text.includes('"type":"context_transform"');
}

/** What real Pi makes of a file, as `test/pi/judge.mjs` prints it. */
export interface Verdict {
  readonly file: string;
  readonly ok: boolean;
  /** Why it does not open. */
  readonly error?: string;
  readonly entries?: readonly {
    readonly id: string | null;
    readonly index: number;
    readonly sha256?: string;
    readonly messages?: readonly unknown[];
    readonly error?: string;
  }[];
}

/** The verdicts of real Pi on sessions, each a file or its content. */
export async function askPi(
  sessions: readonly (string | Uint8Array)[],
  ...flags: readonly string[]
): Promise<readonly Verdict[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'ctx-judged-'));
  const files = sessions.map((session, at) => {
    if (typeof session === 'string') return session;
    const file = path.join(folder, `${at}.jsonl`);
    writeFileSync(file, session);
    return file;
  });
  try {
    const cwd = path.join(projectFolder, 'test/pi');
    const { stdout } = await execa('node', ['judge.mjs', ...flags], { cwd, input: files.join('\n'), maxBuffer: 1e9 });
    return stdout.split('\n').map((line) => JSON.parse(line) as Verdict);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The positions of the sessions at whose leaf real Pi sees something else than we do, or nothing. */
export async function seenOtherwise(sessions: readonly Uint8Array[]): Promise<readonly number[]> {
  const verdicts = await askPi(sessions, '--hash', '--head');
  return verdicts.flatMap(({ entries = [] }, at) => {
    const pis = entries.find(({ id }) => id === null)?.sha256;
    return pis !== undefined && pis === judgeLeaf(sessions[at]!) ? [] : [at];
  });
}

/** Our own verdict on the active leaf, as Pi sees it, which ignores transforms; null for a file that is refused. */
function judgeLeaf(bytes: Uint8Array): string | null {
  try {
    const session = hideTransforms(readSession(toByteSource(bytes), 'judged'));
    const atLeaf = buildEnvelope(session, session.tree.leaf);
    return hashOf(atLeaf, atLeaf.meta);
  } catch {
    return null;
  }
}

/** Our own verdict on every entry that an id leads to, and on the active leaf (null); null for a file that is refused. */
export function judge(bytes: Uint8Array): ReadonlyMap<number | null, string> | null {
  let session: Session;
  try {
    session = readSession(toByteSource(bytes), 'judged');
  } catch {
    return null;
  }
  const { heads, leaf } = session.tree;
  const hashes = hashesOf(session);
  const named = [...heads].filter(({ id, index }) => typeof id === 'string' && heads.entryOfIdAt(index) === index);
  const atLeaf = buildEnvelope(ignorePatches(session), leaf);
  return new Map<number | null, string>([
    ...named.map(({ index }) => [index, hashes.get(index) ?? ''] as const),
    [null, hashOf(atLeaf, atLeaf.meta)],
  ]);
}

/** Takes the way without shortcuts, so that it is checked against the envelope at the leaf, which takes them. */
function hashesOf(session: Session): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  for (const last of [...session.tree.heads].toReversed()) {
    if (hashes.has(last.index)) continue;
    const way = pathTo(session.tree, last);
    for (const [at, { head, content }] of [...walkEnvelopes(ignorePatches(session), way)].entries()) {
      if (!hashes.has(head.index)) hashes.set(head.index, hashOf(content, findSettings(session, way.slice(0, at + 1))));
    }
  }
  return hashes;
}

/** Canonical JSON, each message written only once. */
function hashOf(
  { messages, system, tools }: EnvelopeContent,
  { model, thinkingLevel }: Pick<ContextEnvelope['meta'], 'model' | 'thinkingLevel'>,
): string {
  const list = messages.cached.map(canonicalJsonOnce);
  const rest = canonicalJson({ model, thinkingLevel, tools });
  const text = `{"compiled":${canonicalJson(system.compiled)},"messages":[${list.join(',')}],${rest.slice(1)}`;
  return createHash('sha256').update(text).digest('hex');
}

/** The generated sessions that are compared: all versions, with and without oddities. */
export const GENERATED: readonly Shape[] = Array.from({ length: 600 }, (_, seed): Shape => {
  const version = seed % 10 === 0 ? 1 : seed % 10 === 1 ? 2 : 3;
  return {
    seed,
    version,
    entries: 20 + (seed % 5) * 15,
    odd: seed % 3 === 0 ? 0.3 : 0,
    compactions: seed % 4 === 0 ? 0.12 : 0.04,
  };
});

export function generatedBytes(shape: Shape): Uint8Array {
  return new TextEncoder().encode(generateSession(shape));
}
