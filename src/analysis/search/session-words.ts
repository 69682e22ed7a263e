import { createHash } from 'node:crypto';
import { envelopeAt } from '#context/envelope-at.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { onlyAddsMessage } from '#context/replay/entry-kinds.js';
import { buildHeadKey, buildPlaceKey, formatId, type Head } from '#session/heads/head.js';
import { activePath } from '#session/tree/tree.js';
import { listEntryItems, type SearchedItem } from './searched-items.js';

/** The places of a text: in the context, on the path but hidden from the model, or on another branch. */
export const PLACES = ['context', 'hidden', 'branch'] as const;

export type Place = (typeof PLACES)[number];

/** The words of an entry, for an index. Plain data. */
export interface EntryWords {
  /** The position among the entries of the file. */
  readonly index: number;
  readonly line: number;
  readonly entryId: string | null;
  /** Milliseconds since 1970; null if it is not recorded. */
  readonly time: number | null;
  /** The role of its message, else its type. */
  readonly name: string;
  readonly place: Place;
  /** The texts of the user and the model, and summaries of them. */
  readonly said: string;
  /** Everything else: calls, results, thinking, prompts, tools and notes. */
  readonly rest: string;
  /** Identifies the texts, which a copy in another session has too. */
  readonly hash: string;
}

/** The words of all entries of a session that have any, in the order of the file. */
export function listSessionWords(session: OpenSession): readonly EntryWords[] {
  const placeOf = buildPlaces(session);
  const words: EntryWords[] = [];
  for (const item of listEntryItems(session, session.tree.heads)) {
    const { head, name } = item;
    if (!head) continue;
    const { said, rest } = collectWords(item);
    if (said === '' && rest === '') continue;
    const time = Number.isNaN(head.time) ? null : head.time;
    const { index, line } = head;
    words.push({
      index,
      line,
      entryId: formatId(head.id),
      time,
      name,
      place: placeOf(head),
      said,
      rest,
      hash: hashTexts(said, rest),
    });
  }
  return words;
}

/** The places of entries at the end of the active path. */
function buildPlaces(session: OpenSession): (head: Head) => Place {
  const onPath = new Set(activePath(session.tree).map(({ index }) => index));
  const { meta } = envelopeAt(toLenient(session), 'HEAD');
  const inContext = new Set(meta.provenance.map(buildPlaceKey));
  return (head) => {
    if (!onPath.has(head.index)) return 'branch';
    return !isMessage(head) || inContext.has(buildHeadKey(head)) ? 'context' : 'hidden';
  };
}

/** Whether an entry has a message of its own in the context. Prompts and settings are in force from their entry on. */
function isMessage(head: Head): boolean {
  return onlyAddsMessage(head) || head.type === 'compaction';
}

function collectWords({ role, head, places }: SearchedItem): Pick<EntryWords, 'said' | 'rest'> {
  const said: string[] = [];
  const rest: string[] = [];
  const isSpeech = SPEAKS.has(role) || (head !== null && head.type !== 'message' && isMessage(head));
  for (const { place, text } of places) (isSpeech && SAID.test(place) ? said : rest).push(text);
  return { said: said.join('\n'), rest: rest.join('\n') };
}

function hashTexts(said: string, rest: string): string {
  return createHash('sha1').update(said).update('\0').update(rest).digest('base64').slice(0, HASH_CHARACTERS);
}

/** 72 bits: enough to tell millions of texts apart. */
const HASH_CHARACTERS = 12;

const SPEAKS: ReadonlySet<string | null> = new Set(['user', 'assistant']);

/** The text of a message: not the arguments of its calls, nor its thinking. */
const SAID = /^(?:content|summary|content\[\d+\]\.text)$/;
