import { pathOfEntry, type SessionIndex } from '#analysis/listing/session-index.js';
import { shellWord } from '#base/visible.js';
import { isOld } from '#change/migrate/plan-migration.js';
import { ZONES } from '#change/prune/policy-schema.js';
import { CHANGES_CONTEXT } from '#context/replay/selection.js';
import { versionText } from '#session/scan/header.js';
import { idText } from '#session/table/head.js';
import { joined } from '../doc/text-line.js';
import { type ExplorerPage, type ExplorerState, pageOf, selected, withEffect } from './state.js';

const DRY = '--dry-run';
const KEEP = '--keep-recent';
const ZONE = '--zone';
/** The tokens that `ctx compact` keeps by default. */
const KEPT = 20_000;
const LEAST_KEPT = 100;

/** Whether a page shows a plan: a dry run that has succeeded and found something to do. */
export function isPlan({ argv, isOk, content }: ExplorerPage): boolean {
  if (!isOk || !argv?.includes(DRY)) return false;
  const [first = []] = 'lines' in content ? content.lines : [];
  return !joined(first).startsWith('nothing to ');
}

/** The part of a plan that `+` and `-` change: the kept tokens of a compaction, or the zone of a prune; null for others. */
export function sizeOf({ argv, isRunning }: ExplorerPage): 'keep' | 'prune' | null {
  if (isRunning || !argv?.includes(DRY)) return null;
  return argv[0] === 'compact' ? 'keep' : argv[0] === 'prune' ? 'prune' : null;
}

/** Whether a page shows a command that writes to the session, which leaving the page must not stop. */
export function isWriting({ argv }: Pick<ExplorerPage, 'argv'>): boolean {
  return WRITING.has(argv?.[0]) && !argv?.includes(DRY);
}

const WRITING: ReadonlySet<string | undefined> = new Set(['prune', 'compact', 'revert']);

const PLAN_KEYS: ReadonlySet<string> = new Set(['w', '+', '-']);

/** Handles a key of a plan: asks before writing it, or plans to change more or less. Returns null for other keys. */
export function onPlanKey(state: ExplorerState, page: ExplorerPage, key: string): ExplorerState | null {
  const { argv, title } = page;
  const isPlanning = page.isRunning && argv?.includes(DRY);
  if (isPlanning && PLAN_KEYS.has(key)) return { ...state, notice: 'not done yet: wait for the plan' };
  if (key === 'w' && isPlan(page)) {
    const notice = whyReadOnly(state.known.session);
    if (notice !== null) return { ...state, notice };
    return { ...state, question: argv?.filter((word) => word !== DRY) ?? null };
  }
  const size = sizeOf(page);
  if (key === 'w' && argv?.includes(DRY)) return { ...state, notice: refusal(size) };
  if (size === null || argv === null || (key !== '+' && key !== '-')) return null;
  const [flag, next] = size === 'keep' ? [KEEP, nextKept(argv, key)] : [ZONE, nextZone(page, key)];
  if (next === null) return { ...state, notice: `this zone prunes the ${key === '+' ? 'most' : 'least'}` };
  return run(state, title, [...without(argv, flag), flag, next, DRY]);
}

/** The reason why a session is never appended to, and the command that helps; null for one that plans are written to. */
export function whyReadOnly({ foreign, header }: ExplorerState['known']['session']): string | null {
  if (foreign) return `a session of ${foreign.title} is never written to: ctx import makes one of Pi`;
  if (!isOld({ header })) return null;
  return `a session of ${versionText(header.version)} is never appended to: ctx migrate makes a new one`;
}

/** The reason why there is no plan to write, and the keys that may make one. */
function refusal(size: ReturnType<typeof sizeOf>): string {
  const keys = { keep: 'press - to keep less', prune: 'press + to prune more' };
  return `there is nothing to write${size === null ? '' : `: ${keys[size]}`}`;
}

function nextKept(argv: readonly string[], key: '+' | '-'): string {
  const tokens = Number(valueOf(argv, KEEP) ?? KEPT);
  return String(Math.max(LEAST_KEPT, Math.round(key === '+' ? tokens * 2 : tokens / 2)));
}

/** The zone of the policy that prunes more or less than that of a plan, which the plan names; null if there is none. */
function nextZone({ content }: ExplorerPage, key: '+' | '-'): string | null {
  const text = 'lines' in content ? content.lines.map(joined).join('\n') : '';
  const at = ZONES.findIndex((zone) => zone === /^(?:nothing to prune in|prune)\s+zone\s+(\w+)/m.exec(text)?.[1]);
  return ZONES[at + (key === '+' ? 1 : -1)] ?? null;
}

function valueOf(argv: readonly string[], flag: string): string | undefined {
  return argv.includes(flag) ? argv[argv.indexOf(flag) + 1] : undefined;
}

/** A command line without a flag, its value and the dry run. */
function without(argv: readonly string[], flag: string): readonly string[] {
  const at = argv.indexOf(flag);
  return argv.filter((word, place) => word !== DRY && (at < 0 || (place !== at && place !== at + 1)));
}

/** Handles the answer to the question whether a plan is to be written. */
export function onAnswer(before: ExplorerState, key: string): ExplorerState {
  const state = { ...before, question: null };
  const argv = before.question ?? [];
  if (key === 'y') return run(state, (state.page?.title ?? '').replace(' (dry run)', ''), argv);
  if (key === 'q') return withEffect(state, { kind: 'quit', say: commandLine(argv) });
  return { ...state, notice: 'nothing was written' };
}

/** Plans to undo the selected change, or the latest one before it. */
export function planUndo(state: ExplorerState): ExplorerState {
  const { known } = state;
  const { heads } = known.session.tree;
  const path = pathOfEntry(known, selected(state));
  const above = path.subarray(0, path.indexOf(selected(state)) + 1);
  const change = above.findLast((index) => CHANGES_CONTEXT.has(heads.typeAt(index)));
  const revision = change === undefined ? null : revisionOf(known, change);
  if (revision === null)
    return { ...state, notice: 'no compaction, transform or edit at or before this entry: select one' };
  return run(state, 'Undo (dry run)', ['revert', known.session.file, revision, DRY]);
}

/** Runs a command and shows its output on a page, from the line that names `entry` on if there is one. */
export function run(state: ExplorerState, title: string, argv: readonly string[], entry?: number): ExplorerState {
  const page = pageOf({ title, argv, content: { lines: [] }, isRunning: true, entry });
  return withEffect({ ...state, page }, { kind: 'run', argv });
}

/** The revision that names an entry on a command line; null if it has no id. */
export function revisionOf({ session }: SessionIndex, index: number): string | null {
  return idText(session.tree.heads.at(index)?.id);
}

/** The arguments for a revision, with `--` before an id that looks like a flag. */
export function revisionArgs(revision: string): readonly string[] {
  return revision.startsWith('-') ? ['--', revision] : [revision];
}

/** The command line that prints the current view, without `ctx`. */
export function argvOf(state: ExplorerState): readonly string[] {
  const { known, page, focus, tab, listing, filter, shown } = state;
  const { file } = known.session;
  if (page) return page.argv ?? ['explore', file];
  const at = revisionOf(known, focus === 'envelope' && shown ? shown.index : selected(state));
  if (focus === 'envelope') return ['show', file, ...(at === null ? [] : ['--at', at]), '--part', tab];
  if (listing === 'log') return ['log', file, ...(at === null ? [] : revisionArgs(at))];
  return ['tree', file, ...(filter === 'default' ? [] : ['--filter', filter])];
}

/** The command line whose output `o` opens in the pager: the selected item in full. */
export function pagerArgv(state: ExplorerState): readonly string[] {
  const { page, focus, known } = state;
  const argv = argvOf(state);
  if (page || focus === 'envelope') return argv[0] === 'show' ? [...argv, '--full'] : argv;
  const at = revisionOf(known, selected(state));
  return at === null ? argv : ['cat', known.session.file, ...revisionArgs(at)];
}

export function commandLine(argv: readonly string[]): string {
  return ['ctx', ...argv].map(shellWord).join(' ');
}
