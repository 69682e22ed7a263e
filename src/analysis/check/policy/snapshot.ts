import * as z from 'zod/mini';
import { buildSnapshot, listSnapshotChanges, snapshot, type SnapshotChange } from '#analysis/snapshot.js';
import { CtxError } from '#base/errors.js';
import { asString } from '#base/json.js';
import { toLenient } from '#context/lenient.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { EMPTY_ENVELOPE } from '#context/replay/overview.js';
import type { Session } from '#session/session.js';
import { resolveRevision } from '#session/tree/revision.js';
import { findDeclaration } from '../cache/find-declaration.js';
import { defineRule, type Hit } from '../define.js';
import { ANSWERED, HEADER } from '../example.js';

const stored = z.object({
  revision: z.string(),
  /** The file of the snapshot, for messages. */
  file: z.string(),
  /** null if the file does not exist. */
  snapshot: z.nullable(snapshot),
});
const options = z.strictObject({ snapshots: z.array(stored) });

/** A snapshot to compare with. */
export type StoredSnapshot = z.infer<typeof stored>;

const OF_NOTHING = snapshot.parse(buildSnapshot(EMPTY_ENVELOPE, { revision: 'HEAD', entryId: null }));

export default defineRule({
  name: 'snapshot',
  severity: null,
  summary: 'The context differs from its snapshot',
  help:
    'A golden test of the context: `ctx check --snapshot DIR` stores the context at chosen revisions in files. The ' +
    'check fails when a later replay differs, because the session, `ctx` or the baseline changed. The message names ' +
    'the part, tool or message that changed, the position, and the source entry. If the change is intended, ' +
    '`--update` replaces the snapshots.',
  options,
  optionsFrom: 'ctx check --snapshot DIR',
  example: {
    fires: [HEADER, ...ANSWERED],
    silent: [HEADER],
    options: { snapshots: [{ revision: 'HEAD', file: 'example@HEAD.json', snapshot: OF_NOTHING }] },
  },
  looksAt: 'session',
  *find(session, { snapshots }): Generator<Hit> {
    for (const one of snapshots) yield* compareSnapshot(session, one);
  },
});

function* compareSnapshot(session: Session, { revision, file, snapshot: taken }: StoredSnapshot): Generator<Hit> {
  const envelope = findEnvelope(session, revision);
  if (taken === null) {
    yield envelope === null
      ? { message: `there is no snapshot of ${revision}, which is not in the session` }
      : { message: `there is no snapshot of ${revision} in ${file}`, fix: 'create it with --update' };
    return;
  }
  if (envelope === null) {
    yield { message: `the snapshot ${file} is of ${revision}, which is no longer in the session` };
    return;
  }
  const changes = listSnapshotChanges(taken, envelope);
  for (const change of changes) yield buildHit(session, envelope, change, `${revision}: `);
}

function findEnvelope(session: Session, revision: string): ContextEnvelope | null {
  try {
    return buildEnvelope(toLenient(attachPatchReader(session)), resolveRevision(session, revision));
  } catch (error) {
    if (error instanceof CtxError && error.kind === 'usage') return null;
    throw error;
  }
}

function buildHit(session: Session, envelope: ContextEnvelope, change: SnapshotChange, before: string): Hit {
  const { region, name, kind, detail } = change;
  const subject = region.endsWith('message') ? `a ${region} (${name})` : `the ${region} ${JSON.stringify(name)}`;
  const message = `${before}${subject} was ${kind}${detail === '' ? '' : `: ${detail}`}`;
  return {
    message,
    ...locateChange(session, envelope, change),
    fix: 'if the change is intended, replace the snapshots with --update',
  };
}

/** The source entry of the changed item, as it is now. */
function locateChange(
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
      return findDeclaration(session, system.parts[at]?.text ?? '', from);
    case 'tool':
      return findDeclaration(session, asString(tools[at]?.description) ?? tools[at]?.name ?? '', from);
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
