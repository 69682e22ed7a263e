import { addTo } from '#base/maps.js';
import { TextFinder } from '#session/find/text-finder.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import type { RawLine } from '#session/scan/lines.js';

/** Something that is looked for: a line without one of its anchors does not hold it. No anchors: any line may. */
interface SearchSubject {
  readonly anchors: readonly string[];
}

/** A line, and the numbers of the subjects that it may hold; null: of any. */
export interface MarkedLine {
  readonly line: RawLine;
  readonly subjects: ReadonlySet<number> | null;
}

/** Finds out which lines are worth a look, without reading them. */
export class LineMarker {
  private readonly anywhere: readonly number[];
  private readonly finders: readonly Finder[];

  constructor(subjects: readonly SearchSubject[], source: ByteSource) {
    const isWorthIt = (source.size >= FEW_BYTES || subjects.length > FEW_SUBJECTS) && !source.isStrict;
    this.anywhere = [...subjects.keys()].filter((number) => !isWorthIt || subjects[number]?.anchors.length === 0);
    this.finders = isWorthIt ? buildFinders(subjects) : [];
  }

  /** The lines in batches of about a megabyte. */
  *readBatches(source: ByteSource, lines: Iterable<RawLine>): Generator<readonly MarkedLine[]> {
    let batch: RawLine[] = [];
    let size = 0;
    for (const line of lines) {
      batch.push(line);
      size += line.length;
      if (size < BATCH_BYTES) continue;
      yield this.markLines(source, batch);
      batch = [];
      size = 0;
    }
    if (batch.length > 0) yield this.markLines(source, batch);
  }

  private markLines(source: ByteSource, batch: readonly RawLine[]): readonly MarkedLine[] {
    const found: (Set<number> | null)[] = batch.map(() => new Set(this.anywhere));
    const from = batch[0]?.offset ?? 0;
    const last = batch.at(-1);
    const to = last ? last.offset + last.length : from;
    for (const { finder, subjects } of this.finders) {
      let at = 0;
      finder.find(source, from, to, (offset, anchor) => {
        // No anchor goes beyond its line, and they come in order.
        while (at < batch.length - 1 && offset >= (batch[at + 1]?.offset ?? Infinity)) at += 1;
        const own = subjects[anchor];
        if (!own) found[at] = null;
        else for (const subject of own) found[at]?.add(subject);
      });
    }
    return batch.map((line, at) => ({ line, subjects: found[at] ?? null }));
  }
}

const BATCH_BYTES = 1 << 20;

/** Below this it takes longer to make a finder than to parse the lines. */
const FEW_BYTES = 1 << 18;

const FEW_SUBJECTS = 300;

/** An escape of an ASCII character, which JSON.stringify never writes: it can hide any character of a secret. */
const ESCAPED_ASCII = String.raw`\u00[2-7]{1}`;

interface Finder {
  readonly finder: TextFinder;
  /** The subjects with each anchor; undefined for an anchor that may belong to any. */
  readonly subjects: readonly (readonly number[] | undefined)[];
}

/** Two finders of few strings are faster than one of many, which stops at every other place. */
const MOST_ANCHORS = 300;

function buildFinders(subjects: readonly SearchSubject[]): readonly Finder[] {
  const byAnchor = new Map<string, number[]>();
  for (const [number, { anchors }] of subjects.entries()) {
    for (const anchor of anchors) addTo(byAnchor, anchor, number);
  }
  const finders: Finder[] = [];
  let group: [anchor: string, subjects: readonly number[] | undefined][] = [[ESCAPED_ASCII, undefined]];
  const end = (): void => {
    finders.push({ finder: new TextFinder(group.map(([anchor]) => anchor)), subjects: group.map(([, own]) => own) });
    group = [];
  };
  for (const [anchor, own] of byAnchor) {
    if (group.length >= MOST_ANCHORS) end();
    group.push([anchor, own]);
  }
  end();
  return finders;
}
