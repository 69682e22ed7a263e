import type { ReportMessage } from '#analysis/report/document.js';
import { ReportReader } from '#analysis/report/report-reader.js';
import { formatCount } from '#base/numbers.js';
import { truncate } from '#base/text.js';
import { toVisibleLine } from '#base/visible.js';

const PREVIEW = 200;
/** The characters of a snippet before the words. */
const BEFORE = 30;

/** The data of the page, with the names of its entries and requests. */
export class Store extends ReportReader {
  /** The display name of an entry: its id or its line. */
  id(entry: number): string {
    const { ids, lines } = this.data.entries;
    return ids[entry] === null ? `line ${lines[entry]}` : toVisibleLine(ids[entry] ?? '');
  }

  name(entry: number): string {
    return truncate(toVisibleLine(this.wordOf(entry)), 80);
  }

  /** The kind of a sent message: the name of its entry, or its role if a transform or a log made it. */
  kindOf({ entry, origin, role }: ReportMessage): string {
    return origin === 'transform' || origin === 'ephemeral' ? role : this.name(entry);
  }

  /** The link to an entry, or to its place in the conversation. */
  link(entry: number, view: 'entry' | 'conversation' = 'entry'): string {
    const { ids, lines } = this.data.entries;
    const id = ids[entry];
    // A shared id leads to the last entry with it. A link cannot contain half a surrogate pair.
    return typeof id === 'string' && this.find(id) === entry && !/\p{Surrogate}/u.test(id)
      ? `#${view}=${encodeURIComponent(id)}`
      : `#line=${lines[entry]}`;
  }

  preview(entry: number): string {
    return toVisibleLine(this.message(entry)?.preview ?? this.others.get(entry)?.preview ?? '');
  }

  /** The part of an entry's text with the words; its preview if only other fields have them. */
  snippet(entry: number, words: RegExp): string {
    for (const text of this.textsOf(entry)) {
      const at = text.search(words);
      if (at === -1) continue;
      const start = at < BEFORE ? 0 : at - BEFORE;
      return toVisibleLine(`${start === 0 ? '' : '…'}${text.slice(start, start + PREVIEW)}`);
    }
    return this.preview(entry);
  }

  requestName(number: number): string {
    const { onPath, entries } = this.data.requests;
    if (entries[number] === -1) return 'next request';
    return number < onPath ? `request ${number + 1}` : `request ${number + 1}, on another branch`;
  }

  /** The tokens of a request, with `~` unless its provider counted all of them. */
  tokensText(number: number): string {
    return `${this.sizes.isEstimated(number) ? '~' : ''}${formatCount(this.sizes.total(number))}`;
  }
}
