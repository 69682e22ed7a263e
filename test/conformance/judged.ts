import { createHash } from 'node:crypto';
import { envelopesAlong } from '../../src/context/build.js';
import { canonicalJson } from '../../src/context/canonical.js';
import { settingsOf } from '../../src/context/settings.js';
import { type ContextEnvelope, type EnvelopeContent } from '../../src/context/envelope.js';
import { envelopeAt, openSession, type OpenSession } from '../../src/open.js';
import type { Head } from '../../src/session/head.js';
import { pathTo } from '../../src/session/tree.js';
import { generateSession, type Shape } from '../support/generate.js';

/** What real Pi and ctx must agree on at one entry, as a hash. */
export interface Judged {
  /** Of the entry among all entries; null for the active leaf as it is found on opening. */
  readonly index: number | null;
  readonly sha256: string;
}

/** Our own verdict on every entry of a session that Pi would be asked about: those that an id leads to, then the leaf. */
export async function judge(bytes: Uint8Array): Promise<readonly Judged[] | null> {
  let session: OpenSession;
  try {
    session = await openSession(bytes);
  } catch {
    return null;
  }
  const { tree } = session;
  const hashes = hashesOf(session);
  const named = [...tree.heads.entries()].filter(
    ([, head]) => typeof head.id === 'string' && tree.byId.get(head.id) === head,
  );
  const records = named.map(([index, head]) => ({ index, sha256: hashes.get(head)! }));
  const atLeaf = envelopeAt(session);
  return [...records, { index: null, sha256: hashOf(atLeaf, atLeaf.meta) }];
}

/** Takes the way without shortcuts, so that it is checked against the envelope at the leaf, which takes them. */
function hashesOf(session: OpenSession): ReadonlyMap<Head, string> {
  const hashes = new Map<Head, string>();
  for (const last of session.tree.heads.toReversed()) {
    if (hashes.has(last)) continue;
    const path = pathTo(session.tree, last);
    for (const [at, { head, content }] of [...envelopesAlong(session, path, session.readPatch)].entries()) {
      if (!hashes.has(head)) hashes.set(head, hashOf(content, settingsOf(session, path.slice(0, at + 1))));
    }
  }
  return hashes;
}

const texts = new WeakMap<object, string>();

/** Canonical JSON, each message written only once. */
function hashOf(
  { messages, system, tools }: EnvelopeContent,
  { model, thinkingLevel }: Pick<ContextEnvelope['meta'], 'model' | 'thinkingLevel'>,
): string {
  const list = messages.cached.map((message) => {
    if (!texts.has(message)) texts.set(message, canonicalJson(message));
    return texts.get(message);
  });
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
