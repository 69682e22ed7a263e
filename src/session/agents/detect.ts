import { isObject, type JsonObject, parseJson } from '#base/json.js';
import type { ByteSource } from '../scan/byte-source.js';
import { LineRecovery } from '../scan/recover.js';
import type { AgentFormat } from './define.js';
import { AGENTS } from './index.js';

/** Enough for some lines of any agent; a longer first line is read to its end. */
const FIRST_BYTES = 1 << 16;

/** The format of a file, and whether it is one JSON document. */
export interface DetectedAgent {
  readonly format: AgentFormat;
  readonly isDocument: boolean;
}

/** The agent that wrote a file, from its first lines; null if it is unknown. */
export function detectAgent(source: ByteSource): DetectedAgent | null {
  const beginning = decodeBeginning(source, FIRST_BYTES);
  const ofLines = detectLines(beginning) ?? detectLongLine(source, beginning);
  if (ofLines) return { format: ofLines, isDocument: false };
  const ofDocument = detectDocument(source, beginning);
  if (ofDocument) return { format: ofDocument, isDocument: true };
  const ofDamaged = detectRecords(recoverRecords(beginning));
  return ofDamaged && { format: ofDamaged, isDocument: false };
}

/** Tests whether a file is one JSON document of an agent: by its beginning, if the messages are not before the rest. */
export function isAgentDocument(source: ByteSource): boolean {
  return detectDocument(source, decodeBeginning(source, FIRST_BYTES)) !== null;
}

/** `beginning`: the first characters of the file. */
function detectDocument(source: ByteSource, beginning: string): AgentFormat | null {
  const likely = AGENTS.filter(({ document }) => document?.test(beginning));
  if (likely.length === 0) return null;
  const detect = (value: JsonObject | null): AgentFormat | null =>
    (value && likely.find((agent) => agent.detect([value]))) ?? null;
  return detect(parseBeforeMessages(beginning)) ?? detect(parseWhole(source));
}

function parseWhole(source: ByteSource): JsonObject | null {
  return source.size > LONGEST_DOCUMENT ? null : parseObject(decodeBeginning(source, source.size));
}

/** The keys of a document before its messages, and no message; null if something else is before them. */
export function parseBeforeMessages(text: string): JsonObject | null {
  const at = text.indexOf('"messages"');
  return at < 0 ? null : parseObject(`${text.slice(0, at)}"messages":[]}`);
}

/** The agent that wrote these first lines. The last line may be cut. */
function detectLines(text: string): AgentFormat | null {
  return detectRecords(
    text
      .split('\n')
      .map(parseObject)
      .filter((value) => value !== null),
  );
}

/** The agent that wrote a first line which is longer than the beginning. */
function detectLongLine(source: ByteSource, beginning: string): AgentFormat | null {
  return beginning.includes('\n') ? null : detectLines(decodeBeginning(source, LONGEST_FIRST_LINE));
}

function detectRecords(first: readonly JsonObject[]): AgentFormat | null {
  return first.length === 0 ? null : (AGENTS.find((agent) => agent.detect(first)) ?? null);
}

/** The records in damaged lines: a file may have nothing else, such as all its records on one line. */
function recoverRecords(text: string): readonly JsonObject[] {
  const recovery = new LineRecovery(text.length);
  const parts = text.split('\n').flatMap((line) => recovery.partsOf(new TextEncoder().encode(line)) ?? []);
  return parts.map(({ value }) => value).filter((value) => value !== null);
}

const LONGEST_DOCUMENT = 2 ** 29 - 24;
const LONGEST_FIRST_LINE = 1 << 24;

/** The text of the first bytes of a file, at most `most`. */
function decodeBeginning(source: ByteSource, most: number): string {
  return new TextDecoder().decode(source.read(0, Math.min(most, source.size)));
}

function parseObject(text: string): JsonObject | null {
  if (!/^\s*\{/.test(text)) return null;
  const value = parseJson(text);
  return isObject(value) ? value : null;
}
