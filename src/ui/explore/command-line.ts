import type { SessionIndex } from '#analysis/listing/session-index.js';
import { toShellWord } from '#base/shell.js';
import { formatId } from '#session/heads/head.js';
import { addEffect, buildExplorerPage, type ExplorerState, findSelectedEntry } from './state.js';

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
export function findRevision({ session }: SessionIndex, index: number): string | null {
  return formatId(session.tree.heads.at(index)?.id);
}

/** The arguments for a revision, with `--` before an id that looks like a flag. */
function buildRevisionArgs(revision: string): readonly string[] {
  return revision.startsWith('-') ? ['--', revision] : [revision];
}

/** The arguments that name an entry of the session before them; none if it has no id. */
export function buildEntryArgs(sessionIndex: SessionIndex, index: number): readonly string[] {
  const revision = findRevision(sessionIndex, index);
  if (revision === null) return [];
  return revision.startsWith('-') ? ['--at', revision] : [revision];
}

/** The command line that prints an entry in full; null if it has no id. */
export function buildCatArgv(sessionIndex: SessionIndex, index: number): readonly string[] | null {
  const at = findRevision(sessionIndex, index);
  return at === null ? null : ['cat', sessionIndex.session.file, ...buildRevisionArgs(at)];
}

/** The command line that prints the current view, without `ctx`. */
export function buildViewArgv(state: ExplorerState): readonly string[] {
  const { sessionIndex, page, focus, tab, listing, filter, shown } = state;
  const { file } = sessionIndex.session;
  if (page) return page.argv ?? ['explore', file];
  const index = focus === 'envelope' && shown ? shown.index : findSelectedEntry(state);
  if (focus === 'envelope') return ['show', file, ...buildEntryArgs(sessionIndex, index), '--part', tab];
  if (listing === 'log') return ['log', ...(buildCatArgv(sessionIndex, index)?.slice(1) ?? [file])];
  return filter === 'default' ? ['tree', file] : ['tree', file, '--filter', filter];
}

/** The command line whose output `o` opens in the pager: the selected item in full. */
export function buildPagerArgv(state: ExplorerState): readonly string[] {
  const { page, focus, sessionIndex } = state;
  const argv = buildViewArgv(state);
  if (page || focus === 'envelope') return argv[0] === 'show' ? [...argv, '--full'] : argv;
  return buildCatArgv(sessionIndex, findSelectedEntry(state)) ?? argv;
}

export function formatCommand(argv: readonly string[]): string {
  return ['ctx', ...argv].map(toShellWord).join(' ');
}
