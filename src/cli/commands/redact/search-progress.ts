import { type Progress, startProgress } from '#cli/sessions/progress.js';
import type { Io } from '#platform/io.js';
import type { ByteSource } from '#session/scan/byte-source.js';

/** The approximate size of the text that is searched at once. */
const BATCH_BYTES = 1 << 20;

/** Shows the progress of a redaction: a first search learns the secrets, and a second one replaces them. */
export function startSearchProgress(io: Io, { size }: ByteSource): Progress {
  return startProgress(io, 2 * Math.ceil(size / BATCH_BYTES), 'MB searched, twice');
}
