import { sumSessionCosts } from '#analysis/stats/session-costs.js';
import type { ListedSession } from '#cli/commands/ls/document.js';
import { envelopeAt } from '#context/envelope-at.js';
import { toLenient } from '#context/lenient.js';
import { openSession, type OpenSession, withSession } from '#context/open.js';
import { findSettings } from '#context/replay/settings.js';
import { countContextTokens } from '#context/size/context-size.js';
import { BY_CHARACTERS } from '#context/size/tokens.js';
import { findSessionTitle } from '#context/words/session-title.js';
import type { Files } from '#platform/files/files.js';
import type { Head } from '#session/heads/head.js';
import { parentSessionOf } from '#session/scan/header.js';
import { countDamage, nameOf } from '#session/session.js';
import { countClientUsage } from './stats.js';

/**
 * A row of a listing without the facts of the file system. Plain data, small for any session, since it is remembered
 * between runs: see `reuseResults`. A changed program computes all of them again, so its fields may change freely.
 */
export type SessionSummary = Omit<
  ListedSession,
  'schema' | 'schemaVersion' | 'file' | 'modified' | 'last' | 'size' | 'subagents'
>;

/** Summarises one session. Throws a CtxError (input) if the file is not a session. */
export async function summarizeSession(files: Files, file: string): Promise<SessionSummary> {
  return withSession(openSession(file, files), (session) => buildSummary(files, session));
}

async function buildSummary(files: Files, session: OpenSession): Promise<SessionSummary> {
  const { id, version, cwd } = session.header;
  const context = countContextTokens(
    session,
    { upward: walkUpwards(session), method: BY_CHARACTERS },
    () => envelopeAt(toLenient(session), 'HEAD').meta.size,
  );
  const { cost, costListed } = sumSessionCosts(session, await countClientUsage(files, session));
  return {
    id,
    version: session.agent || Number.isNaN(version) ? null : version,
    name: nameOf(session),
    title: findSessionTitle(session),
    cwd,
    entries: session.tree.heads.length,
    model: findModel(session),
    contextTokens: context.tokens,
    contextTokensSource: context.isRecorded ? 'recorded' : 'estimated',
    cost,
    costListed,
    parentSession: parentSessionOf(session.header.fields),
    agent: session.agent?.name,
    isSubagent: session.agent?.isSubagent ? true : undefined,
    problems: countDamage(session),
  };
}

/** Finds the newest entry that names a model, without making a path. */
function findModel(session: OpenSession): SessionSummary['model'] {
  for (const head of walkUpwards(session)) {
    if (head.type !== 'model_change' && head.role !== 'assistant') continue;
    const { model } = findSettings(session, [head]);
    if (model) return model;
  }
  return null;
}

/** The active path from the leaf towards the root. */
function* walkUpwards({ tree: { heads, leaf } }: OpenSession): Generator<Head> {
  let next = leaf ?? undefined;
  // A path that is longer than the file is a cycle.
  for (let steps = 0; next && steps < heads.length; steps += 1) {
    yield next;
    next = heads.at(heads.parentAt(next.index));
  }
}
