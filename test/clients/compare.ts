import { createHash } from 'node:crypto';
import { asObject, asString, type JsonObject, listObjects, listTexts } from '#base/json.js';

/** A block of a message: `from` says who said it. */
export interface Piece {
  readonly from: 'user' | 'model' | 'tool' | 'developer';
  readonly kind: 'text' | 'image' | 'thinking' | 'call' | 'reminder';
  readonly text: string;
}

/** What the client says by itself, in a message of the user or after the text of a result. */
const REMINDER = /\n*<system-reminder>\n?([^]*?)\n?<\/system-reminder>\n*/g;

/** A text, and the reminders in it, in their order. */
export function textPieces(from: Piece['from'], text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (const match of text.matchAll(REMINDER)) {
    const before = text.slice(start, match.index);
    if (before !== '') pieces.push({ from, kind: 'text', text: before });
    pieces.push({ from: 'user', kind: 'reminder', text: match[1] ?? '' });
    start = match.index + match[0].length;
  }
  const rest = text.slice(start);
  if (rest !== '' || pieces.length === 0) pieces.push({ from, kind: 'text', text: rest });
  return pieces;
}

/** The blocks of the messages that `ctx show --json` prints, in the order of the messages. */
export function shownPieces(envelope: JsonObject): readonly Piece[] {
  const { cached, uncached } = asObject(envelope['messages']);
  return [...listObjects(cached), ...listObjects(uncached)].flatMap((message): readonly Piece[] => {
    // ctx shows a failed answer, marked as one that is in no request.
    if (message['stopReason'] === 'error') return [];
    const blocks = blocksOf(message['content']);
    const from = FROM[String(message['sentRole'] ?? message['role'])] ?? 'user';
    const id = message['role'] === 'toolResult' ? `${String(message['toolCallId'])} ` : '';
    return withId(
      id,
      blocks.flatMap((block) => shownBlock(from, block)),
      from,
    );
  });
}

const FROM: Readonly<Record<string, Piece['from']>> = {
  assistant: 'model',
  developer: 'developer',
  toolResult: 'tool',
  user: 'user',
};

function shownBlock(from: Piece['from'], block: JsonObject): readonly Piece[] {
  const { type, thinking, id, name, data, mimeType } = block;
  switch (type) {
    case 'text':
      return textPieces(from, asString(block['text']) ?? '');
    case 'thinking':
      return [{ from, kind: 'thinking', text: String(thinking) }];
    case 'toolCall':
      return [{ from, kind: 'call', text: callText(id, fullName(name, block['namespace']), block['arguments']) }];
    case 'image':
      return [{ from, kind: 'image', text: `${String(mimeType)} ${String(data)}` }];
    default:
      return [{ from, kind: 'text', text: JSON.stringify(block) }];
  }
}

/** The name of a tool in a namespace. */
export function fullName(name: unknown, namespace: unknown): string {
  return listTexts([namespace, name]).join('.');
}

export function callText(id: unknown, name: unknown, input: unknown): string {
  return `${String(id)} ${String(name)} ${JSON.stringify(input)}`;
}

export function blocksOf(content: unknown): readonly JsonObject[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content);
}

/** Begins the text of a result with the id of its call; a result without content is an empty text. */
export function withId(id: string, pieces: readonly Piece[], from: Piece['from']): readonly Piece[] {
  if (id === '') return pieces;
  const own = pieces.length === 0 ? [{ from, kind: 'text' as const, text: '' }] : pieces;
  return own.map((piece) => (piece.kind === 'reminder' ? piece : { ...piece, text: `${id}${piece.text}` }));
}

/** What a file is known not to record of what was sent. */
export interface Unrecorded {
  /**
   * How reminders are compared: `ordered` like everything else; `words` with their words, but wherever they are between
   * two answers, since the client moves them to the front; `data` by whether they contain what their record has, since
   * their words are not in the file; `some` like `data`, where any of them may have no record.
   */
  readonly reminders: 'ordered' | 'words' | 'data' | 'some';
  /** How many reminders at the beginning the file does not record at all. */
  readonly firstReminders?: number;
}

/**
 * How the messages that ctx shows differ from those that were sent, one line each: none if they are equal. Blocks are
 * compared in their order, whatever message they are in, since clients join messages of one role.
 */
export function differences(
  sent: readonly Piece[],
  shown: readonly Piece[],
  { reminders, firstReminders = 0 }: Unrecorded,
): readonly string[] {
  if (reminders === 'ordered') return inOrder(sent, shown);
  const isFixed = ({ kind }: Piece): boolean => kind !== 'reminder';
  const gapsSent = gapsIn(sent);
  const gapsShown = gapsIn(shown);
  const found: string[] = [];
  for (let at = 0; at < Math.max(gapsSent.length, gapsShown.length); at += 1) {
    const ofClient = gapsSent[at] ?? [];
    const words = ofClient.filter(isFixed);
    // What is none of the words of the user is a reminder, in the words of its record.
    const { fixed, rest } = split(gapsShown[at] ?? [], words);
    found.push(...inOrder(words, fixed));
    const left = ofClient.filter((piece) => !isFixed(piece));
    for (const piece of rest) {
      const place = left.findIndex((each) => isSame(each, piece, reminders));
      if (place === -1) found.push(`only shown: ${describe(piece)}`);
      else left.splice(place, 1);
      // A file that the user mentions becomes two reminders: a call, and its result.
      const other = reminders === 'words' ? -1 : left.findIndex(({ text }) => isOfFile(text, piece.text));
      if (place !== -1 && other !== -1) left.splice(other, 1);
    }
    if (reminders !== 'some' && (at > 0 || left.length > firstReminders))
      for (const piece of left) found.push(`only sent: ${describe(piece)}`);
  }
  return found;
}

function isSame(sent: Piece, shown: Piece, reminders: 'words' | 'data' | 'some'): boolean {
  return reminders === 'words' ? sent.text.trim() === shown.text.trim() : isMadeOf(sent.text, shown.text);
}

/** The pieces up to and with each answer of the model. */
function gapsIn(pieces: readonly Piece[]): readonly (readonly Piece[])[] {
  const gaps: Piece[][] = [[]];
  for (const [at, piece] of pieces.entries()) {
    if (piece.from !== 'model' && pieces[at - 1]?.from === 'model') gaps.push([]);
    gaps.at(-1)!.push(piece);
  }
  return gaps;
}

function split(
  pieces: readonly Piece[],
  words: readonly Piece[],
): { readonly fixed: readonly Piece[]; readonly rest: readonly Piece[] } {
  const known = words.map((piece) => keyOf(piece));
  const fixed: Piece[] = [];
  const rest: Piece[] = [];
  for (const piece of pieces) {
    const place = known.indexOf(keyOf(piece));
    const isReminder = piece.kind === 'reminder' || (piece.from === 'user' && piece.kind === 'text' && place === -1);
    if (place !== -1) known.splice(place, 1);
    (isReminder ? rest : fixed).push(piece);
  }
  return { fixed, rest };
}

/** Whether a reminder contains what was recorded: a text, or the longest text in the data of its record. */
function isMadeOf(words: string, recorded: string): boolean {
  const texts = allTexts(parsed(recorded)).toSorted((a, b) => b.length - a.length);
  const [longest = ''] = texts;
  return longest.trim() !== '' && words.includes(longest.trim());
}

/** Whether a reminder contains some text in the data of a file. */
function isOfFile(words: string, recorded: string): boolean {
  const data = parsed(recorded);
  return (
    asObject(data)['filename'] !== undefined &&
    allTexts(data).some((text) => text.trim() !== '' && words.includes(text.trim()))
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function allTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(allTexts) : [];
}

/** The first difference of two lists, and how many pieces each has. */
function inOrder(sent: readonly Piece[], shown: readonly Piece[]): readonly string[] {
  const at = Array.from({ length: Math.max(sent.length, shown.length) }).findIndex(
    (_, place) => keyOf(sent[place]) !== keyOf(shown[place]),
  );
  if (at === -1) return [];
  return [`block ${at + 1} of ${sent.length}: sent ${describe(sent[at])}, shown ${describe(shown[at])}`];
}

/** Clients add and remove white space at the end of a text where they join it with another one. */
function keyOf(piece: Piece | undefined): string {
  return piece === undefined ? '' : `${piece.from} ${piece.kind} ${piece.text.trimEnd()}`;
}

/** A piece without its words, which may be those of the client's maker; `CTX_CLIENTS_SHOW=1` shows them to a developer. */
function describe(piece: Piece | undefined): string {
  if (!piece) return 'nothing';
  const { from, kind, text } = piece;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8);
  const words = process.env['CTX_CLIENTS_SHOW'] === '1' ? ` ${JSON.stringify(text.slice(0, 80))}` : '';
  return `${from} ${kind} of ${text.length} characters (${hash})${words}`;
}
