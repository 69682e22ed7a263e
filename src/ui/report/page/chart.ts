import uPlot from 'uplot';
import { colorOf } from './colors.js';
import { count, el, fill, shortCount } from './dom.js';
import type { Store } from './store.js';

interface Layer {
  readonly title: string;
  readonly color: string;
  readonly values: readonly number[];
}

export interface ChartOptions {
  readonly title: string;
  /** The description for screen readers. */
  readonly description: string;
  /** Lowest layer first. */
  readonly layers: readonly Layer[];
  readonly marks: readonly Mark[];
  /** The name, note and link of a position. */
  readonly place: (at: number) => { readonly name: string; readonly note: string; readonly link: string };
  /** The axis label of a position. */
  readonly tick: (at: number) => string;
}

const HEIGHT = 260;

/** A stacked chart over the requests, with a slider for mouse, keyboard and screen readers. */
export class Chart {
  readonly element: HTMLElement;
  private readonly canvas = el('div', { class: 'chart' });
  private readonly readout = el('output', { class: 'readout' });
  private readonly slider: HTMLInputElement;
  private plot: uPlot | null = null;
  private readonly length: number;

  constructor(private readonly options: ChartOptions) {
    const { title, description, layers, marks } = options;
    this.length = layers[0]?.values.length ?? 0;
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', description);
    this.slider = el('input', { type: 'range', min: 1, max: this.length, step: 1, value: this.length });
    this.slider.addEventListener('input', () => this.point(Number(this.slider.value)));
    const slider = el('label', { class: 'slider' }, el('span', {}, 'Request'), this.slider);
    const keys = MARKS.filter((mark) => marks.some(({ color }) => color === mark.color));
    const legend = el(
      'ul',
      { class: 'keys legend' },
      ...layers.map(({ color, title: name }) => el('li', { class: `key ${color}` }, name)),
      ...keys.map(({ color, title: name }) => el('li', { class: `key ${color}` }, `▼ ${name}`)),
    );
    this.element = el('figure', {}, el('figcaption', {}, title), this.canvas, legend, slider, this.readout);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.fit()).observe(this.canvas);
    this.tell(this.length);
  }

  /** Redraws the chart with the current colours and width. */
  draw(): void {
    const width = this.canvas.clientWidth;
    if (width === 0 || this.length === 0) return;
    this.plot?.destroy();
    fill(this.canvas);
    this.plot = new uPlot(this.settings(width), this.stacked(), this.canvas);
  }

  private fit(): void {
    const width = this.canvas.clientWidth;
    if (this.plot === null) this.draw();
    else if (width > 0 && width !== this.plot.width) this.plot.setSize({ width, height: HEIGHT });
  }

  /** The sums, highest first, so that each layer covers its part of the one drawn before. */
  private stacked(): uPlot.AlignedData {
    const sums = Array.from({ length: this.length + 1 }, () => 0);
    const columns = this.options.layers.map(({ values }) =>
      sums.map((sum, at) => (sums[at] = sum + (values[Math.min(at, this.length - 1)] ?? 0))),
    );
    // The last step needs an end position.
    return [sums.map((_, at) => at + 1), ...columns.toReversed()];
  }

  private settings(width: number): uPlot.Options {
    const line = { stroke: colorOf('quiet'), grid: { stroke: colorOf('line'), width: 1 }, ticks: { show: false } };
    const paths = uPlot.paths.stepped?.({ align: 1 });
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(1, most) * 1.06] } },
      axes: [
        {
          ...line,
          grid: { show: false },
          font: FONT,
          size: 30,
          incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
          // A bar reaches from its number to the next one: its label is below its middle.
          splits: (_, __, least, most, increment) => this.middles(least, most, increment),
          values: (_, splits) => splits.map((value) => this.options.tick(Math.floor(value))),
        },
        { ...line, font: FONT, size: 54, values: (_, splits) => splits.map((value) => shortCount(Math.round(value))) },
      ],
      series: [
        {},
        ...this.options.layers.toReversed().map(({ title, color }) => {
          const fillOf = colorOf(color);
          return { label: title, width: 0, fill: fillOf, points: { show: false }, ...(paths && { paths }) };
        }),
      ],
      hooks: {
        draw: [(plot) => this.drawMarks(plot)],
        setCursor: [(plot) => this.follow(plot)],
        ready: [(plot) => this.listen(plot)],
      },
    };
  }

  private middles(least: number, most: number, increment: number): number[] {
    const first = Math.ceil(Math.max(1, Math.floor(least)) / increment) * increment;
    const middles: number[] = [];
    for (let at = first; at <= Math.min(this.length, most); at += increment) middles.push(at + 0.5);
    return middles;
  }

  private drawMarks({ ctx, bbox, valToPos }: uPlot): void {
    ctx.save();
    ctx.lineWidth = devicePixelRatio;
    for (const { at, color } of this.options.marks) {
      const x = Math.round(valToPos(at, 'x', true));
      if (x < bbox.left || x > bbox.left + bbox.width) continue;
      ctx.strokeStyle = ctx.fillStyle = colorOf(color);
      ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      const size = 4 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x - size, bbox.top);
      ctx.lineTo(x + size, bbox.top);
      ctx.lineTo(x, bbox.top + size * 1.6);
      ctx.fill();
    }
    ctx.restore();
  }

  private follow({ cursor, posToVal }: uPlot): void {
    if (cursor.left === undefined || cursor.left < 0) return;
    this.tell(this.within(Math.floor(posToVal(cursor.left, 'x'))));
  }

  private listen(plot: uPlot): void {
    let pressed = 0;
    plot.over.addEventListener('mousedown', ({ clientX }) => (pressed = clientX));
    plot.over.addEventListener('click', ({ clientX }) => {
      // Dragging zooms, so it is not a click.
      if (Math.abs(clientX - pressed) > 3) return;
      const at = this.within(Math.floor(plot.posToVal(plot.cursor.left ?? 0, 'x')));
      location.hash = this.options.place(at).link;
    });
    plot.over.addEventListener('mouseleave', () => this.tell(Number(this.slider.value)));
  }

  private within(at: number): number {
    return Math.max(1, Math.min(this.length, at));
  }

  private point(at: number): void {
    this.tell(at);
    const { plot } = this;
    plot?.setCursor({ left: plot.valToPos(at + 0.5, 'x'), top: 0 }, false);
  }

  private tell(at: number): void {
    if (this.length === 0) return;
    const { name, note, link } = this.options.place(at);
    const values = this.options.layers.flatMap(({ title, color, values: of }) => {
      const value = of[at - 1] ?? 0;
      return value === 0 ? [] : [el('span', { class: `key ${color}` }, `${title} `, el('b', {}, count(value)))];
    });
    const total = this.options.layers.reduce((sum, { values: of }) => sum + (of[at - 1] ?? 0), 0);
    fill(
      this.readout,
      el('a', { href: link }, name),
      el('span', {}, 'Total ', el('b', {}, count(total))),
      ...values,
      note,
    );
  }
}

const FONT = '11px system-ui, sans-serif';

/** The marks in a chart, by colour. */
const MARKS = [
  { color: 'compaction', title: 'Compaction' },
  { color: 'transform', title: 'Transform' },
  { color: 'edit', title: 'Edit (prune)' },
] as const;

/** A context change before a request. */
interface Mark {
  /** The position on the axis. */
  readonly at: number;
  readonly color: (typeof MARKS)[number]['color'];
}

/** An entry of the path that changed the context, with the first request after it, from 0. */
interface PageEvent {
  readonly entry: number;
  readonly kind: Mark['color'];
  readonly request: number;
}

/** The kinds by entry type. Types may have any name. */
const KINDS: ReadonlyMap<string, PageEvent['kind']> = new Map([
  ['compaction', 'compaction'],
  ['context_transform', 'transform'],
  ['context_edit', 'edit'],
]);

export function eventsOf({ data, requestOf }: Store): readonly PageEvent[] {
  const events: PageEvent[] = [];
  let request = 0;
  for (const entry of data.entries.path) {
    const answered = requestOf.get(entry);
    if (answered !== undefined) request = answered + 1;
    const kind = KINDS.get(data.words[data.entries.names[entry] ?? 0] ?? '');
    if (kind) events.push({ entry, kind, request });
  }
  return events;
}

export function titleOfEvent({ kind }: Pick<PageEvent, 'kind'>): string {
  return MARKS.find(({ color }) => color === kind)?.title ?? kind;
}

export function marksOf(events: readonly PageEvent[]): readonly Mark[] {
  return events.map(({ request, kind }) => ({ at: request + 1, color: kind }));
}
