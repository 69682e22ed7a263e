/** A session all of whose entries have one time, in milliseconds since 1970. */
export function writtenAt(text: string, time: number): string {
  return text.replaceAll(/"timestamp":"[^"]*"/g, `"timestamp":"${new Date(time).toISOString()}"`);
}
