/** A part of a line or a text, and what takes its place. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text after its edits, which are in order. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  let from = 0;
  let result = '';
  for (const { start, end, text: written } of edits) {
    result += text.slice(from, start) + written;
    from = end;
  }
  return result + text.slice(from);
}
