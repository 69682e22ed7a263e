import { runWithDeadline } from './deadline.js';
import type { TextPlace } from './entry-texts.js';
import type { SearchedItem } from './searched-items.js';
import { findTextMatches, type TextMatch } from './text-matches.js';

/** A search that began before its text was asked for. */
interface Begun {
  readonly first: readonly TextMatch[];
  /** null: there are no more matches. */
  readonly rest: Iterator<TextMatch> | null;
}

/** A time limit takes a thread, so texts of this length share one. */
const CHARACTERS_AT_ONCE = 1_000_000;

/** A pattern such as `.` has a match for each character, which need not all be kept. */
const MATCHES_AT_ONCE = 1000;

/** A search for a pattern. Matching has a time limit if the pattern may take exponential time. */
export class PatternSearch {
  private readonly mayBacktrack: boolean;
  private begun = new Map<TextPlace, Begun>();

  /** `around`: lines of context of each match. */
  constructor(
    private readonly regex: RegExp,
    private readonly around: number,
  ) {
    this.mayBacktrack = mayBacktrack(regex);
  }

  /** The matches of a text. Throws a CtxError (usage) at the time limit. */
  *matches(place: TextPlace): Generator<TextMatch> {
    if (!this.mayBacktrack) return yield* findTextMatches(place.text, this.regex, this.around);
    const { first, rest } = this.begun.get(place) ?? this.startText(place);
    yield* first;
    for (let chunk = this.findMore(place, rest); chunk.length > 0; chunk = this.findMore(place, rest)) yield* chunk;
  }

  /** Searches the texts of items ahead, where that needs a time limit, and gives the items. */
  *searchAhead(items: Iterable<SearchedItem>): Generator<SearchedItem> {
    if (!this.mayBacktrack) return yield* items;
    let batch: SearchedItem[] = [];
    let length: number = 0;
    for (const item of items) {
      const places = [...item.places];
      batch.push({ ...item, places });
      for (const { text } of places) length += text.length;
      if (length < CHARACTERS_AT_ONCE) continue;
      yield* this.searchBatch(batch, length);
      batch = [];
      length = 0;
    }
    yield* this.searchBatch(batch, length);
  }

  private searchBatch(batch: readonly SearchedItem[], length: number): readonly SearchedItem[] {
    this.begun = new Map();
    this.runLimited(length, () => {
      let left = MATCHES_AT_ONCE;
      for (const place of batch.flatMap(({ places }) => [...places])) {
        if (left === 0) return;
        const begun = readBeginning(this.startText(place), left);
        this.begun.set(place, begun);
        left -= begun.first.length;
      }
    });
    return batch;
  }

  private startText({ text }: TextPlace): Begun {
    return { first: [], rest: findTextMatches(text, this.regex, this.around) };
  }

  private findMore({ text }: TextPlace, rest: Begun['rest']): readonly TextMatch[] {
    return rest === null ? [] : this.runLimited(text.length, () => takeMatches(rest, MATCHES_AT_ONCE));
  }

  private runLimited<Result>(length: number, work: () => Result): Result {
    return runWithDeadline('the pattern', length, work);
  }
}

function readBeginning({ rest }: Begun, most: number): Begun {
  const first = rest === null ? [] : takeMatches(rest, most);
  return { first, rest: first.length < most ? null : rest };
}

function takeMatches(iterator: Iterator<TextMatch>, most: number): readonly TextMatch[] {
  const matches: TextMatch[] = [];
  while (matches.length < most) {
    const { value, done } = iterator.next();
    if (done) break;
    matches.push(value);
  }
  return matches;
}

/** Whether a pattern may take more than linear time: only with a group, a repetition or a reference to a group. */
export function mayBacktrack({ source }: RegExp): boolean {
  return /[*+?{(]|\\[1-9k]/.test(source);
}
