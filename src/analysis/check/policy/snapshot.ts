import * as z from 'zod/mini';
import { changesSince, snapshot, type SnapshotChange, snapshotOf } from '#analysis/snapshot.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { readPatch } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build.js';
import { EMPTY_ENVELOPE } from '#context/replay/empty-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { declaredAt } from '../cache/declared-at.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';

const stored = z.object({
  revision: z.string(),
  /** Where the snapshot stands, for messages. */
  file: z.string(),
  /** null: there is none. */
  snapshot: z.nullable(snapshot),
});
const options = z.strictObject({ snapshots: z.array(stored) });

/** A snapshot to compare with. */
export type StoredSnapshot = z.infer<typeof stored>;

/** Of a session in which nothing has been said. */
const OF_NOTHING = snapshot.parse(snapshotOf(EMPTY_ENVELOPE, { revision: 'HEAD', entryId: null }, 'hash'));

export default defineRule({
  name: 'snapshot',
  group: 'policy',
  severity: null,
  summary: 'The model is shown something else than when a snapshot was taken',
  help:
    'A golden test of what a model is shown: `ctx check --snapshot DIR` keeps the context at chosen revisions in files, and ' +
    'fails when a later replay gives another one, because the session was changed, or because `ctx` or the baseline was. ' +
    'It says which part, tool or message changed, where, and the entry that it comes from. ' +
    'Where the change is meant, `--update` takes the snapshots anew.',
  options,
  example: {
    fires: [HEADER, ...ANSWERED],
    silent: [HEADER],
    options: { snapshots: [{ revision: 'HEAD', file: 'example@HEAD.json', snapshot: OF_NOTHING }] },
  },
  looksAt: 'session',
  *find(session, { snapshots }): Generator<Hit> {
    for (const one of snapshots) yield* compared(session, one);
  },
});

function* compared(session: Session, { revision, file, snapshot: taken }: StoredSnapshot): Generator<Hit> {
  if (taken === null) {
    yield { message: `there is no snapshot of ${revision} in ${file}`, fix: 'take it with --update' };
    return;
  }
  const envelope = envelopeAt(session, revision);
  if (envelope === null) {
    yield { message: `the snapshot ${file} is of ${revision}, which the session has no more` };
    return;
  }
  const changes = changesSince(taken, envelope);
  for (const change of changes) yield hitOf(session, envelope, change, `${revision}: `);
}

function envelopeAt(session: Session, revision: string): ContextEnvelope | null {
  try {
    return buildEnvelope(session, resolveRevision(session, revision), readPatch, { lenient: true });
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'usage') return null;
    throw error;
  }
}

function hitOf(session: Session, envelope: ContextEnvelope, change: SnapshotChange, before: string): Hit {
  const { region, name, kind, detail } = change;
  const said = region.endsWith('message') ? `a ${region} (${name})` : `the ${region} ${JSON.stringify(name)}`;
  const message = `${before}${said} was ${kind}${detail === '' ? '' : `: ${detail}`}`;
  return {
    message,
    ...placeOf(session, envelope, change),
    fix: 'if that is meant, take the snapshots anew with --update',
  };
}

/** The entry that what stands there now comes from. */
function placeOf(
  session: Session,
  envelope: ContextEnvelope,
  { region, at }: SnapshotChange,
): Pick<Hit, 'at' | 'place'> {
  if (at === null) return {};
  const { heads } = session.tree;
  const { system, tools, messages, meta } = envelope;
  const from = envelope.at.entryId === null ? null : (heads.find(envelope.at.entryId) ?? null);
  switch (region) {
    case 'system part':
      return declaredAt(session, system.parts[at]?.text ?? '', from);
    case 'tool':
      return declaredAt(session, asString(tools[at]?.['description']) ?? tools[at]?.name ?? '', from);
    case 'option':
      return {};
    case 'message':
    case 'uncached message': {
      const source = meta.provenance[region === 'message' ? at : messages.cached.length + at];
      const head = source && heads.find(source.entryId);
      return head ? { at: head } : {};
    }
  }
}
