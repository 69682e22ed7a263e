import { asCount, asObject, asString, isObject, type JsonObject, listObjects } from '#base/json.js';
import type { LineSpan } from '../../scan/lines.js';
import { toLineSpan } from '../../scan/scan.js';
import { buildReplacement, toTextBlock } from '../blocks.js';
import { EntryList } from '../entry-list.js';
import type { AgentRecord } from '../native-records.js';
import { applyMutation, type Mutation, PUSH, readMutation } from './mutation-log.js';
import { isTakenBack, listPieces, readRequestModel, type ResponsePiece } from './request.js';

/** The records of which a request is made. */
interface Source {
  /** The record that has the whole request, and the place of the request in the list there. */
  readonly begin: LineSpan;
  readonly at: number;
  /** Later changes of it. */
  readonly changes: LineSpan[];
}

/** Makes entries of a chat: of a log of changes, or of one document with the whole chat. */
export class ChatReader {
  /** The chat without its requests. */
  chat: JsonObject = {};
  /** Whether a summary replaced messages, whose words around it are not recorded. */
  hasSummary = false;
  /** Whether all requests have the words that were sent, and not only those of the screen. */
  isAsSent = true;
  private requests: { readonly value: unknown; readonly source: Source }[] = [];

  /** Takes a record; returns false for one that is no change of the chat. */
  take(line: AgentRecord): boolean {
    const mutation = isChat(line.value)
      ? { kind: 0, path: [], value: line.value, kept: null }
      : readMutation(line.value);
    if (mutation === null) return false;
    const [first, at, ...rest] = mutation.path;
    if (typeof first === 'number') return false;
    if (first === 'requests' && typeof at === 'number')
      return this.change(at, { ...mutation, path: rest }, toLineSpan(line));
    if (first === undefined) this.begin(mutation, toLineSpan(line));
    else if (first !== 'requests') this.chat = applyMutation(this.chat, mutation) as JsonObject;
    else this.changeList(mutation, toLineSpan(line));
    return true;
  }

  private begin({ value }: Mutation, span: LineSpan): void {
    const { requests, ...chat } = isObject(value) ? value : {};
    this.chat = chat;
    this.requests = toSources(requests, span);
  }

  private changeList({ kind, value, kept }: Mutation, span: LineSpan): void {
    this.requests.splice(kind === PUSH ? (kept ?? this.requests.length) : 0);
    for (const added of toSources(value, span)) this.requests.push(added);
  }

  /** Returns false for a change of a request that the chat does not have. */
  private change(at: number, mutation: Mutation, span: LineSpan): boolean {
    const request = this.requests[at];
    if (mutation.path.length === 0 && at <= this.requests.length) {
      this.requests[at] = { value: mutation.value, source: { begin: span, at: WHOLE, changes: [] } };
      return true;
    }
    if (!request) return false;
    request.source.changes.push(span);
    this.requests[at] = { ...request, value: applyMutation(request.value, mutation) };
    return true;
  }

  /** The entries of the chat as it is now. `id`: that of the session. */
  build(id: string): EntryList {
    const list = new EntryList(id);
    const created = asCount(this.chat['creationDate']) ?? Number.NaN;
    const title = asString(this.chat['customTitle']) ?? '';
    const [first] = this.requests;
    if (title !== '' && first)
      list.add({ type: 'session_info', lines: [first.source.begin], time: created, build: () => ({ name: title }) });
    const sent: Sent[] = [];
    let active: string | null | undefined;
    for (const [index, { value, source }] of this.requests.entries()) {
      const request = isObject(value) ? value : {};
      if (isTakenBack(request) && active === undefined) active = list.leafId;
      this.addRequest(list, request, { index, source, sent });
    }
    if (active !== undefined) list.leafId = active;
    return list;
  }

  private addRequest(list: EntryList, request: JsonObject, { index, source, sent }: PlacedRequest): void {
    const time = asCount(request['timestamp']) ?? Number.NaN;
    const lines = [source.begin, ...source.changes];
    const model = readRequestModel(request);
    const pieces = listPieces(request);
    this.isAsSent &&= isAsSent(request, pieces);
    for (const [at, piece] of pieces.entries()) {
      if (piece.kind === 'summary') {
        this.hasSummary = true;
        this.addSummary(list, { at, piece, lines, time, source, sent });
        continue;
      }
      if (piece.role === 'assistant' && model) list.addModel(model.provider, model.model, { lines: [...lines], time });
      list.addMessage(piece.role, { lines, time: piece.time }, (values) =>
        buildMessage(listPieces(buildRequest(values, source))[at]),
      );
      sent.push({ index, at, round: piece.round, source });
    }
  }

  /** Adds the summary and the messages that follow the last summarised round. */
  private addSummary(list: EntryList, { at, piece, lines, time, source, sent }: PlacedSummary): void {
    const last = sent.findLastIndex(({ round }) => round === piece.round);
    const kept = sent.splice(0).slice(last < 0 ? -1 : last + 1);
    const others = [...new Set(kept.map((one) => one.source))].filter((one) => one !== source);
    const all = [source, ...others];
    list.add({
      type: 'context_transform',
      lines: [...lines, ...others.flatMap(({ begin, changes }) => [begin, ...changes])],
      time,
      build(values) {
        const pieces = readPieces(values, all);
        const own = pieces.get(source)?.[at];
        const messages = kept.flatMap((one) => {
          const found = pieces.get(one.source)?.[one.at];
          return found?.kind === 'message' ? [buildMessage(found)] : [];
        });
        const text = own?.kind === 'summary' ? own.text : '';
        return buildReplacement([{ role: 'user', content: [toTextBlock(text)], timestamp: time }, ...messages]);
      },
    });
    for (const one of kept) sent.push(one);
  }
}

/** The pieces of each request, from the values of the records of all. */
function readPieces(
  values: readonly JsonObject[],
  sources: readonly Source[],
): ReadonlyMap<Source, readonly ResponsePiece[]> {
  const pieces = new Map<Source, readonly ResponsePiece[]>();
  let end = 0;
  for (const source of sources) {
    const begin = end;
    end += 1 + source.changes.length;
    pieces.set(source, listPieces(buildRequest(values.slice(begin, end), source)));
  }
  return pieces;
}

/** A message among those of the context. */
interface Sent {
  readonly index: number;
  /** Its place among the pieces of its request. */
  readonly at: number;
  readonly round: string | null;
  readonly source: Source;
}

interface PlacedRequest {
  readonly index: number;
  readonly source: Source;
  readonly sent: Sent[];
}

interface PlacedSummary {
  readonly at: number;
  readonly piece: ResponsePiece & { readonly kind: 'summary' };
  readonly lines: readonly LineSpan[];
  readonly time: number;
  readonly source: Source;
  readonly sent: Sent[];
}

function buildMessage(piece: ResponsePiece | undefined): JsonObject {
  return piece?.kind === 'message' ? { ...piece.build(), timestamp: piece.time } : {};
}

/** The place of a request that is the whole value of its record. */
const WHOLE = -1;

/** Tests whether a record is a whole chat, as versions before 1.109 wrote it. */
export function isChat({ requests, kind, ...chat }: JsonObject): boolean {
  const isOfVersion = typeof chat['sessionId'] === 'string' || typeof chat['responderUsername'] === 'string';
  return kind === undefined && Array.isArray(requests) && isOfVersion;
}

function toSources(requests: unknown, begin: LineSpan): { readonly value: unknown; readonly source: Source }[] {
  const list = Array.isArray(requests) ? (requests as unknown[]) : [];
  return list.map((value, at) => ({ value, source: { begin, at, changes: [] } }));
}

/** A request after its changes, from the values of its records. */
function buildRequest([begin = {}, ...changes]: readonly JsonObject[], { at }: Source): JsonObject {
  let request = pickRequest(begin, at);
  for (const record of changes) {
    const mutation = readMutation(record);
    if (mutation) request = applyMutation(request, { ...mutation, path: mutation.path.slice(2) });
  }
  return isObject(request) ? request : {};
}

function pickRequest(record: JsonObject, at: number): unknown {
  const { value } = isChat(record) ? { value: record } : (readMutation(record) ?? { value: null });
  if (at === WHOLE) return value;
  const list = isObject(value) ? value['requests'] : value;
  return Array.isArray(list) ? (list as unknown[])[at] : undefined;
}

/** Whether an answer is recorded as it was sent. An answer without rounds is recorded as the screen shows it. */
function isAsSent({ result }: JsonObject, pieces: readonly ResponsePiece[]): boolean {
  const { renderedUserMessage, toolCallRounds } = asObject(asObject(result)['metadata']);
  const isAnswered = pieces.some((piece) => piece.kind === 'message' && piece.role === 'assistant');
  return listObjects(renderedUserMessage).length > 0 && (!isAnswered || listObjects(toolCallRounds).length > 0);
}
