import type { JsonObject } from '#base/json.js';
import type { Provenance } from '#context/replay/envelope.js';
import { type Entry, readTransformerName } from '#session/entry.js';
import type { Head, RawId } from '#session/heads/head.js';
import { defineRule, type PathEntry, quoteValue } from '../define.js';
import { ANSWERED, entry, HEADER } from '../example.js';
import { listAppliedOps } from './applied-ops.js';

const SUMMARY = 'A README was found.';
const OP = { op: 'compaction_apply', scope: 'cached', summary: SUMMARY, timestamp: 0, firstKeptMessageIndex: 1 };
const TRANSFORM = entry('context_transform', 'x1', 'a1', {
  schemaVersion: 1,
  transformerName: 'compaction',
  patch: [{ ...OP, invalidateCacheReason: 'compaction' }],
});

function compactFrom(firstKeptEntryId: string) {
  return entry('compaction', 'k1', 'x1', { summary: SUMMARY, firstKeptEntryId, tokensBefore: 4000 });
}

export default defineRule({
  name: 'dual-write-mismatch',
  severity: 'warning',
  summary: 'A compaction and the transform that repeats it differ',
  help:
    'Programs that support transforms replay a `context_transform` named `compaction` and skip the `compaction` ' +
    'after it; Pi does the opposite. If the two differ in the summary, in the tokens before, or in the first kept ' +
    'message, the two programs send different contexts.',
  example: {
    fires: [HEADER, ...ANSWERED, TRANSFORM, compactFrom('u1')],
    silent: [HEADER, ...ANSWERED, TRANSFORM, compactFrom('a1')],
  },
  looksAt: 'path',
  watch(_options, { tree: { heads } }) {
    const range = new KeptRange();
    let previous: CompactionTransform | null = null;
    return {
      step(step) {
        const { head, entry: stored } = step;
        range.add(head);
        const other = head.type === 'compaction' ? previous : null;
        previous = readCompactionTransform(step);
        if (!other) return NONE;
        const surplus = range.countSurplus(other.keptFrom, heads.targetAt(head.index));
        return listDifferences(other.op, stored, surplus).map(([place, message]) => ({
          message,
          at: head,
          place,
          related: [other.id],
        }));
      },
    };
  },
});

const NONE: readonly never[] = [];

/** A transform that is repeated by the compaction after it. */
interface CompactionTransform {
  readonly id: RawId;
  readonly op: JsonObject | null;
  readonly keptFrom: KeptFrom;
}

function readCompactionTransform(step: PathEntry): CompactionTransform | null {
  const { head, entry: stored, change } = step;
  if (head.type !== 'context_transform' || !change || readTransformerName(stored) !== 'compaction') return null;
  const applied = listAppliedOps(step).find(({ name }) => name === 'compaction_apply');
  const keptFrom = applied ? findKeptStart(change.origins()) : 'unknown';
  return { id: head.id, op: applied?.op ?? null, keptFrom };
}

function listDifferences(
  op: JsonObject | null,
  compaction: Entry,
  surplus: number,
): readonly (readonly [string, string])[] {
  if (!op) return [['parentId', 'the transform before it is named "compaction", but does not compact']];
  const found: [string, string][] = [];
  const { summary, tokensBefore: recorded } = compaction;
  if (op.summary !== summary) found.push(['summary', 'its summary differs from the transform before it']);
  const before = op.tokensBefore;
  if (before !== undefined && before !== recorded)
    found.push([
      'tokensBefore',
      `tokensBefore is ${quoteValue(recorded)}, but ${quoteValue(before)} in the transform before it`,
    ]);
  if (surplus !== 0) {
    const count = `${Math.abs(surplus)} ${Math.abs(surplus) === 1 ? 'message' : 'messages'}`;
    found.push([
      'firstKeptEntryId',
      `it keeps ${count} ${surplus > 0 ? 'more' : 'fewer'} than the transform before it`,
    ]);
  }
  return found;
}

/** The start of the kept messages: a line of the file, nothing, or a message without a source entry. */
type KeptFrom = { readonly line: number } | 'nothing' | 'unknown';

/** The start of the messages that a transform keeps after the summary that it put first. */
function findKeptStart([, first]: readonly Provenance[]): KeptFrom {
  if (!first) return 'nothing';
  return first.origin === 'entry' || first.origin === 'edit' ? { line: first.line } : 'unknown';
}

/** The entries of a path so far, to compare the messages that two compactions keep. */
class KeptRange {
  private readonly path: Head[] = [];
  /** The targets of edits, which may be omitted. */
  private readonly edited = new Set<RawId>();

  add(head: Head): void {
    this.path.push(head);
    if (head.type === 'context_edit') this.edited.add(head.target);
  }

  /**
   * The number of messages that the newest entry, a compaction from the entry at `target` on, keeps in addition to
   * the transform before it; negative for fewer, 0 also if it is unknown.
   */
  countSurplus(transform: KeptFrom, target: number): number {
    if (transform === 'unknown' || target === -1) return 0;
    const end = this.path.length - 1;
    const own = this.findLastPlace(({ index }) => index === target) ?? end;
    const other = transform === 'nothing' ? end : (this.findLastPlace(({ line }) => line === transform.line) ?? end);
    const between = this.path.slice(Math.min(own, other), Math.max(own, other));
    const messages = between.filter((head) => this.isShown(head)).length;
    return own < other ? messages : -messages;
  }

  private findLastPlace(isIt: (head: Head) => boolean): number | null {
    const place = this.path.findLastIndex(isIt);
    return place === -1 ? null : place;
  }

  private isShown({ type, role, id }: Head): boolean {
    return (type === 'custom_message' || SHOWN.has(role)) && !this.edited.has(id);
  }
}

/** Roles that are always sent. */
const SHOWN: ReadonlySet<string | null> = new Set(['user', 'assistant', 'toolResult', 'custom']);
