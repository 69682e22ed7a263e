import { batchItems } from '#base/batches.js';
import { CtxError } from '#base/errors.js';
import { toVisible } from '#base/visible.js';
import type { OpenSession } from '#context/open.js';
import { formatId, type Head } from '#session/heads/head.js';
import { LONGEST_LINE_BYTES } from '#session/scan/parse-line.js';
import { resolveRange } from '#session/tree/revision.js';
import { pathTo } from '#session/tree/tree.js';
import { gap } from '#ui/doc/doc.js';
import type { Printable } from '#ui/doc/renderer.js';
import { renderEntry } from '#ui/parts/entry-view.js';
import { defineCommand } from '../define.js';
import { toggleFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import type { EntryDocument } from './document.js';

const FLAGS = {
  raw: { ...toggleFlag('print the line byte for byte'), excludes: ['format json', 'format markdown'] },
  force: { ...toggleFlag('with --raw, send control characters to the terminal too'), needs: ['raw'] },
};

export default defineCommand({
  name: 'cat',
  summary: 'Print an entry in full',
  description:
    'Prints an entry in full: its content, its place in the tree and the usage recorded with it. A range A..B prints ' +
    'the entries on the path to B that are not on the path to A. Changes nothing.',
  args: [
    sessionArgument,
    {
      name: 'rev',
      help: 'the entry, or a range A..B (default: HEAD); without a session, of the latest one',
      isRevision: true,
    },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx cat session.jsonl HEAD~2',
    "ctx cat '@{compaction}'",
    'ctx cat session.jsonl c729368e --raw | jq .message.usage',
    'ctx cat session.jsonl HEAD~5..HEAD --json',
  ],
  async run(input) {
    const { io, args, flags } = input;
    const session = await openNamedSession(input, args[0]);
    const { heads, isRange } = findEntries(session, args[1] ?? 'HEAD');
    const { file, problems } = session;
    if (flags.raw) {
      const bytes = (): Iterable<Uint8Array> => readBytes(session, heads);
      if (io.stdout.isTerminal && !flags.force) refuseUnsafe(bytes());
      return { kind: 'bytes', bytes: bytes(), file, problems };
    }
    const [first] = heads;
    if (first && !isRange) return { kind: 'single', item: toPrintableEntry(session, first), file, problems };
    return { kind: 'stream', batches: batchItems(listEntries(session, heads)), end: () => ({ file, problems }) };
  },
});

/** The entries that a revision names: one, or those of a range. */
interface NamedEntries {
  readonly heads: readonly Head[];
  readonly isRange: boolean;
}

/** Throws a CtxError (usage) for a revision before the first entry. */
function findEntries(session: OpenSession, revision: string): NamedEntries {
  const { from, to, isRange } = resolveRange(session, revision);
  if (to === null) {
    throw new CtxError('usage', `"${revision}" is before the first entry`, {
      where: session.file,
      hint: 'name an entry of the session',
    });
  }
  if (!isRange) return { heads: [to], isRange };
  const above = new Set((from ? pathTo(session.tree, from) : []).map(({ index }) => index));
  return { heads: pathTo(session.tree, to).filter(({ index }) => !above.has(index)), isRange };
}

function* readBytes(session: OpenSession, heads: readonly Head[]): Generator<Uint8Array> {
  for (const head of heads) yield* session.bytes(head);
}

/** Bytes may hold what a terminal obeys: a reader of one has to say that this is meant. */
function refuseUnsafe(bytes: Iterable<Uint8Array>): void {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    for (const piece of bytes) {
      const text = decoder.decode(piece, { stream: true });
      if (toVisible(text) !== text) throw new TypeError();
    }
    decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CtxError('usage', 'this line holds bytes that are not safe in a terminal', {
      hint: 'send them to a file or a pipe, or say --force',
    });
  }
}

function* listEntries(session: OpenSession, heads: readonly Head[]): Generator<Printable> {
  let isFirst = true;
  for (const head of heads) {
    const { data, doc } = toPrintableEntry(session, head);
    const before = isFirst ? [] : [gap];
    isFirst = false;
    yield { data, doc: (view) => [...before, ...doc(view)] };
  }
}

function toPrintableEntry(session: OpenSession, head: Head): Printable {
  if (head.length > LONGEST_LINE_BYTES) {
    throw new CtxError('input', `line ${head.line} is longer than the maximum length of a string`, {
      where: session.file,
      hint: '--raw prints it as it is',
    });
  }
  const entry = session.entry(head);
  const { line, offset, length } = head;
  const data: EntryDocument = {
    schema: 'ctx/entry',
    schemaVersion: 1,
    entryId: formatId(head.id),
    line,
    offset,
    length,
    entry,
  };
  return { data, doc: () => renderEntry(session, head) };
}
