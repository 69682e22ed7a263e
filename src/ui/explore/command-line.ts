import type { SessionIndex } from '#analysis/listing/session-index.js';
import { shellWord } from '#base/visible.js';
import { idText } from '#session/table/head.js';
import { type ExplorerState, selected } from './state.js';

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
