import { asString, isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { entryName } from '#context/words/entry-text.js';
import { listToolNames } from '#context/words/message-text.js';
import { buildHeadKey, buildPlaceKey, type Head } from '#session/heads/head.js';
import type { Session } from '#session/session.js';
import { runWithDeadline } from './deadline.js';
import { listEntryTexts, listSentTexts, listToolTexts, type TextPlace } from './entry-texts.js';
import { findTextMatches, type TextMatch } from './text-matches.js';

/** A search that began before its text was asked for. */
interface Begun {
  readonly first: readonly TextMatch[];
  /** null: there are no more matches. */
  readonly rest: Iterator<TextMatch> | null;
}

/** A time limit takes a thread, so texts of this length share one. */
const CHARACTERS_AT_ONCE = 1_000_000;
/** A pattern such as `.` has a match for each character, which need not all be kept. */
const MATCHES_AT_ONCE = 1000;

/** A search for a pattern. Matching has a time limit if the pattern may take exponential time. */
export class PatternSearch {
  private readonly mayBacktrack: boolean;
  private begun = new Map<TextPlace, Begun>();

  /** `around`: lines of context of each match. */
  constructor(
    private readonly regex: RegExp,
    private readonly around: number,
  ) {
    this.mayBacktrack = mayBacktrack(regex);
  }

  /** The matches of a text. Throws a CtxError (usage) at the time limit. */
  *matches(place: TextPlace): Generator<TextMatch> {
    if (!this.mayBacktrack) return yield* findTextMatches(place.text, this.regex, this.around);
    const { first, rest } = this.begun.get(place) ?? this.started(place);
    yield* first;
    for (let chunk = this.more(place, rest); chunk.length > 0; chunk = this.more(place, rest)) yield* chunk;
  }

  /** Searches the texts of items ahead, where that needs a time limit, and gives the items. */
  *ahead(items: Iterable<SearchedItem>): Generator<SearchedItem> {
    if (!this.mayBacktrack) return yield* items;
    let [batch, length]: [SearchedItem[], number] = [[], 0];
    for (const item of items) {
      const places = [...item.places];
      batch.push({ ...item, places });
      for (const { text } of places) length += text.length;
      if (length < CHARACTERS_AT_ONCE) continue;
      yield* this.searched(batch, length);
      [batch, length] = [[], 0];
    }
    yield* this.searched(batch, length);
  }

  private searched(batch: readonly SearchedItem[], length: number): readonly SearchedItem[] {
    this.begun = new Map();
    this.limited(length, () => {
      let left = MATCHES_AT_ONCE;
      for (const place of batch.flatMap(({ places }) => [...places])) {
        if (left === 0) return;
        const begun = beginning(this.started(place), left);
        this.begun.set(place, begun);
        left -= begun.first.length;
      }
    });
    return batch;
  }

  private started({ text }: TextPlace): Begun {
    return { first: [], rest: findTextMatches(text, this.regex, this.around) };
  }

  private more({ text }: TextPlace, rest: Begun['rest']): readonly TextMatch[] {
    return rest === null ? [] : this.limited(text.length, () => taken(rest, MATCHES_AT_ONCE));
  }

  private limited<Result>(length: number, work: () => Result): Result {
    return runWithDeadline('the pattern', length, work);
  }
}

function beginning({ rest }: Begun, most: number): Begun {
  const first = rest === null ? [] : taken(rest, most);
  return { first, rest: first.length < most ? null : rest };
}

function taken(iterator: Iterator<TextMatch>, most: number): readonly TextMatch[] {
  const matches: TextMatch[] = [];
  while (matches.length < most) {
    const { value, done } = iterator.next();
    if (done) break;
    matches.push(value);
  }
  return matches;
}

/** Whether a pattern may take more than linear time: only with a group, a repetition or a reference to a group. */
export function mayBacktrack({ source }: RegExp): boolean {
  return /[*+?{(]|\\[1-9k]/.test(source);
}

/** A searched item: a stored entry, or a part of a context. */
export interface SearchedItem {
  /** null for system parts and tools, which several entries may have declared. */
  readonly head: Head | null;
  readonly name: string;
  /** The name of the system part or tool; null for an entry. */
  readonly part: string | null;
  readonly role: string | null;
  /** The tools that it calls, answers or declares. */
  readonly tools: readonly string[];
  readonly places: Iterable<TextPlace>;
  readonly isFromContext: boolean;
}

/** A context in the order in which a model reads it: system parts, tools, messages. */
export function* listContextItems(envelope: ContextEnvelope, path: readonly Head[]): Generator<SearchedItem> {
  const { system, tools, messages, meta } = envelope;
  for (const { name, text } of system.parts) {
    yield {
      ...DECLARED,
      name: 'system',
      part: name,
      role: 'system',
      tools: [],
      places: [{ place: name, text, isForModel: true }],
    };
  }
  for (const tool of tools) {
    const name = asString(tool.name) ?? '';
    yield {
      ...DECLARED,
      name: 'tool',
      part: name,
      role: null,
      tools: [name],
      places: under(name, listToolTexts(tool)),
    };
  }
  const heads = new Map(path.map((head) => [buildHeadKey(head), head]));
  for (const [at, message] of [...messages.cached, ...messages.uncached].entries()) {
    const from = meta.provenance[at];
    const head = (from && heads.get(buildPlaceKey(from))) ?? null;
    yield {
      head,
      name: head ? entryName(head) : message.role,
      part: null,
      role: message.role,
      tools: listToolNames(message),
      places: listSentTexts(message),
      isFromContext: true,
    };
  }
}

const DECLARED = { head: null, isFromContext: true } as const;

/** Stored entries, parsed one by one. */
export function* listEntryItems(session: Session, heads: Iterable<Head>): Generator<SearchedItem> {
  for (const head of heads) {
    const entry = session.entry(head);
    const { message } = entry;
    yield {
      head,
      name: entryName(head),
      part: null,
      role: head.role,
      // Only its role identifies it, and no other field is read.
      tools: isObject(message) ? listToolNames(message as LlmMessage) : [],
      places: listEntryTexts(entry),
      isFromContext: false,
    };
  }
}

/**
 * Whether the line of an entry may contain a text that JSON writes unchanged; true for a long line, which is not
 * searched, and for other agents, whose entries are read from several lines.
 */
export function mayLineContain(session: Session, head: Head, literal: string): boolean {
  if (session.agent) return true;
  const { value: piece } = session.bytes(head).next();
  if (!piece || piece.length < head.length) return true;
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
  return bytes.includes(literal) || bytes.includes(ESCAPE);
}

/** Escapes that can encode any character. */
const ESCAPE = '\\u';

function* under(name: string, places: Iterable<TextPlace>): Generator<TextPlace> {
  for (const place of places) yield { ...place, place: `${name}.${place.place}` };
}

export interface LineMatch {
  readonly source: TextPlace;
  readonly match: TextMatch;
  /** The source entry; for a system part or tool the one that declared the line. */
  readonly head: Head | null;
}

export interface FoundLine extends Omit<TextMatch, 'start' | 'end'> {
  readonly head: Head | null;
  readonly place: string;
  /** The positions of the matches in `text`; for a truncated line, those that are in it, and one at least. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  readonly first: LineMatch;
}

/** Groups the matches of one line. They come in order, and so do the lines. */
export function* groupMatchesByLine(matches: Iterable<LineMatch>): Generator<FoundLine> {
  let line: { readonly first: LineMatch; spans: { start: number; end: number }[] } | null = null;
  for (const found of matches) {
    if (!line || !isSameLine(line.first, found)) {
      if (line) yield whole(line.first, line.spans);
      line = { first: found, spans: [] };
    }
    const { textStart, text } = line.first.match;
    const { start, end } = found.match;
    const from = found.match.textStart - textStart + start;
    const span = { start: from, end: from + end - start };
    if (span.end <= text.length) line.spans.push(span);
  }
  if (line) yield whole(line.first, line.spans);
}

function isSameLine(one: LineMatch, other: LineMatch): boolean {
  return one.source === other.source && one.match.lineInText === other.match.lineInText;
}

function whole(first: LineMatch, spans: FoundLine['spans']): FoundLine {
  const { lineInText, text, isWhole, textStart, before, after } = first.match;
  return {
    lineInText,
    text,
    isWhole,
    textStart,
    before,
    after,
    head: first.head,
    place: first.source.place,
    spans,
    first,
  };
}
