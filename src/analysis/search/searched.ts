import { asString, isObject } from '#base/json.js';
import type { LlmMessage } from '#context/replay/content.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import { entryName } from '#context/words/entry-text.js';
import { toolNames } from '#context/words/message-text.js';
import type { Session } from '#session/session.js';
import { type Head, keyOfHead, placeKey } from '#session/table/head.js';
import { type TextPlace, placesOfEntry, placesOfSent, placesOfTool } from './entry-places.js';
import type { TextMatch } from './text-matches.js';

/** A searched item: a stored entry, or a part of a context. */
export interface Searched {
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
export function* searchedInContext(envelope: ContextEnvelope, path: readonly Head[]): Generator<Searched> {
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
    yield { ...DECLARED, name: 'tool', part: name, role: null, tools: [name], places: under(name, placesOfTool(tool)) };
  }
  const heads = new Map(path.map((head) => [keyOfHead(head), head]));
  for (const [at, message] of [...messages.cached, ...messages.uncached].entries()) {
    const from = meta.provenance[at];
    const head = (from && heads.get(placeKey(from))) ?? null;
    yield {
      head,
      name: head ? entryName(head) : message.role,
      part: null,
      role: message.role,
      tools: toolNames(message),
      places: placesOfSent(message),
      isFromContext: true,
    };
  }
}

const DECLARED = { head: null, isFromContext: true } as const;

/** Stored entries, parsed one by one. */
export function* searchedInEntries(session: Session, heads: Iterable<Head>): Generator<Searched> {
  for (const head of heads) {
    const entry = session.entry(head);
    const { message } = entry;
    yield {
      head,
      name: entryName(head),
      part: null,
      role: head.role,
      // Only its role identifies it, and no other field is read.
      tools: isObject(message) ? toolNames(message as LlmMessage) : [],
      places: placesOfEntry(entry),
      isFromContext: false,
    };
  }
}

/** Whether the line of an entry may contain a text that JSON writes unchanged; true for a long line, which is not searched. */
export function mayHold(session: Session, head: Head, literal: string): boolean {
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

/** A match with its place. */
export interface LineMatch {
  readonly source: TextPlace;
  readonly match: TextMatch;
  /** The source entry; for a system part or tool the one that declared the line. */
  readonly head: Head | null;
}

/** A line of a text with all of its matches. */
export interface FoundLine extends Omit<TextMatch, 'start' | 'end'> {
  readonly head: Head | null;
  readonly place: string;
  /** The positions of the matches in `text`; for a truncated line, those that are in it, and one at least. */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
  /** The first match. */
  readonly first: LineMatch;
}

/** Groups the matches of one line. They come in order, and so do the lines. */
export function* foundLines(matches: Iterable<LineMatch>): Generator<FoundLine> {
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
