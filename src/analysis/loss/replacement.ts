import { asText, listObjects } from '#base/json.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { findSummaryText, readHistory } from '#context/replay/convert.js';
import { walk } from '#context/walk.js';
import type { Entry } from '#session/entry.js';
import { buildHeadKey, buildPlaceKey, type Head } from '#session/heads/head.js';
import { pathTo } from '#session/tree/tree.js';
import { readMessageText } from '../facts/text.js';
import { imageDataOf } from './fact-classes.js';

/** The content that replaces the entries which a compaction removes. */
export interface Replacement {
  readonly summary: string;
  /** The data of the images that it sends again. */
  readonly images: ReadonlySet<string>;
}

export const NO_REPLACEMENT: Replacement = { summary: '', images: new Set() };

/** The summary that replaces the removed entries. */
export function readSummaryAt(session: OpenSession, boundary: Head): string {
  return readReplacement(session, boundary).summary;
}

export function readReplacement(session: OpenSession, boundary: Head): Replacement {
  const path = boundary.type === 'compaction' ? [] : pathTo(session.tree, boundary);
  return readReplacements(session, path, [boundary]).get(boundary.index) ?? NO_REPLACEMENT;
}

/** The replacements of some compactions of a path, by the index of the entry. */
export function readReplacements(
  session: OpenSession,
  path: readonly Head[],
  boundaries: readonly Head[],
): ReadonlyMap<number, Replacement> {
  const replacements = new Map<number, Replacement>();
  const transforms = new Set<number>();
  for (const head of boundaries) {
    if (head.type === 'compaction') replacements.set(head.index, readStoredReplacement(session.entry(head)));
    else transforms.add(head.index);
  }
  // The messages that a transform put there are known only when it is replayed.
  if (transforms.size === 0) return replacements;
  for (const step of walk(toLenient(session), path).steps) {
    step.take();
    if (!transforms.has(step.head.index)) continue;
    const { sent } = step.replay.messages.listSentFrom(0);
    const own = sent.filter(({ from }) => buildPlaceKey(from) === buildHeadKey(step.head));
    // Where an answer is the summary, as in opencode, the transform only removes the messages before it.
    const messages = (own.length > 0 ? own : sent).map(({ message }) => message);
    replacements.set(step.head.index, {
      summary: messages.map((message) => findSummaryText(message) ?? readMessageText(message)).join('\n\n'),
      images: new Set(
        messages.flatMap(({ content }) => listObjects(content).flatMap((block) => imageDataOf(block) ?? [])),
      ),
    });
  }
  return replacements;
}

function readStoredReplacement(entry: Entry): Replacement {
  const blocks = (readHistory(entry) ?? []).flatMap(({ content }) => listObjects(content));
  return { summary: asText(entry.summary ?? ''), images: new Set(blocks.flatMap((block) => imageDataOf(block) ?? [])) };
}
