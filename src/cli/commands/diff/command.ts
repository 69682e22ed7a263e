import { reportDiff, selectChanges } from '#analysis/diff/report-diff.js';
import { buildWarning, CtxError, type Problem } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { toVisibleJson } from '#base/visible.js';
import { findSession, locateSession } from '#cli/locate.js';
import { readBaseline } from '#cli/read-json.js';
import { addModelList } from '#cli/window.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope, type EnvelopeOptions } from '#context/replay/build-envelope.js';
import type { ContextEnvelope } from '#context/replay/envelope.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { hasRequests, resolveRange, resolveRevision } from '#session/tree/revision.js';
import { type Doc, line } from '#ui/doc/doc.js';
import type { View } from '#ui/doc/renderer.js';
import { type CommandInput, defineCommand } from '../define.js';
import { refuseUnknownPart } from '../envelope-names.js';
import { positiveFlag, textFlag, toggleFlag } from '../flags.js';
import { openSessionFile } from '../session.js';
import * as shared from '../shared-flags.js';
import { buildDiffDocument, type EnvelopeComparison, listChangedParts, renderDiffSummary } from './summary.js';
import { renderDiffChanges } from './view.js';

const FLAGS = {
  stat: toggleFlag('print only the summary; with --part, its changes without their texts'),
  part: textFlag('PART', 'print only changes of system, tools, options or messages, or of one part or tool by name'),
  full: toggleFlag('print texts in full, and unchanged parts too'),
  'word-diff': toggleFlag('show changed words inline, also in long texts'),
  'side-by-side': {
    ...toggleFlag('show old and new text in two columns (default: on terminals of 160 columns or more)'),
    excludes: ['word-diff'],
  },
  'exit-code': toggleFlag('exit with 1 if there is a difference'),
  'name-only': toggleFlag('print only the names of changes, one per line'),
  'no-side-by-side': toggleFlag('show old and new text below each other'),
  quiet: { ...toggleFlag('print nothing, and exit with 1 if there is a difference'), short: 'q' },
  patch: { ...toggleFlag('print the patch ops from the first to the second context, as JSON'), excludes: ['part'] },
  baseline: shared.baseline,
  limit: positiveFlag('TOKENS', "the model's context window"),
  lenient: shared.lenient,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'diff',
  summary: 'Compare the contexts at two entries',
  description:
    'Compares what the model saw at two entries of one session, of two branches, or of two files. Without revisions ' +
    'it compares the last answered request with the next one.',
  args: [
    {
      name: 'what',
      help: 'a session and up to two revisions, or a range A..B; either revision may name its session: FILE@REV',
      isMany: true,
    },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: [
    'ctx diff',
    "ctx diff session.jsonl '@{request:1}' '@{request:2}'",
    'ctx diff session.jsonl HEAD~5..HEAD --stat',
    'ctx diff monday.jsonl@HEAD tuesday.jsonl@HEAD --part rules',
    "ctx diff session.jsonl '@{turn:1}' '@{turn:2}' --patch",
  ],
  async run(input) {
    const { io, args, flags, format } = input;
    const isBeside = isSideBySide(input);
    const names = args.flatMap((arg) => arg ?? []);
    const { before, after, problems } = await openEnvelopes(
      input,
      await readSides(io, names),
      await readOptions(input),
    );
    if (flags.part !== undefined) refuseUnknownPart([before, after], flags.part);
    const exitCodeFor = (isSame: boolean): 0 | 1 => (!isSame && (flags['exit-code'] || flags.quiet) ? 1 : 0);
    if (flags.patch) {
      const ops = await buildPatch(before, after);
      // The ops are what other commands read, so the whole of stdout is theirs.
      const lines = new TextEncoder().encode(`${toVisibleJson(JSON.stringify(ops, null, 2))}\n`);
      return { kind: 'bytes', bytes: flags.quiet ? [] : [lines], problems, exitCode: exitCodeFor(ops.length === 0) };
    }
    const report = selectChanges(reportDiff(before, after), flags.part);
    const exitCode = exitCodeFor(report.same);
    if (flags.quiet || (report.same && format !== 'json')) return { ...NOTHING, problems, exitCode };
    const doc = ({ format: to }: View): Doc => renderDiff({ before, after, report }, { ...flags, isBeside }, to);
    return { kind: 'single', item: { data: buildDiffDocument({ before, after, report }), doc }, problems, exitCode };
  },
});

const NOTHING = { kind: 'bytes', bytes: [] } as const;

async function readOptions({ io, flags, configuredLimit }: Input): Promise<EnvelopeOptions> {
  const baseline = flags.baseline === undefined ? undefined : await readBaseline(io.files, flags.baseline);
  return addModelList({ limit: flags.limit, configuredLimit, baseline });
}

async function openEnvelopes(opener: Input, sides: Sides, options: EnvelopeOptions) {
  const sessions = new Map<string, OpenSession>();
  const openOnce = async (file: string): Promise<OpenSession> => {
    const session = sessions.get(file) ?? (await openSessionFile(opener, file, opener.flags));
    sessions.set(file, session);
    return session;
  };
  const buildAt = (session: OpenSession, head: Head | null): ContextEnvelope => buildEnvelope(session, head, options);
  if (sides.kind === 'range') {
    const session = await openOnce(sides.file);
    const { from, to } = resolveRange(session, sides.range);
    return toOpenedSides(buildAt(session, from), buildAt(session, to));
  }
  const buildSide = ({ session, revision }: { session: OpenSession; revision: string | null }): ContextEnvelope =>
    buildAt(session, revision === null ? findNewestRequest(session) : resolveRevision(session, revision));
  const session = await openOnce(sides.before.file);
  const before = buildSide({ session, revision: sides.before.revision });
  const after = buildSide({ ...sides.after, session: await openOnce(sides.after.file) });
  const isWithoutRequest = sides.before.revision === null && !hasRequests(session);
  return toOpenedSides(before, after, isWithoutRequest ? [NO_REQUEST] : []);
}

/** The newest answered request; null, which means before the first entry, if there is none. */
function findNewestRequest(session: OpenSession): Head | null {
  return hasRequests(session) ? resolveRevision(session, '@{request:-1}') : null;
}

const NO_REQUEST = buildWarning(
  'no-request',
  'no request was answered yet, so the context is compared with an empty one',
);

function toOpenedSides(before: ContextEnvelope, after: ContextEnvelope, more: readonly Problem[] = []) {
  const earlier = new Set(before.meta.diagnostics.map(({ code, line: at }) => `${code} ${at}`));
  const isNew = ({ code, line: at }: Problem): boolean =>
    before.session.file !== after.session.file || !earlier.has(`${code} ${at}`);
  return { before, after, problems: [...before.meta.diagnostics, ...after.meta.diagnostics.filter(isNew), ...more] };
}

/** The columns from which both halves hold a usual line. */
const WIDE_COLUMNS = 160;

function isSideBySide({ io: { stdout }, flags, format }: Input): boolean {
  const { 'side-by-side': isAsked, 'no-side-by-side': isRefused, 'word-diff': byWords } = flags;
  if (format !== 'text' || isRefused) return false;
  return isAsked ?? (!byWords && stdout.isTerminal && stdout.columns >= WIDE_COLUMNS);
}

interface Layout extends Pick<Input['flags'], 'stat' | 'name-only' | 'full' | 'word-diff' | 'part'> {
  readonly isBeside: boolean;
}

function renderDiff(compared: EnvelopeComparison, flags: Layout, format: string): Doc {
  if (flags['name-only']) return listChangedParts(compared.report).map((name) => line(name));
  const summary = flags.part === undefined ? renderDiffSummary(compared) : [];
  if (flags.stat && flags.part === undefined) return summary;
  const style = {
    isFull: (flags.full && !flags.stat) ?? false,
    isBrief: flags.stat ?? false,
    byWords: flags['word-diff'] ?? false,
    isBeside: flags.isBeside,
    part: flags.part,
  };
  return [...summary, ...renderDiffChanges(compared, style, format)];
}

async function buildPatch(before: ContextEnvelope, after: ContextEnvelope): Promise<readonly JsonObject[]> {
  const { patchBetween } = await import('#analysis/diff/patch-ops.js');
  const reason = `ctx diff ${before.at.entryId ?? 'nothing'}..${after.at.entryId ?? 'nothing'}`;
  const { patch: ops, impossible } = patchBetween(before, after, reason);
  const [first] = impossible;
  if (first !== undefined) throw new CtxError('input', first, { hint: 'compare other revisions' });
  return ops;
}

interface Side {
  readonly file: string;
  /** null: none is named, which means the newest request that was answered. */
  readonly revision: string | null;
}

/** Two revisions of one session may also be written as one range. */
type Sides =
  | { readonly kind: 'two'; readonly before: Side; readonly after: Side }
  | { readonly kind: 'range'; readonly file: string; readonly range: string };

/** The default right side: the context that the next request would send. */
const AFTER = 'HEAD';

/**
 * Parses the arguments of `ctx diff`: `[SESSION] [A] [B]`, `[SESSION] A..B`, or two sessions, each with an optional
 * revision after an `@`. Throws a CtxError (usage) for too many arguments.
 */
async function readSides(io: Io, args: readonly string[]): Promise<Sides> {
  const names = await Promise.all(args.map((arg) => readSide(io, arg)));
  const [first = null, ...others] = names;
  // A file with a revision is a side by itself, a file alone is what the revisions are of.
  const isSide = first !== null && (first.revision !== null || others.some((buildSide) => buildSide !== null));
  const file = first?.file ?? (await locateSession(io, 'latest'));
  const at = first && !isSide ? 1 : 0;
  const [a, b, ...more] = args.slice(at);
  if (more.length > 0) {
    const hint = 'name a session and two revisions, or two sessions as FILE@REV';
    throw new CtxError('usage', `one argument too many: "${more[0] ?? ''}"`, { hint });
  }
  if (a !== undefined && b === undefined && a.includes('..') && !names[at]) return { kind: 'range', file, range: a };
  const toSide = (revision: string, buildSide: Side | null = null): Side =>
    buildSide ? { file: buildSide.file, revision: buildSide.revision ?? AFTER } : { file, revision };
  const before = a === undefined ? { file, revision: null } : toSide(a, names[at]);
  const after = b === undefined ? { file: before.file, revision: AFTER } : toSide(b, names[at + 1]);
  return { kind: 'two', before, after };
}

/** `FILE`, `FILE@REV`, or the same with a session's id or `latest`; null for what names no session. */
async function readSide(io: Io, arg: string): Promise<Side | null> {
  const whole = await findNamedSession(io, arg);
  if (whole !== null) return { file: whole, revision: null };
  for (let at = arg.indexOf('@', 1); at !== -1; at = arg.indexOf('@', at + 1)) {
    const file = await findNamedSession(io, arg.slice(0, at));
    if (file === null) continue;
    const rest = arg.slice(at + 1);
    // `FILE@{turn:2}` needs no second `@`.
    return { file, revision: rest.startsWith('{') ? `@${rest}` : rest };
  }
  return null;
}

/** The file of a session; null for a name without one. */
async function findNamedSession(io: Io, name: string): Promise<string | null> {
  if (name === '-' || /^latest(?::[^@]*)?$|\.jsonl$/.test(name)) return locateSession(io, name);
  if (name === '' || name.startsWith('@') || name === AFTER) return null;
  const file = await findSession(io, name);
  return file !== null && io.files.exists(file) ? file : null;
}
