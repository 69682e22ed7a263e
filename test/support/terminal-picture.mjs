// Draws the cells of a terminal as SVG.

const [CELL, LINE, MARGIN] = [8.4, 19, 16];

/** The palette of GitHub's own light and dark terminals: black, red, green, yellow, blue, magenta, cyan, white. */
export const THEMES = {
  light: {
    back: '#ffffff',
    text: '#1f2328',
    faint: '#59636e',
    colours: ['#24292f', '#cf222e', '#116329', '#7d4e00', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
  },
  dark: {
    back: '#0d1117',
    text: '#e6edf3',
    faint: '#8b949e',
    colours: ['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  },
};

/** The runs of the lines of a terminal's buffer. */
export function linesOf(buffer, from, to) {
  return Array.from({ length: to - from }, (_, at) => runsOf(buffer.getLine(from + at)));
}

/** The runs of cells of a line that look alike. */
function runsOf(line) {
  const runs = [];
  for (let at = 0; at < line.length; at += 1) {
    const cell = line.getCell(at);
    const look = `${cell.isFgPalette() ? cell.getFgColor() % 8 : ''} ${cell.isBold() ? 'b' : ''}${cell.isDim() ? 'd' : ''}${cell.isInverse() ? 'i' : ''}`;
    const last = runs.at(-1);
    const text = cell.getChars() || ' ';
    if (last?.look === look) last.text += text;
    else runs.push({ look, at, text });
  }
  return runs.filter(({ look, text }) => look.endsWith('i') || text.trim() !== '');
}

/** The picture of a terminal. */
export function svgOf({ lines, columns }, { back, text, faint, colours }) {
  const [width, height] = [columns * CELL + 2 * MARGIN, lines.length * LINE + 2 * MARGIN];
  const runs = lines.flatMap((line, row) =>
    line.map(({ look, at, text: content }) => {
      const [colour, style] = look.split(' ');
      const [x, y] = [(MARGIN + at * CELL).toFixed(1), MARGIN + row * LINE];
      const isInverse = style.endsWith('i');
      const words = isInverse ? content : content.trimEnd();
      const front = colour !== '' ? colours[colour] : style.includes('d') ? faint : text;
      const behind = `<rect x="${x}" y="${y}" width="${(words.length * CELL).toFixed(1)}" height="${LINE}" fill="${front}"/>`;
      const weight = style.includes('b') ? ' font-weight="600"' : '';
      const place = `x="${x}" y="${y + 14}" textLength="${(words.length * CELL).toFixed(1)}"`;
      const letters = `<text ${place} fill="${isInverse ? back : front}"${weight} xml:space="preserve">${escaped(words)}</text>`;
      return isInverse ? `${behind}\n${letters}` : letters;
    }),
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" role="img" aria-label="ctx in a terminal">
<rect width="${width}" height="${height}" rx="8" fill="${back}" stroke="${faint}" stroke-opacity="0.4"/>
${runs.join('\n')}
</svg>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
