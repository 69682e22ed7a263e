import { diffLines, diffWordsWithSpace } from 'diff';
import { sumBy } from '#base/lists.js';

/** A piece of text that is in both texts, or in only one of them. */
export interface TextPiece {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/**
 * The words or lines that two texts may differ in: comparing takes time quadratic in their number, about 0.1 s for this
 * one. Beyond it, one text simply replaces the other. It is a number and no time, since the same texts have to give the
 * same difference on any machine.
 */
const MOST_EDITS = 1000;

export function diffWords(before: string, after: string): readonly TextPiece[] {
  return joinAcrossSpace(toPieces(diffWordsWithSpace(before, after, { maxEditLength: MOST_EDITS }), before, after));
}

const LEAST_SHARE = 0.3;

/** Whether marking the changed words helps: it does where enough of the longer text, of `length`, is unchanged. */
export function isMostlySame(pieces: readonly TextPiece[], length: number): boolean {
  const same = sumBy(pieces, ({ kind, text }) => (kind === 'same' ? text.length : 0));
  return same >= length * LEAST_SHARE;
}

/** Changed words with only space between them read better as one change. */
function joinAcrossSpace(pieces: readonly TextPiece[]): readonly TextPiece[] {
  const joined: TextPiece[] = [];
  let removed = '';
  let added = '';
  const flush = (): void => {
    if (removed !== '') joined.push({ kind: 'removed', text: removed });
    if (added !== '') joined.push({ kind: 'added', text: added });
    removed = '';
    added = '';
  };
  for (const [at, { kind, text }] of pieces.entries()) {
    if (kind === 'removed') removed += text;
    else if (kind === 'added') added += text;
    else if (/^\s+$/.test(text) && removed + added !== '' && at < pieces.length - 1) {
      removed += text;
      added += text;
    } else {
      flush();
      joined.push({ kind, text });
    }
  }
  flush();
  return joined;
}

export function diffTextLines(before: string, after: string): readonly TextPiece[] {
  return toPieces(diffLines(before, after, { maxEditLength: MOST_EDITS }), before, after);
}

type DiffParts = readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[];

function toPieces(found: DiffParts | undefined, before: string, after: string): readonly TextPiece[] {
  const pieces: readonly TextPiece[] = found?.map(toPiece) ?? [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return pieces.filter(({ text }) => text !== '');
}

function toPiece({ value: text, added, removed }: DiffParts[number]): TextPiece {
  if (added) return { kind: 'added', text };
  return { kind: removed ? 'removed' : 'same', text };
}
