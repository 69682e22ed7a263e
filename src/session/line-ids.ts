/** Eight hex digits, unique for every line of a session: an odd multiplier permutes the 32 bit numbers. */
export function buildLineId(sessionId: string, line: number): string {
  return buildLineHash(sessionId)(line).toString(16).padStart(8, '0');
}

/** The values of the hex digits of such ids, by their lines. */
export function buildLineHash(sessionId: string): (line: number) => number {
  const hash = hash32(sessionId);
  return (line) => (Math.imul(line, 0x9e3779b1) + hash) >>> 0;
}

/** FNV-1a over UTF-16 code units. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
