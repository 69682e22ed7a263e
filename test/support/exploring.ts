import { readFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { renderToString } from 'ink';
import { createElement } from 'react';
import { buildSessionIndex, findPathThrough } from '#analysis/listing/session-index.js';
import { findAssumedWindow } from '#context/models/registry.js';
import { openSession, type OpenSession } from '#context/open.js';
import { buildOverview } from '#context/replay/build-envelope.js';
import { loadRuler } from '#ui/doc/ruler.js';
import { plainStyle } from '#ui/doc/style.js';
import type { Effect } from '#ui/explore/effect.js';
import type { ExplorerIo, PrintedOutput } from '#ui/explore/explorer-io.js';
import { onKey } from '#ui/explore/on-key.js';
import { buildFirstState, type ExplorerState, findSelectedEntry } from '#ui/explore/state.js';
import { showEnvelope } from '#ui/explore/update.js';
import { readView, type ScreenView } from '#ui/explore/view.js';
import { Screen } from '../../src/ui/explore/ink/screen.js';
import { projectFolder } from './files.js';
import { memoryFiles } from './memory-io.js';

export const ruler = await loadRuler(['一'], true);
export const look = { ruler, style: plainStyle };

/** A session of text, or the fixture of a name. */
export async function sessionIn(text: string, file = 'session.jsonl'): Promise<OpenSession> {
  return openSession(file, memoryFiles({ [file]: text }));
}

export function fixture(name: string): Promise<OpenSession> {
  const file = `fixtures/${name}`;
  return sessionIn(readFileSync(path.join(projectFolder, file), 'utf8'), file);
}

/** A screen on which everything that can be read was read. */
export function stateOf(session: OpenSession, columns = 80, rows = 24): ExplorerState {
  const known = buildSessionIndex(session, () => 0);
  for (const _ of known.filtering.read());
  return buildFirstState(known, { size: { columns, rows }, look, window: { assumedWindow: findAssumedWindow } });
}

/** What keys make of a state, and all that they ask for. */
export function press(
  state: ExplorerState,
  ...keys: readonly string[]
): { readonly state: ExplorerState; readonly effects: readonly Effect[] } {
  return after(state, ...keys.map((key) => (before: ExplorerState) => onKey(before, key)));
}

/** What changes make of a state, and all that they ask for. */
export function after(
  before: ExplorerState,
  ...changes: readonly ((state: ExplorerState) => ExplorerState)[]
): { readonly state: ExplorerState; readonly effects: readonly Effect[] } {
  const state = changes.reduce((each, change) => change(each), before);
  return { state: { ...state, effects: [] }, effects: state.effects };
}

/** The state with the envelope of the selected entry, and with the usage and the cache breaks along its path. */
export function withEnvelope(state: ExplorerState): ExplorerState {
  const { sessionIndex } = state;
  const index = findSelectedEntry(state);
  const { session } = sessionIndex;
  const entries = findPathThrough(sessionIndex, index);
  for (const _ of sessionIndex.requests.read(entries));
  for (const _ of sessionIndex.requests.compare(entries));
  const overview = buildOverview(session, session.tree.heads.at(index) ?? null, state.window);
  return showEnvelope(state, { kind: 'ready', index, overview });
}

export function textOf(state: ExplorerState): string {
  return textOfView(readView(state));
}

/** A screen as it is read, without its colours. */
export function textOfView(view: ScreenView): string {
  return stripVTControlCharacters(rendered(view))
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A screen as a terminal receives it, without colours but with the bar of the cursor. */
export function rendered(view: ScreenView): string {
  return renderToString(createElement(Screen, { view }), { columns: view.state.size.columns });
}

/** An edge whose time passes when somebody says so. */
export class FakeEdge implements ExplorerIo {
  time = 0;
  copied: string[] = [];
  runs: {
    readonly argv: readonly string[];
    readonly signal: AbortSignal;
    print(text: string, isOk?: boolean): void;
  }[] = [];
  private waiting: { readonly at: number; readonly call: () => void }[] = [];

  now = (): number => this.time;

  soon = (call: () => void): (() => void) => this.later(0, call);

  later = (milliseconds: number, call: () => void): (() => void) => {
    const entry = { at: this.time + milliseconds, call };
    this.waiting.push(entry);
    return () => void (this.waiting = this.waiting.filter((each) => each !== entry));
  };

  run = (argv: readonly string[], _columns: number, signal: AbortSignal): Promise<PrintedOutput> =>
    new Promise((resolve) => {
      this.runs.push({ argv, signal, print: (text, isOk = true) => resolve({ text, isOk }) });
    });

  mouse: boolean[] = [];

  reportMouse = (isOn: boolean): void => void this.mouse.push(isOn);

  copy = (text: string): boolean => this.copied.push(text) > 0;

  /** Lets time pass, and everything happen that was to. */
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.waiting.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.waiting = this.waiting.filter((each) => each !== next);
      this.time = Math.max(this.time, next.at);
      next.call();
    }
    this.time = end;
  }
}
