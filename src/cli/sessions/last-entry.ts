import { isObject } from '#base/json.js';
import { parseTimestamp } from '#base/time.js';
import type { Files } from '#platform/files/files.js';
import { isDocumentName } from './session-files.js';

/** The sizes of the end of a file that are read, until a line with a time is among them. */
const SIZES = [16_384, 1 << 20];

/**
 * When a session was last written to, in milliseconds since 1970: the time of the last entry of its file that has one.
 * A file that was copied or restored is newer. Where its end has no such entry, the time of the file.
 */
export function readLastEntryTime(
  files: Pick<Files, 'ending' | 'beginning' | 'modified'>,
  { file, modified = files.modified(file) }: { readonly file: string; readonly modified?: number },
): number {
  if (isDocumentName(file)) return readDocumentTime(files, file) ?? modified;
  for (const size of SIZES) {
    const bytes = files.ending(file, size);
    const time = findLastTime(new TextDecoder().decode(bytes), bytes.length < size);
    if (time !== null) return time;
    if (bytes.length < size) break;
  }
  return modified;
}

/** `isWhole`: the text begins with a line, and not within one. */
function findLastTime(text: string, isWhole: boolean): number | null {
  const lines = text.split('\n').slice(isWhole ? 0 : 1);
  for (const line of lines.toReversed()) {
    const time = readLineTime(line);
    if (time !== null) return time;
  }
  return null;
}

function readLineTime(line: string): number | null {
  if (!line.includes('"timestamp"')) return null;
  try {
    const entry: unknown = JSON.parse(line);
    const time = isObject(entry) && entry.timestamp !== null ? parseTimestamp(entry.timestamp) : Number.NaN;
    return Number.isNaN(time) ? null : time;
  } catch {
    // A line that is still being written.
    return null;
  }
}

/** Documents that are one JSON value name the time of their last change at their beginning: Gemini CLI and opencode. */
function readDocumentTime(files: Pick<Files, 'beginning'>, file: string): number | null {
  const text = new TextDecoder().decode(files.beginning(file, 4096));
  const [, iso, milliseconds] = /"lastUpdated"\s*:\s*"([^"]+)"|"updated"\s*:\s*(\d{12,14})\b/.exec(text) ?? [];
  const time = parseTimestamp(iso ?? Number(milliseconds ?? Number.NaN));
  return Number.isNaN(time) ? null : time;
}
