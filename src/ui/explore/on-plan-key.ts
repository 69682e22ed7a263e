import { findPathThrough, type SessionIndex } from '#analysis/listing/session-index.js';
import { toShellWord } from '#base/shell.js';
import { isOld } from '#change/migrate/plan-migration.js';
import { ZONES } from '#change/prune/zones.js';
import { CONTEXT_CHANGE_TYPES } from '#context/replay/entry-kinds.js';
import { formatId } from '#session/heads/head.js';
import { describeVersion } from '#session/scan/header.js';
import { joinSpans } from '../doc/text-line.js';
import { addEffect, buildExplorerPage, type ExplorerPage, type ExplorerState, selectedEntry } from './state.js';

const DRY = '--dry-run';

/** Whether a page shows a plan: a dry run that has succeeded and found something to do. */
export function isPlanPage({ argv, isOk, content }: ExplorerPage): boolean {
  if (!isOk || !argv?.includes(DRY)) return false;
  const [first = []] = 'lines' in content ? content.lines : [];
  return !joinSpans(first).startsWith('nothing to ');
}

/** Whether a page shows a command that writes to the session, which leaving the page must not stop. */
export function isWriteCommand({ argv }: Pick<ExplorerPage, 'argv'>): boolean {
  return WRITING.has(argv?.[0]) && !argv?.includes(DRY);
}

const WRITING: ReadonlySet<string | undefined> = new Set(['prune', 'compact', 'revert']);

/** Handles a key of a plan: asks before writing it, or plans to change more or less. Returns null for other keys. */
export function onPlanKey(state: ExplorerState, page: ExplorerPage, key: string): ExplorerState | null {
  const { argv, title } = page;
  if (!argv?.includes(DRY) || (key !== 'w' && key !== '+' && key !== '-')) return null;
  if (page.isRunning) return { ...state, notice: 'not done yet: wait for the plan' };
  const size = findPlanSize(page);
  if (key === 'w') {
    const refusal = `there is nothing to write${size ? `: ${size.hint}` : ''}`;
    const notice = isPlanPage(page) ? describeReadOnly(state.known.session) : refusal;
    return notice === null ? { ...state, question: argv.filter((word) => word !== DRY) } : { ...state, notice };
  }
  if (!size) return null;
  const { flag } = size;
  const next = size.next(page, key);
  if (next === null) return { ...state, notice: `this zone prunes the ${key === '+' ? 'most' : 'least'}` };
  const rest = argv.filter((word, at) => word !== DRY && word !== flag && argv[at - 1] !== flag);
  return openCommandPage(state, title, [...rest, flag, next, DRY]);
}

/** The size of a plan, which `+` and `-` change. */
interface PlanSize {
  readonly flag: string;
  /** The value of the flag that changes more or less; null if there is none. */
  readonly next: (page: ExplorerPage, key: '+' | '-') => string | null;
  readonly keys: string;
  /** The key that may find something to do. */
  readonly hint: string;
}

const SIZES: ReadonlyMap<string | undefined, PlanSize> = new Map([
  ['compact', { flag: '--keep-recent', next: nextKept, keys: '+ - keep more, less', hint: 'press - to keep less' }],
  ['prune', { flag: '--zone', next: nextZone, keys: '+ - prune more, less', hint: 'press + to prune more' }],
]);

/** The size of the plan on a page; undefined for other pages. */
export function findPlanSize({ argv, isRunning }: ExplorerPage): PlanSize | undefined {
  return isRunning || !argv?.includes(DRY) ? undefined : SIZES.get(argv[0]);
}

/** The tokens that `ctx compact` keeps by default. */
const KEPT = 20_000;
const LEAST_KEPT = 100;

function nextKept({ argv }: ExplorerPage, key: '+' | '-'): string {
  const at = argv?.indexOf('--keep-recent') ?? -1;
  const tokens = at < 0 ? KEPT : Number(argv?.[at + 1]);
  return String(Math.max(LEAST_KEPT, Math.round(key === '+' ? tokens * 2 : tokens / 2)));
}

/** The zone of the policy that prunes more or less than that of a plan, which the plan names. */
function nextZone({ content }: ExplorerPage, key: '+' | '-'): string | null {
  const text = 'lines' in content ? content.lines.map(joinSpans).join('\n') : '';
  const at = ZONES.findIndex((zone) => zone === /^(?:nothing to prune in|prune)\s+zone\s+(\w+)/m.exec(text)?.[1]);
  return ZONES[at + (key === '+' ? 1 : -1)] ?? null;
}

/** The reason why a session is never appended to, and the command that helps; null for one that plans are written to. */
export function describeReadOnly({ agent, header }: ExplorerState['known']['session']): string | null {
  if (agent) return `a session of ${agent.title} is never written to: ctx import makes one of Pi`;
  if (!isOld({ header })) return null;
  return `a session of ${describeVersion(header.version)} is never appended to: ctx migrate makes a new one`;
}

/** Handles the answer to the question whether a plan is to be written. */
export function onQuestionKey(before: ExplorerState, key: string): ExplorerState {
  const state = { ...before, question: null };
  const argv = before.question ?? [];
  // The user has just agreed, and the command runs without a terminal of its own.
  if (key === 'y')
    return openCommandPage(state, (state.page?.title ?? '').replace(' (dry run)', ''), [...argv, '--yes']);
  if (key === 'q') return addEffect(state, { kind: 'quit', say: formatCommand(argv) });
  return { ...state, notice: 'nothing was written' };
}

/** Plans to undo the selected change, or the latest one before it. */
export function planUndo(state: ExplorerState): ExplorerState {
  const { known } = state;
  const { heads } = known.session.tree;
  const path = findPathThrough(known, selectedEntry(state));
  const above = path.subarray(0, path.indexOf(selectedEntry(state)) + 1);
  const change = above.findLast((index) => CONTEXT_CHANGE_TYPES.has(heads.typeAt(index)));
  const revision = change === undefined ? null : revisionOf(known, change);
  if (revision === null)
    return { ...state, notice: 'no compaction, transform or edit at or before this entry: select one' };
  return openCommandPage(state, 'Undo (dry run)', ['revert', known.session.file, revision, DRY]);
}

/** Runs a command and shows its output on a page, from the line that names `entry` on if there is one. */
export function openCommandPage(
  state: ExplorerState,
  title: string,
  argv: readonly string[],
  entry?: number,
): ExplorerState {
  const page = buildExplorerPage({ title, argv, entry, content: { lines: [] }, isRunning: true });
  return addEffect({ ...state, page }, { kind: 'run', argv });
}

/** The revision that names an entry on a command line; null if it has no id. */
export function revisionOf({ session }: SessionIndex, index: number): string | null {
  return formatId(session.tree.heads.at(index)?.id);
}

/** The arguments for a revision, with `--` before an id that looks like a flag. */
function revisionArgs(revision: string): readonly string[] {
  return revision.startsWith('-') ? ['--', revision] : [revision];
}

/** The flag that names an entry; none if it has no id. */
export function buildAtArgs(known: SessionIndex, index: number): readonly string[] {
  const at = revisionOf(known, index);
  return at === null ? [] : ['--at', at];
}

/** The command line that prints an entry in full; null if it has no id. */
export function buildCatArgv(known: SessionIndex, index: number): readonly string[] | null {
  const at = revisionOf(known, index);
  return at === null ? null : ['cat', known.session.file, ...revisionArgs(at)];
}

/** The command line that prints the current view, without `ctx`. */
export function buildViewArgv(state: ExplorerState): readonly string[] {
  const { known, page, focus, tab, listing, filter, shown } = state;
  const { file } = known.session;
  if (page) return page.argv ?? ['explore', file];
  const index = focus === 'envelope' && shown ? shown.index : selectedEntry(state);
  if (focus === 'envelope') return ['show', file, ...buildAtArgs(known, index), '--part', tab];
  if (listing === 'log') return ['log', ...(buildCatArgv(known, index)?.slice(1) ?? [file])];
  return ['tree', file, ...(filter === 'default' ? [] : ['--filter', filter])];
}

/** The command line whose output `o` opens in the pager: the selected item in full. */
export function buildPagerArgv(state: ExplorerState): readonly string[] {
  const { page, focus, known } = state;
  const argv = buildViewArgv(state);
  if (page || focus === 'envelope') return argv[0] === 'show' ? [...argv, '--full'] : argv;
  return buildCatArgv(known, selectedEntry(state)) ?? argv;
}

export function formatCommand(argv: readonly string[]): string {
  return ['ctx', ...argv].map(toShellWord).join(' ');
}
