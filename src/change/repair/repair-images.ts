import { findSessionImageLimits } from '#analysis/check/provider/image-limits.js';
import { listRejectedImages, type RejectedImage } from '#analysis/check/provider/request-images.js';
import { addTo } from '#base/maps.js';
import { pluralize } from '#base/numbers.js';
import { toLenient } from '#context/lenient.js';
import { toOpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import type { LlmMessage } from '#context/replay/content.js';
import { formatId } from '#session/heads/head.js';
import { readSession } from '#session/read-session.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { findHeadAtLine } from '#session/tree/head-at-line.js';
import { type EditedFile, FileEditor } from '../bytes/file-editor.js';
import { StableIds } from '../plan/stable-ids.js';
import { formatReplacingEdit } from './repair-entries.js';

/** The first version whose entries have ids that an edit can name. */
const FIRST_WITH_EDITS = 3;

/**
 * Adds an edit for each message of the context with images that its provider refuses. A line of text replaces each image
 * in the context, and the images stay in the file. Messages of a transform stay unchanged.
 */
export async function repairImages(source: ByteSource, file: string): Promise<EditedFile> {
  const session = readSession(source, file);
  const editor = new FileEditor(source);
  if (!(session.header.version >= FIRST_WITH_EDITS)) return editor.finish();
  const { heads, leaf } = session.tree;
  const { messages, meta } = buildEnvelope(toLenient(await toOpenSession(session)), leaf);
  const byMessage = new Map<number, RejectedImage[]>();
  for (const image of listRejectedImages(messages.cached, findSessionImageLimits(session)))
    addTo(byMessage, image.message, image);
  const ids = new StableIds(heads, session.header.id);
  let parentId = leaf?.id ?? null;
  for (const [at, refused] of byMessage) {
    const message = messages.cached[at];
    const from = meta.provenance[at];
    const head =
      from && (from.origin === 'entry' || from.origin === 'edit') && findHeadAtLine(session, from.line, from.entryId);
    if (!message || !head || head.type === 'custom_message') continue;
    const id = ids.next(heads.length);
    const { timestamp } = leaf ? session.entry(leaf) : {};
    const content = replaceImages(message, refused, formatId(head.id) ?? '');
    editor.keepTo(session.scan.size);
    editor.add(`${formatReplacingEdit({ id, parentId, timestamp, targetId: head.id, content })}\n`);
    const images = pluralize(refused.length, 'image');
    editor.note('unsupported-image', head, `${JSON.stringify(id)} replaces ${images} by text`);
    parentId = id;
  }
  return editor.finish();
}

function replaceImages({ content }: LlmMessage, refused: readonly RejectedImage[], id: string): readonly unknown[] {
  const reasons = new Map(refused.map(({ at, why }) => [at, why]));
  return (Array.isArray(content) ? content : []).map((block: unknown, at): unknown => {
    const why = reasons.get(at);
    return why === undefined ? block : { type: 'text', text: `[Image left out: ${why}. It is in the entry ${id}.]` };
  });
}
