import type { SessionReport } from '../data.js';
import { cacheView } from './cache-view.js';
import { contextView } from './context-view.js';
import { costView } from './cost-view.js';
import { diffView } from './diff-view.js';
import { el, fill, type PageView, shortened, timeText, type ViewDefinition, visibleLine } from './dom.js';
import { entriesView } from './entries-view.js';
import { envelopeView } from './envelope-view.js';
import { largestView } from './largest-view.js';
import { lossesView } from './losses-view.js';
import { overview } from './overview.js';
import { Store } from './store.js';

const VIEWS: readonly ViewDefinition[] = [
  { name: 'overview', title: 'Overview', isPrinted: true, make: overview },
  { name: 'context', title: 'Context', isPrinted: true, make: contextView },
  { name: 'entries', title: 'Entries', isPrinted: false, make: entriesView },
  { name: 'request', title: 'Envelope', isPrinted: false, make: envelopeView },
  { name: 'diff', title: 'Diff', isPrinted: false, make: diffView },
  { name: 'cache', title: 'Cache', isPrinted: true, make: cacheView },
  { name: 'compactions', title: 'Compactions', isPrinted: true, make: lossesView },
  { name: 'largest', title: 'Largest', isPrinted: true, make: largestView },
  { name: 'cost', title: 'Cost', isPrinted: true, make: costView },
];

/** Shows a session. The hash selects the view: `#cache`, `#request=3`, `#diff=3..4`, `#entry=ID`, `#line=7`. */
export function showSession(data: SessionReport): void {
  const store = new Store(data);
  const tabs = new Tabs(store);
  const note = el('p', { class: 'note', role: 'status', hidden: true });
  const show = (): void => {
    const { name, target, missing } = placeIn(store, location.hash);
    const title = tabs.show(name, target);
    note.hidden = missing === '';
    note.textContent = missing;
    document.title = `${title} · ${titleOf(data)}`;
  };
  fill(
    document.body,
    skipLink(),
    header(data, [...tabs.links.values()]),
    el('main', { id: 'main', tabindex: -1 }, note, ...tabs.sections.values()),
  );
  window.addEventListener('hashchange', show);
  print(() => tabs.printed(), show);
  show();
}

/** The views, each built when it is first shown, with their links and sections. */
class Tabs {
  readonly sections = new Map(VIEWS.map(({ name, title }) => [name, sectionOf(name, title)]));
  readonly links = new Map(VIEWS.map(({ name, title }) => [name, el('a', { href: `#${name}` }, title)]));
  private readonly views = new Map<string, PageView>();

  constructor(private readonly store: Store) {}

  /** Shows a view, or the first one if the name is unknown. Returns its title. */
  show(name: string, target: string | null): string {
    const definition = VIEWS.find((each) => each.name === name) ?? VIEWS[0];
    if (!definition) return '';
    for (const [each, section] of this.sections) section.hidden = each !== definition.name;
    for (const [each, link] of this.links)
      if (each === definition.name) link.setAttribute('aria-current', 'page');
      else link.removeAttribute('aria-current');
    const isNew = !this.views.has(definition.name);
    const view = this.viewOf(definition);
    if (target !== null || isNew) view.open?.(target);
    return definition.title;
  }

  printed(): readonly PrintedView[] {
    const printed = VIEWS.filter(({ isPrinted }) => isPrinted);
    return printed.map((definition) => [this.sections.get(definition.name), this.viewOf(definition)]);
  }

  private viewOf(definition: ViewDefinition): PageView {
    const built = this.views.get(definition.name);
    if (built) return built;
    const view = definition.make(this.store);
    this.views.set(definition.name, view);
    this.sections.get(definition.name)?.append(view.element);
    return view;
  }
}

type PrintedView = readonly [section: HTMLElement | undefined, view: PageView];

/** The title, truncated: session names may have any length. */
function titleOf({ title }: Pick<SessionReport, 'title'>): string {
  return shortened(visibleLine(title), 200);
}

function sectionOf(name: string, title: string): HTMLElement {
  return el(
    'section',
    { class: 'view', id: `view-${name}`, 'aria-labelledby': `title-${name}`, hidden: true },
    el('h2', { class: 'view-title', id: `title-${name}` }, title),
  );
}

function skipLink(): HTMLElement {
  const link = el('a', { class: 'skip', href: '#main' }, 'Skip to content');
  link.addEventListener('click', (event) => {
    event.preventDefault();
    document.getElementById('main')?.focus();
  });
  return link;
}

function header({ title, file, first, version }: SessionReport, links: readonly HTMLElement[]): HTMLElement {
  const list = links.map((link) => el('li', {}, link));
  return el(
    'header',
    { class: 'top' },
    el(
      'div',
      { class: 'title' },
      el('h1', {}, titleOf({ title })),
      el(
        'p',
        { class: 'quiet' },
        [visibleLine(file), timeText(first), `ctx ${version}`].filter((part) => part !== '').join(' · '),
      ),
    ),
    el('nav', { 'aria-label': 'Views' }, el('ul', {}, ...list)),
  );
}

interface Place {
  readonly name: string;
  readonly target: string | null;
  /** The message for a link without a target. */
  readonly missing: string;
}

function placeIn(store: Store, hash: string): Place {
  const [, name = 'overview', value] = /^#([a-z]+)(?:=(.*))?$/s.exec(hash) ?? [];
  if (name !== 'entry' && name !== 'line') return { name, target: value ?? null, missing: '' };
  const wanted = decoded(value ?? '');
  const entry = name === 'entry' ? store.find(wanted) : store.data.entries.lines.indexOf(Number(wanted));
  if (entry === null || entry === -1)
    return { name: 'entries', target: null, missing: `This session has no entry ${visibleLine(wanted)}.` };
  return { name: 'entries', target: String(entry), missing: '' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Prints the views one after the other, in the light theme. */
function print(printed: () => readonly PrintedView[], restore: () => void): void {
  const root = document.documentElement;
  window.addEventListener('beforeprint', () => {
    root.dataset['print'] = '';
    for (const [section, view] of printed()) {
      if (section) section.hidden = false;
      view.redraw?.();
    }
  });
  window.addEventListener('afterprint', () => {
    delete root.dataset['print'];
    restore();
    for (const [, view] of printed()) view.redraw?.();
  });
}
