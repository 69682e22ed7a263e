import { CtxError, type Problem } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import type { ReadPatch } from '#context/replay/patch-op.js';
import { Replay } from '#context/replay/replay.js';
import { DroppedMessages } from '#lab/hooks/dropped-messages.js';
import { unwrapTransform } from '#session/carried-entries.js';
import { findUsage, type Head, type RawId, toHead } from '#session/heads/head.js';
import { Heads } from '#session/heads/heads.js';
import { toByteSource } from '#session/scan/byte-source.js';
import { type Header, parseHeader } from '#session/scan/header.js';
import { listTreeProblems } from '#session/tree/problems.js';
import { buildTree, type Tree } from '#session/tree/tree.js';
import { type PiEntry, type PiSessions, toJsonEntry } from './pi.js';

/**
 * The branch of a running session: the entries that Pi has in memory, as a session that is replayed on demand. A branch
 * that only grew is replayed from where the last replay ended.
 */
export class LiveBranch {
  /** The file is where Pi writes the session; its entries are those of the branch only. */
  readonly session: OpenSession;
  /** The entries from the root to the leaf. */
  readonly path: Head[] = [];
  private readonly heads = new Heads();
  private readonly entries: PiEntry[] = [];
  private transforms = 0;
  private readonly drops = new DroppedMessages();
  private readonly dropMarked: Head[] = [];
  /** The entries that a context edit of Pi omits. */
  private readonly omitted = new Set<RawId>();
  private replayed: { readonly session: OpenSession; readonly replay: Replay; next: number } | null = null;

  constructor(sessions: PiSessions, readPatch: ReadPatch) {
    const { heads, entries } = this;
    this.session = buildLiveSession(sessions, { heads, entries, readPatch });
  }

  /** Whether the branch holds transforms, which stock Pi does not replay. */
  get hasTransforms(): boolean {
    return this.transforms > 0;
  }

  /** The entries whose messages hooks left out, and which Pi still sends. */
  get droppedHeads(): readonly Head[] {
    return this.dropMarked.filter(({ id }) => !this.omitted.has(id));
  }

  /** Adds the entries that follow the known ones. Returns false if the branch did not only grow. */
  grow(branch: readonly PiEntry[]): boolean {
    const { length } = this.entries;
    // Entries are immutable, so the last known one has the same ancestors.
    if (branch.length < length || (length > 0 && branch[length - 1] !== this.entries[length - 1])) return false;
    for (const entry of branch.slice(length)) this.add(entry);
    return true;
  }

  /** The replay of the whole branch. Throws a CtxError (input) if a transform cannot be replayed. */
  replay(): Replay {
    return this.replayAs(this.session);
  }

  /** The replay of the whole branch, without the patch ops that break a rule. */
  replayLeniently(): Replay {
    return this.replayAs(toLenient(this.session));
  }

  private replayAs(session: OpenSession): Replay {
    if (this.replayed?.session !== session) {
      this.replayed = { session, replay: new Replay(session, this.path, {}), next: 0 };
    }
    const { replayed } = this;
    // A replay that failed is not continued.
    this.replayed = null;
    for (const head of this.path.slice(replayed.next)) replayed.replay.step(head, replayed.next++);
    this.replayed = replayed;
    return replayed.replay;
  }

  private add(entry: PiEntry): void {
    const { length } = this.entries;
    const read = unwrapTransform(toJsonEntry(entry));
    this.heads.push(toHead(read, { line: length + 2, offset: length, length: 1 }));
    this.entries.push(entry);
    const head = this.heads.at(length);
    if (!head) return;
    this.path.push(head);
    if (head.type === 'context_transform') this.transforms += 1;
    if (head.type === 'context_edit' && read.replacement === null) this.omitted.add(head.target);
    if (this.drops.next(read) !== null) this.dropMarked.push(head);
  }
}

function buildLiveSession(
  sessions: PiSessions,
  { heads, entries, readPatch }: { heads: Heads; entries: readonly PiEntry[]; readPatch: ReadPatch },
): OpenSession {
  const header = readPiHeader(sessions);
  const entry = ({ index }: Head): JsonObject => {
    const found = entries[index];
    return found ? unwrapTransform(toJsonEntry(found)) : {};
  };
  const line = { line: 1, offset: 0, length: 0 };
  return {
    file: sessions.getSessionFile() ?? '-',
    header,
    scan: {
      size: 0,
      isWhole: true,
      header,
      headerSpan: line,
      heads,
      repeatedHeaders: [],
      blanks: [],
      damaged: [],
      problems: [],
    },
    get tree(): Tree {
      return buildTree(heads);
    },
    get problems(): readonly Problem[] {
      return listTreeProblems(buildTree(heads), header.id);
    },
    // There is no line whose raw bytes could be searched.
    isStrict: true,
    source: toByteSource(new Uint8Array(0)),
    entry,
    *bytes(span) {
      if ('index' in span) yield Buffer.from(`${JSON.stringify(entry(span as Head))}\n`);
    },
    usage: (head) => (head.usageLength === 0 ? null : findUsage(entry(head))),
    readPatch,
    close() {},
  };
}

function readPiHeader(sessions: PiSessions): Header {
  const first = parseHeader(sessions.getHeader(), { line: 1, offset: 0, length: 0 });
  if (!first) throw new CtxError('input', 'the session of Pi has no header', { hint: 'start a new session' });
  return first.header;
}
