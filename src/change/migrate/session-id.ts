/** A new session id as Pi makes it, of the time in milliseconds and some ids of eight hex digits. */
export function newSessionId(now: number, newId: () => string): string {
  const time = Math.max(0, now).toString(16).padStart(12, '0').slice(-12);
  const [a, b, c] = [newId(), newId(), newId()];
  const variant = ((Number.parseInt(b[0] ?? '0', 16) & 3) | 8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${a.slice(0, 3)}-${variant}${b.slice(1, 4)}-${b.slice(4)}${c}`;
}
