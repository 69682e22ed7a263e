import { type ReactNode, useContext, useLayoutEffect, useRef, useState, useSyncExternalStore } from 'react';
import uPlot from 'uplot';
import { sumNumbers } from '#base/lists.js';
import { formatCount, formatShortCount } from '#base/numbers.js';
import { CONTEXT_CHANGES } from '../../palette.js';
import type { ChartData } from './chart-data.js';
import { chooseColor, readColor } from './colors.js';
import { Printing } from './disclosure.js';
import { listenTo } from './listen-to.js';
import { formatCost } from './words.js';

const HEIGHT = 260;

/** A stacked chart over the requests, with a slider for mouse, keyboard and screen readers. */
export function Chart({ data }: { data: ChartData }): ReactNode {
  const { title, description, layers } = data;
  const length = layers[0]?.values.length ?? 0;
  const [selected, setSelected] = useState(length);
  const [pointed, setPointed] = useState<number | null>(null);
  const [plot, canvas] = usePlot({ data, length, onPoint: setPointed });
  const slide = (at: number): void => {
    setSelected(at);
    plot.current?.setCursor({ left: plot.current.valToPos(at + 0.5, 'x'), top: 0 }, false);
  };
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <div className="chart" role="img" aria-label={description} ref={canvas} />
      <label className="slider">
        <span>{data.unit}</span>
        <input
          type="range"
          min={1}
          max={length}
          step={1}
          value={selected}
          onInput={({ currentTarget }) => slide(Number(currentTarget.value))}
        />
      </label>
      {length > 0 && <Readout data={data} at={pointed ?? selected} />}
    </figure>
  );
}

interface PlotSource {
  readonly data: ChartData;
  /** The number of positions. */
  readonly length: number;
  readonly onPoint: (at: number | null) => void;
}

/** Draws the chart into an element, and again when its width, the data or the colours change. */
function usePlot({ data, length, onPoint }: PlotSource) {
  const canvas = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const isPrinting = useContext(Printing);
  const isDark = useDark();
  useLayoutEffect(() => {
    const element = canvas.current;
    if (element === null || length === 0) return undefined;
    const draw = (): void => {
      const width = element.clientWidth;
      if (width === 0 || width === plot.current?.width) return;
      if (plot.current) plot.current.setSize({ width, height: HEIGHT });
      else
        plot.current = new uPlot(buildSettings({ data, length, onPoint }, width), stackLayers(data, length), element);
    };
    draw();
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [data, length, onPoint, isPrinting, isDark]);
  return [plot, canvas] as const;
}

/** The values at a position, each beside its colour, and the signs of the changes. */
function Readout({ data, at }: { data: ChartData; at: number }): ReactNode {
  const { layers, changes, place, format = formatCount } = data;
  const { name, note, link, isEstimated } = place(at);
  const values = layers.map(({ values: all }) => all[at - 1] ?? 0);
  const signs = Object.entries(CONTEXT_CHANGES).filter(([sign]) => changes.some(({ kind }) => kind === sign));
  return (
    <output className="keys">
      <a href={link}>{name}</a>
      <span>
        Total <b>{`${isEstimated ? '~' : ''}${format(sumNumbers(values))}`}</b>
      </span>
      {layers.map(({ title, color }, layer) => (
        <span key={color} className="key" style={chooseColor(color)}>
          {title} <b>{format(values[layer] ?? 0)}</b>
        </span>
      ))}
      {signs.map(([color, { title }]) => (
        <span key={color} className="key" style={chooseColor(color)}>{`▼ ${title}`}</span>
      ))}
      <span>{note}</span>
    </output>
  );
}

const DARK = matchMedia('(prefers-color-scheme: dark)');

/** Whether the page is dark. */
function useDark(): boolean {
  return useSyncExternalStore(
    (onChange) => listenTo(DARK, ['change'], onChange),
    () => DARK.matches,
  );
}

/** The sums, highest first, so that each layer covers its part of the one drawn before. */
function stackLayers({ layers }: ChartData, length: number): uPlot.AlignedData {
  // The last step needs an end position.
  const sums = Array.from({ length: length + 1 }, () => 0);
  const columns = layers.map(({ values }) =>
    sums.map((sum, at) => (sums[at] = sum + (values[Math.min(at, length - 1)] ?? 0))),
  );
  return [sums.map((_, at) => at + 1), ...columns.toReversed()];
}

const FONT = '11px system-ui, sans-serif';

function buildSettings(plotted: PlotSource, width: number): uPlot.Options {
  const { data, length } = plotted;
  const line = { stroke: readColor('quiet'), grid: { stroke: readColor('line'), width: 1 }, ticks: { show: false } };
  const { stepped } = uPlot.paths;
  const shape = stepped ? { paths: stepped({ align: 1 }) } : {};
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: true, y: false } },
    scales: { x: { time: false }, y: { range: (_, __, most) => [0, (most || 1) * 1.06] } },
    axes: [
      {
        ...line,
        grid: { show: false },
        font: FONT,
        size: 30,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000],
        splits: (_, __, least, most, increment) => listMiddles(least, Math.min(length, most), increment),
        values: (_, splits) => splits.map((value) => data.tick(Math.floor(value))),
      },
      {
        ...line,
        font: FONT,
        size: 54,
        values: (_, splits) => splits.map(data.format === formatCost ? formatCost : formatShortCount),
      },
    ],
    series: [
      {},
      ...data.layers.toReversed().map(({ title, color }) => {
        return { label: title, width: 0, fill: readColor(color), points: { show: false }, ...shape };
      }),
    ],
    hooks: {
      draw: [(plot) => drawMarks(plot, data)],
      setCursor: [(plot) => followPointer(plot, plotted)],
      ready: [(plot) => listen(plot, plotted)],
    },
  };
}

/** The middles of the bars to label. A bar reaches from its number to the next one. */
function listMiddles(least: number, most: number, increment: number): number[] {
  const first = Math.ceil(Math.max(1, Math.floor(least)) / increment);
  const length = Math.max(0, Math.floor(most / increment) - first + 1);
  return Array.from({ length }, (_, at) => (first + at) * increment + 0.5);
}

function drawMarks({ ctx, bbox, valToPos }: uPlot, { changes }: ChartData): void {
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const { request, kind } of changes) {
    const x = Math.round(valToPos(request + 1, 'x', true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.strokeStyle = ctx.fillStyle = readColor(kind);
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

function findPosition(plot: uPlot, left: number, length: number): number {
  return Math.max(1, Math.min(length, Math.floor(plot.posToVal(left, 'x'))));
}

function followPointer(plot: uPlot, { onPoint, length }: PlotSource): void {
  const { left } = plot.cursor;
  if (left !== undefined && left >= 0) onPoint(findPosition(plot, left, length));
}

function listen(plot: uPlot, { data, onPoint, length }: PlotSource): void {
  let pressed = 0;
  plot.over.addEventListener('mousedown', ({ clientX }) => (pressed = clientX));
  plot.over.addEventListener('click', ({ clientX }) => {
    // Dragging zooms, so it is not a click.
    if (Math.abs(clientX - pressed) > 3) return;
    location.href = data.place(findPosition(plot, plot.cursor.left ?? 0, length)).link;
  });
  plot.over.addEventListener('mouseleave', () => onPoint(null));
}
