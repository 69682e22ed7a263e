import type { JsonObject } from '#base/json.js';
import type { Io } from '#platform/io.js';
import type { AgentFormat } from '#session/agents/define.js';
import { isAgentDocument, parseBeforeMessages } from '#session/agents/detect.js';
import { AGENTS } from '#session/agents/index.js';
import { type AgentPeek, peekAgentSession } from '#session/agents/reader.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { toContentName } from '#session/scan/compression.js';
import { isDocumentName, type NamedFile } from './session-files.js';

/** Enough for the header of most documents. */
const FEW_BYTES = 4096;
/** Enough for the header of every session with an entry a line. */
const BEGINNING_BYTES = 1 << 16;
/** A document is read no further. */
const MOST_BYTES = 1 << 28;

/** The header of a session of one of these agents; null if there is none. */
export function readAgentHeader(
  { files }: Pick<Io, 'files'>,
  { file, size }: NamedFile,
  agents: readonly AgentFormat[] = AGENTS,
): AgentPeek | null {
  if (!isDocumentName(file)) return peekAgentSession(files.beginning(file, BEGINNING_BYTES), file, agents);
  // Most files have messages near their beginning, and a session in a database is built only up to what is read.
  const short = readBeforeMessages(files, file, FEW_BYTES) ?? readBeforeMessages(files, file, BEGINNING_BYTES);
  const header = short && peekAgentSession(new TextEncoder().encode(JSON.stringify(short)), file, agents);
  return header ?? peekAgentSession(files.beginning(file, limitContentBytes({ file, size })), file, agents);
}

function readBeforeMessages(files: Io['files'], file: string, most: number): JsonObject | null {
  return parseBeforeMessages(new TextDecoder().decode(files.beginning(file, most)));
}

/** The size of a file; of a compressed one, which has no known size, the largest that is read. */
function limitContentBytes({ file, size }: NamedFile): number {
  return toContentName(file) === file ? Math.min(size, MOST_BYTES) : MOST_BYTES;
}

/** Whether a session has messages; assumed of a large one whose beginning has none. */
export function hasMessages(
  { files }: Pick<Io, 'files'>,
  { file, size }: NamedFile,
  { agent, header }: { readonly agent: AgentFormat; readonly header: object },
): boolean {
  if ('hasMessages' in header && header.hasMessages === true) return true;
  if (size > MOST_BYTES_WITHOUT_MESSAGES || toContentName(file) !== file) return true;
  // The messages of a document are not in what was read of it.
  return peekAgentSession(files.beginning(file, size), file, [agent])?.hasMessages ?? true;
}

/** A larger file is assumed to have messages. */
const MOST_BYTES_WITHOUT_MESSAGES = 1 << 20;

/** Tests whether a `.json` file is a session; most are decided by their beginning. */
export function isSessionDocument({ files }: Pick<Io, 'files'>, found: NamedFile): boolean {
  const { file } = found;
  const read = (start: number, end: number): Uint8Array => files.beginning(file, end).subarray(start);
  return isAgentDocument({ ...toByteSource(new Uint8Array()), size: limitContentBytes(found), read });
}
