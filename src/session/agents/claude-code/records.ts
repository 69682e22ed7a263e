import { asString, isObject, type JsonObject, objectsIn } from '#base/json.js';
import type { LineSpan } from '../../scan/bytes.js';
import { spanOf } from '../../scan/scan.js';
import type { ForeignLine } from '../define.js';
import { type ChainRecord, chainRecord } from './record.js';

/** A text that the model was shown instead of a result, with the line that records it. */
interface Replacement {
  readonly span: LineSpan;
  /** The place in the list of the line. */
  readonly place: number;
}

/** All records of a file. Of those with one uuid, the last line wins, at the place of the first. */
export interface RecordedLines {
  readonly chain: ReadonlyMap<string, ChainRecord>;
  /** By the id of the call. */
  readonly toolNames: ReadonlyMap<string, string>;
  readonly replacements: ReadonlyMap<string, Replacement>;
  readonly title: { readonly span: LineSpan; readonly text: string } | null;
  readonly facts: {
    readonly sessionId: string;
    readonly cwd: string | null;
    readonly version: string | null;
    readonly agentId: string | null;
  };
  /** All lines. */
  readonly lines: readonly LineSpan[];
  readonly firstTimestamp: string | null;
}

/** Sorts the lines of a file. */
export function recordsIn(lines: Iterable<ForeignLine>): RecordedLines {
  const sorting = new Sorting();
  for (const line of lines) sorting.take(line);
  const { chain, facts } = sorting;
  // The file of a subagent contains nothing else.
  if (facts.agentId !== null && [...chain.values()].every(({ isSide, type }) => isSide || type === 'progress'))
    for (const [uuid, record] of chain) chain.set(uuid, { ...record, isSide: false });
  return sorting;
}

/** Types of records with a title; a later one in this list is preferred. */
const TITLES: readonly (readonly [type: string, field: string])[] = [
  ['summary', 'summary'],
  ['ai-title', 'aiTitle'],
  ['custom-title', 'customTitle'],
];

class Sorting implements RecordedLines {
  readonly chain = new Map<string, ChainRecord>();
  readonly toolNames = new Map<string, string>();
  readonly replacements = new Map<string, Replacement>();
  readonly lines: LineSpan[] = [];
  readonly facts = {
    sessionId: '',
    cwd: null as string | null,
    version: null as string | null,
    agentId: null as string | null,
  };
  firstTimestamp: string | null = null;
  title: { span: LineSpan; text: string; rank: number } | null = null;
  private count = 0;

  take(line: ForeignLine): void {
    const { value } = line;
    this.learn(value);
    const span = spanOf(line);
    this.lines.push(span);
    const record = chainRecord(line, span, this.count);
    if (!record) {
      this.takeOther(line);
      return;
    }
    this.count += 1;
    this.firstTimestamp ??= record.timestamp || null;
    this.chain.set(record.uuid, record);
    if (record.type === 'assistant') this.nameTools(value);
  }

  private learn(value: JsonObject): void {
    const { facts } = this;
    facts.sessionId ||= asString(value['sessionId']) ?? '';
    facts.cwd ??= asString(value['cwd']);
    facts.version = asString(value['version']) ?? facts.version;
    facts.agentId ??= asString(value['agentId']);
  }

  private takeOther(line: ForeignLine): void {
    const { value } = line;
    if (value['type'] === 'content-replacement') this.takeReplacements(line);
    const rank = TITLES.findIndex(([type]) => type === value['type']);
    const text = rank === -1 ? null : titleIn(value, TITLES[rank]?.[1] ?? '');
    if (text !== null && rank >= (this.title?.rank ?? -1)) this.title = { span: spanOf(line), text, rank };
  }

  private takeReplacements(line: ForeignLine): void {
    const span = spanOf(line);
    for (const [place, replacement] of objectsIn(line.value['replacements']).entries()) {
      const id = asString(replacement['toolUseId']);
      if (id !== null && typeof replacement['replacement'] === 'string') this.replacements.set(id, { span, place });
    }
  }

  private nameTools({ message }: JsonObject): void {
    for (const block of isObject(message) ? objectsIn(message['content']) : []) {
      const [id, name] = [asString(block['id']), asString(block['name'])];
      if (block['type'] === 'tool_use' && id !== null && name !== null) this.toolNames.set(id, name);
    }
  }
}

function titleIn(value: JsonObject, field: string): string | null {
  return asString(value[field])?.trim() || null;
}
