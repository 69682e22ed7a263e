import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { assertAppendable } from '#change/plan/appendable.js';
import { appendInMemory } from '#change/plan/draft.js';
import type { PruneForm } from '#change/prune/forms.js';
import { configureStrategy, defaultPolicy, listZoneStrategies, type Policy, readPolicy } from '#change/prune/policy.js';
import type { PreparedHistory } from '#change/prune/prepare-history.js';
import { preparePrune } from '#change/prune/prepare.js';
import { buildPruneEntries } from '#change/prune/prune-entries.js';
import type { ConfiguredStrategy } from '#change/prune/prune.js';
import { strategies } from '#change/prune/strategies/index.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope, replayContext } from '#context/replay/build-envelope.js';
import type { EnvelopeContent, LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { formatId } from '#session/heads/head.js';
import { type Session } from '#session/session.js';
import { pathTo } from '#session/tree/tree.js';
import { readSession } from '../../src/session/read-session.js';
import { sourceOf } from './entries.js';
import { recordings } from './files.js';
import { generateSession } from './generate.js';
import { countedIds } from './memory-io.js';
import { parsedOnce } from './parsed-once.js';
import { workingSession } from './working-session.js';

export const NOW = Date.UTC(2026, 2, 1);

/** A session that can be appended to, and what the model is shown at its leaf. */
export interface Case {
  readonly name: string;
  readonly session: Session;
  readonly envelope: ContextEnvelope;
}

/** Longer recordings take long: `CTX_ALL=1` takes them too. */
const LONGEST = process.env['CTX_ALL'] === '1' ? Infinity : 100_000;

/** Agents at work; every other session has summaries. */
export function workingCases(count: number, turns = 9): readonly Case[] {
  return Array.from({ length: count }, (_, seed) =>
    caseOf(`work ${seed}`, workingSession({ seed, turns, summaries: seed % 2 === 1 })),
  ).flat();
}

/** Of all kinds of entries; every other session has transforms. */
export function generatedCases(count: number): readonly Case[] {
  return Array.from({ length: count }, (_, seed) =>
    caseOf(
      `generated ${seed}`,
      generateSession({ seed, entries: 50, sound: true, transforms: seed % 2 === 1 ? 0.05 : 0 }),
    ),
  ).flat();
}

export function recordedCases(): readonly Case[] {
  return recordings.flatMap((file) => {
    const text = readFileSync(file);
    return text.length < LONGEST ? caseOf(path.basename(file), text) : [];
  });
}

/** Nothing where nothing can be appended, or the context cannot be replayed. */
export function caseOf(name: string, text: string | Uint8Array): readonly Case[] {
  try {
    const session = parsedOnce(readSession(sourceOf(text), 's.jsonl'));
    assertAppendable(session);
    return [{ name, session, envelope: contextOf(session) }];
  } catch (error) {
    if (error instanceof CtxError) return [];
    throw error;
  }
}

export interface Composition {
  readonly name: string;
  readonly steps: readonly ConfiguredStrategy[];
}

function zonesOf(policy: Policy, prefix = ''): readonly Composition[] {
  return (['yellow', 'red', 'compact'] as const).map((zone) => ({
    name: `${prefix}${zone}`,
    steps: listZoneStrategies(policy, zone),
  }));
}

/** The steps of every zone that has some. */
export const byZone: readonly Composition[] = zonesOf(defaultPolicy());

/** The same of the policy that drops turns only late. */
export const shorteningByZone: readonly Composition[] = zonesOf(readPolicy({ policy: 'shorten' }, 'here'), 'shorten ');

/** Every strategy alone, and the steps of every zone. */
export const compositions: readonly Composition[] = [
  ...strategies.map((strategy) => ({ name: strategy.name, steps: [configureStrategy(strategy, {})] })),
  ...byZone,
  ...shorteningByZone,
];

function contextOf(session: Session): ContextEnvelope {
  return buildEnvelope(attachPatchReader(session), session.tree.leaf);
}

/** The content of the same, without the work of counting its tokens. */
export function contentOf(session: Session): EnvelopeContent {
  return replayContext(attachPatchReader(session), session.tree.leaf);
}

export function messagesIn(session: Session): readonly LlmMessage[] {
  return contentOf(session).messages.cached;
}

export interface Done {
  readonly prepared: PreparedHistory;
  readonly entries: readonly JsonObject[];
  readonly after: Session;
}

export interface Wish {
  readonly form: PruneForm;
  readonly fresh?: { readonly now: () => number; readonly newId: () => string };
  /** The context, where it is known. */
  readonly envelope?: ContextEnvelope;
}

/** Prunes a context at the leaf as `ctx prune` does; null where that would do nothing. */
export function pruneOnce(session: Session, { steps }: Pick<Composition, 'steps'>, wish: Wish): Done | null {
  const { form, fresh = { now: () => NOW, newId: countedIds() }, envelope = contextOf(session) } = wish;
  const { leaf } = session.tree;
  const way = leaf ? pathTo(session.tree, leaf) : [];
  const prepared = preparePrune(session, {
    path: way,
    envelope,
    policy: { ...defaultPolicy(), packetTokens: 200 },
    zone: null,
    strategies: steps,
    form,
  });
  if (prepared.saved <= 0) return null;
  try {
    const entries = buildPruneEntries(session, prepared, '', fresh);
    return { prepared, entries, after: appendInMemory(session, entries) };
  } catch (error) {
    // A packet cannot stand between a call and its result.
    if (error instanceof CtxError && error.kind === 'refused') return null;
    throw error;
  }
}

/** A session with messages below its leaf; `name` makes their ids. */
export function saying(session: Session, name: string, messages: readonly JsonObject[]): Session {
  const first = formatId(session.tree.leaf?.id);
  const entries = messages.map((message, at) => ({
    type: 'message',
    id: `${name}${at}`,
    parentId: at === 0 ? first : `${name}${at - 1}`,
    timestamp: new Date(NOW).toISOString(),
    message: { ...message, timestamp: NOW },
  }));
  return appendInMemory(session, entries);
}
