/** Text in a box; `tone` is a class of the style sheet. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly lines: readonly string[];
  readonly tone: Tone;
}

export type Tone = 'on' | 'off' | 'change' | 'head';

/** A curve from the right of one point to the left of another, or down along a side. */
export interface Line {
  readonly from: readonly [x: number, y: number];
  readonly to: readonly [x: number, y: number];
  readonly isFaint?: boolean;
}

export interface Note {
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

const LINE_HEIGHT = 16;
const PADDING = 8;

/** Both colour schemes are in it, since nobody knows what the page around it looks like. */
const STYLE = `text{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#1f2328}
rect{stroke:#8c959f;fill:#ffffff}
.on rect{stroke:#1a7f37;fill:#dafbe1}.change rect{stroke:#9a6700;fill:#fff8c5}.head rect{stroke:#0969da;fill:#ddf4ff}
.off rect{stroke-dasharray:4 3}.off text,.note{fill:#59636e}
path{fill:none;stroke:#59636e;stroke-width:1.5}.faint{stroke-dasharray:2 4}
@media(prefers-color-scheme:dark){text{fill:#f0f6fc}rect{stroke:#656c76;fill:#151b23}.on rect{stroke:#3fb950;fill:#12261e}
.change rect{stroke:#d29922;fill:#272115}.head rect{stroke:#4493f8;fill:#121d2f}.off text,.note{fill:#9198a1}path{stroke:#9198a1}}`;

export function heightOf({ lines }: Pick<Box, 'lines'>): number {
  return lines.length * LINE_HEIGHT + 2 * PADDING;
}

/** An SVG file; `title` is what a reader is told who cannot see it. */
export function drawing(
  title: string,
  { boxes, lines = [], notes = [] }: { boxes: readonly Box[]; lines?: readonly Line[]; notes?: readonly Note[] },
): string {
  const width = Math.max(
    ...boxes.map(({ x, width: own }) => x + own),
    ...notes.map(({ x, text }) => x + text.length * 7.3),
  );
  const height = Math.max(...boxes.map((box) => box.y + heightOf(box)), ...notes.map(({ y }) => y));
  const size = `width="${Math.ceil(width) + 10}" height="${Math.ceil(height) + 10}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${escaped(title)}">`,
    `<style>${STYLE}</style>`,
    ...lines.map(path),
    ...boxes.map(group),
    ...notes.map(({ x, y, text }) => `<text class="note" x="${x}" y="${y}">${escaped(text)}</text>`),
    '</svg>\n',
  ].join('\n');
}

function path({ from: [x, y], to: [toX, toY], isFaint }: Line): string {
  const middle = (x + toX) / 2;
  const shape = `M${x} ${y}C${middle} ${y} ${middle} ${toY} ${toX} ${toY}`;
  return `<path${isFaint ? ' class="faint"' : ''} d="${shape}"/>`;
}

function group(box: Box): string {
  const rows = box.lines.map(
    (text, at) => `<text x="${box.x + PADDING}" y="${box.y + PADDING + 12 + at * LINE_HEIGHT}">${escaped(text)}</text>`,
  );
  const rect = `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${heightOf(box)}" rx="4"/>`;
  return `<g class="${box.tone}">${rect}${rows.join('')}</g>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
