import { CallResults } from '#analysis/reading/call-results.js';
import { addTo } from '#base/maps.js';
import { CallFinder } from '#context/words/tool-call.js';
import { formatId, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { type Doc, gap } from '../doc/doc.js';
import { renderForks } from './conversation-changes.js';
import type { Conversation, Part } from './conversation-part.js';
import { listEntryParts } from './conversation-parts.js';

/** The entries of a conversation, and how much of them is shown. */
export interface ConversationOptions extends Pick<Conversation, 'session' | 'isOpen' | 'hasHidden'> {
  /** The path, whose edits and forks are marked. */
  readonly path: readonly Head[];
  /** The entries that are rendered, in this order, as indexes of the file. */
  readonly order: ArrayLike<number>;
  /** Whether the result is a document in Markdown: texts are parts of it, and folded parts are whole. */
  readonly isDocument: boolean;
}

/**
 * Returns a function that renders an entry as a part of a conversation. Each entry is rendered once, in their order.
 */
export function createConversationRenderer(options: ConversationOptions): (head: Head) => Doc {
  const { session, path, order, isDocument, isOpen, hasHidden } = options;
  const conversation: Conversation = {
    session,
    isDocument,
    isOpen,
    hasHidden,
    isShort: !isDocument && !isOpen,
    cwd: session.header.cwd ?? '',
    results: new CallResults(session, order),
    calls: new CallFinder(session),
    edits: new Map(path.filter(({ type }) => type === 'context_edit').map(({ target, id }) => [target, formatId(id)])),
  };
  const forks = findForks(session, path);
  const arrange = createArranger(isOpen);
  return (head) => {
    const parts = listEntryParts(conversation, head);
    const beside = forks.get(head.index);
    const all = beside ? [...parts, renderForks(conversation, beside)] : parts;
    return all.flatMap(arrange);
  };
}

/** Returns a function that puts a part below the parts before it: an answer that goes on has no heading again. */
function createArranger(isOpen: boolean): (part: Part) => Doc {
  let speaker: Part['speaker'] = null;
  let last: Part['kind'] | null = null;
  return (part) => {
    if (part.kind === 'heading' && part.speaker === 'assistant' && speaker === 'assistant') return [];
    if (part.speaker !== undefined) speaker = part.speaker;

    const before = last;
    last = part.kind;
    return before !== null && isApart(before, part.kind, isOpen) ? [gap, ...part.blocks] : part.blocks;
  };
}

/** Whether a blank line is between two parts. */
function isApart(before: Part['kind'], next: Part['kind'], isOpen: boolean): boolean {
  if (next === 'heading' || next === 'mark') return true;
  if (before === 'heading' || before === 'mark') return false;
  return before !== next || isOpen || next === 'text';
}

/** The first entries of other branches, by the entry of the path that they follow. */
function findForks({ tree: { heads } }: Session, path: readonly Head[]): ReadonlyMap<number, readonly Head[]> {
  const onPath = new Set(path.map(({ index }) => index));
  // What follows the last entry is no other branch.
  const end = path.at(-1)?.index;
  const forks = new Map<number, Head[]>();
  for (let index = 0; index < heads.length; index += 1) {
    const parent = heads.parentAt(index);
    const isFork = onPath.has(parent) && !onPath.has(index);
    if (!isFork || parent === end || heads.roleAt(index) === null) continue;
    const head = heads.at(index);
    if (head) addTo(forks, parent, head);
  }
  return forks;
}
