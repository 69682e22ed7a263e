import { asString } from '#base/json.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { EDITABLE_ROLES } from '#context/replay/apply-edit.js';
import { readEntryMessage } from '#context/replay/convert.js';
import { CONTEXT_CHANGE_TYPES, onlyAddsMessage } from '#context/replay/entry-kinds.js';
import { CallFinder } from '#context/words/tool-call.js';
import { buildHeadKey, type Head } from '#session/heads/head.js';
import { startsTurn } from '#session/tree/turns.js';
import { detectImageType, isBase64 } from '../check/provider/image-data.js';
import { drawBlock } from '../reading/draw-blocks.js';
import type { DrawnBlock } from '../reading/reading-block.js';
import { buildEntryBlocks } from '../reading/reading-blocks.js';
import { collectFormChanges, type FormChange, isEditedForm } from '../search/context-changes.js';
import type { ConversationData, DrawnEntry } from './document.js';
import type { RequestSource } from './request-source.js';

interface Conversation extends Pick<RequestSource, 'session' | 'path' | 'findLimit'> {
  readonly hasImages: boolean;
}

/** The turns of a path, and the entries that its context omits or changes. */
export function buildConversation({ session, path }: Conversation): ConversationData {
  const fates = listFates(toLenient(session), path);
  return {
    turns: path.flatMap((head, at) => (startsTurn(head) ? [at] : [])),
    fates: fates.map(({ entry, isChanged, by }) => [entry.index, isChanged ? 'changed' : 'omitted', by.index]),
  };
}

/** The entries of a path as the page draws them. Each is read when it is written, so that only one is in memory. */
export function drawEntries(conversation: Conversation): Iterable<DrawnEntry | null> {
  return { [Symbol.iterator]: () => drawOneByOne(conversation) };
}

function* drawOneByOne({ session, path, findLimit, hasImages }: Conversation): Generator<DrawnEntry | null> {
  const calls = new CallFinder(session);
  const cwd = session.header.cwd ?? '';
  for (const head of path) {
    const entry = session.entry(head);
    const blocks = buildEntryBlocks(entry, { call: calls.findCall(head, entry) ?? undefined, cwd });
    const most = findLimit(head.length);
    const message = readEntryMessage(entry);
    const answers = message?.role === 'toolResult' ? asString(message.toolCallId) : null;
    const drawn = blocks?.map((block) => keepShownImage(drawBlock(block, most), hasImages ? most : 0));
    if (!drawn) yield null;
    else yield answers === null ? { blocks: drawn } : { blocks: drawn, answers };
  }
}

/** The formats of images that a page shows. They cannot contain a script or a link, as SVG can. */
const IMAGES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

/** An image keeps its data if it has one of these formats, and at most `most` characters. */
function keepShownImage(block: DrawnBlock, most: number): DrawnBlock {
  if (block.kind !== 'image') return block;
  const { data = '', ...others } = block;
  const isShown =
    data.length <= most && IMAGES.has(block.type) && detectImageType(data) === block.type && isBase64(data);
  return isShown ? block : others;
}

/** The fate of an entry whose message is not in the final context of a path as it is stored. */
interface Fate {
  readonly entry: Head;
  /** Whether the context has a replacement of its content. */
  readonly isChanged: boolean;
  /** The compaction, transform or edit that last changed or removed it. */
  readonly by: Head;
}

/** The entries of a path that the context at its end omits or changes, in the order of the path. */
function listFates(session: OpenSession, path: readonly Head[]): readonly Fate[] {
  const { byEntry } = collectFormChanges(session, path);
  return path.flatMap((entry) => {
    const last = (byEntry.get(buildHeadKey(entry)) ?? []).findLast((change) => hasEffect(change, entry));
    return last && last.form !== 'stored' ? [{ entry, isChanged: isEditedForm(last.form), by: last.by }] : [];
  });
}

/** An edit may name any entry, but omits only messages, and replaces the content of some. */
function hasEffect({ by, form }: FormChange, on: Head): boolean {
  if (isEditedForm(form)) return EDITABLE_ROLES.has(on.type === 'custom_message' ? 'custom' : on.role);
  return onlyAddsMessage(on) || (by.type !== 'context_edit' && CONTEXT_CHANGE_TYPES.has(on.type));
}
