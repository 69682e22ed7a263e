import { imageLimitsOf, type RefusedImage, refusedImages } from '#analysis/check/provider/image-limits.js';
import { addTo } from '#base/lists.js';
import { plural } from '#base/words.js';
import { patchReader } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ByteSource } from '#session/scan/bytes.js';
import { readSession } from '#session/session.js';
import { idText } from '#session/table/head.js';
import { headAtLine } from '#session/tree/tree.js';
import { type Edited, Editing } from '../bytes/editing.js';
import { FreshIds, replacingEdit } from './new-entries.js';

/** The first version whose entries have ids that an edit can name. */
const FIRST_WITH_EDITS = 3;

/**
 * Adds an edit for each message of the context with images that its provider refuses, which puts a line of text in the
 * place of each. The images stay in the file. Messages that a transform has written are left alone.
 */
export async function repairImages(source: ByteSource, file: string): Promise<Edited> {
  const session = readSession(source, file);
  const editing = new Editing(source);
  if (!(session.header.version >= FIRST_WITH_EDITS)) return editing.end();
  const { heads, leaf } = session.tree;
  const { messages, meta } = buildEnvelope(session, leaf, await patchReader(session), { lenient: true });
  const byMessage = new Map<number, RefusedImage[]>();
  for (const image of refusedImages(messages.cached, imageLimitsOf(session))) addTo(byMessage, image.message, image);
  const ids = new FreshIds(heads, session.header.id);
  let parentId = leaf?.id ?? null;
  for (const [at, refused] of byMessage) {
    const message = messages.cached[at];
    const from = meta.provenance[at];
    const head =
      from && (from.origin === 'entry' || from.origin === 'edit') && headAtLine(session, from.line, from.entryId);
    if (!message || !head || head.type === 'custom_message') continue;
    const id = ids.next(heads.length);
    const timestamp = leaf && session.entry(leaf)['timestamp'];
    const content = withoutImages(message, refused, idText(head.id) ?? '');
    editing.keepTo(session.scan.size);
    editing.add(`${replacingEdit({ id, parentId, timestamp, targetId: head.id, content })}\n`);
    editing.note(
      'unsupported-image',
      head,
      `${JSON.stringify(id)} replaces ${plural(refused.length, 'image')} by text`,
    );
    parentId = id;
  }
  return editing.end();
}

function withoutImages({ content }: LlmMessage, refused: readonly RefusedImage[], id: string): readonly unknown[] {
  const reasons = new Map(refused.map(({ at, why }) => [at, why]));
  return (Array.isArray(content) ? content : []).map((block: unknown, at): unknown => {
    const why = reasons.get(at);
    return why === undefined ? block : { type: 'text', text: `[Image left out: ${why}. It is in the entry ${id}.]` };
  });
}
