import { CtxError } from '#base/errors.js';
import { pluralize } from '#base/numbers.js';
import { writeTrajectory } from '#change/convert/trajectory.js';
import type { OpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import { activePath } from '#session/tree/tree.js';
import type { Doc } from '#ui/doc/doc.js';
import type { Outcome } from '../define.js';
import { buildImportDocument } from './build-document.js';
import { renderConversion } from './view.js';
import { type PlaceFlags, writeConverted } from './write-converted.js';

/** Writes the active path of a session as a trajectory, like `ctx export --format atif`. */
export async function convertToTrajectory(io: Io, flags: PlaceFlags, session: OpenSession): Promise<Outcome> {
  if (flags.install)
    throw new CtxError('usage', 'no agent looks for trajectories', { hint: 'name the file to write: -o FILE' });
  const { file, agent, header, tree } = session;
  const path = activePath(tree);
  let newSize = 0;
  const encoder = new TextEncoder();
  const encode = function* (): Generator<Uint8Array> {
    for (const piece of writeTrajectory(session, path)) {
      const bytes = encoder.encode(piece);
      newSize += bytes.length;
      yield bytes;
    }
  };
  const output = await writeConverted(io, flags, { bytes: encode(), from: file, installed: () => file });
  const onPath = new Set(path.map(({ index }) => index));
  const count = Array.from(tree.heads).filter(({ type, index }) => type === 'message' && !onPath.has(index)).length;
  const losses = count === 0 ? [] : [{ kind: 'branches' as const, count }];
  const conversion = { from: agent?.title ?? 'Pi', to: 'a trajectory in ATIF 1.7', tools: new Map() };
  const messages = path.filter(({ type }) => type === 'message').length;
  const data = buildImportDocument(session, {
    output,
    newSize,
    to: 'atif',
    newSession: { id: header.id, messages, tokensEstimated: null, isInstalled: false },
    losses,
    conversion,
    resume: null,
  });
  const doc = (): Doc => renderConversion(data, conversion, { what: pluralize(messages, 'message'), notes: [] });
  return {
    kind: 'single',
    item: { data, doc },
    problems: session.problems,
    file,
    exitCode: data.lostLines > 0 ? 1 : 0,
  };
}
