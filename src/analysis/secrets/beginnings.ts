import { textOf } from '#session/find/anchor.js';
import { TextFinder } from '#session/find/text-finder.js';

/** Says which anchors a text may hold, by their places in the list: all that it holds, and perhaps others. */
export class Beginnings {
  private readonly texts: ReadonlyMap<string, readonly number[]>;
  /** At each place where one begins, the longest. */
  private readonly regex: RegExp;
  private finder: TextFinder | null = null;
  private searched = 0;

  constructor(private readonly anchors: readonly string[]) {
    const own = new Map<string, number[]>();
    for (const [number, anchor] of anchors.entries()) {
      const text = textOf(anchor);
      own.set(text, [...(own.get(text) ?? []), number]);
    }
    const texts = [...own.keys()].toSorted((a, b) => b.length - a.length);
    const beginningsOf = (text: string): readonly string[] => texts.filter((other) => text.startsWith(other));
    this.regex = new RegExp(`(?=(${texts.map(escaped).join('|')}))`, 'g');
    this.texts = new Map(texts.map((text) => [text, beginningsOf(text).flatMap((other) => own.get(other) ?? [])]));
  }

  in(text: string): ReadonlySet<number> {
    this.searched += text.length;
    return this.searched < FEW_CHARACTERS ? this.byRegex(text) : this.byFinder(text);
  }

  private byRegex(text: string): ReadonlySet<number> {
    const found = new Set<string>();
    for (const [, beginning = ''] of text.matchAll(this.regex)) found.add(beginning);
    return new Set([...found].flatMap((beginning) => this.texts.get(beginning) ?? []));
  }

  private byFinder(text: string): ReadonlySet<number> {
    this.finder ??= new TextFinder(this.anchors);
    const found = new Set<number>();
    this.finder.findInText(text, (_offset, anchor) => void found.add(anchor));
    return found;
  }
}

/** To search so many by a regular expression takes as long as to make a finder, which is fifty times as fast then. */
const FEW_CHARACTERS = 1 << 18;

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
