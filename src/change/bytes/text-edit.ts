/** A part of a text and its replacement. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The edits must be in order. */
export function applyTextEdits(text: string, edits: readonly TextEdit[]): string {
  let from = 0;
  let result = '';
  for (const { start, end, text: replacement } of edits) {
    result += text.slice(from, start) + replacement;
    from = end;
  }
  return result + text.slice(from);
}
