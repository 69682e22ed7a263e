// Lets the Ink of the bundle remember the texts that it has measured. Ink keeps the widths of all texts for ever, and
// inspects each character of every line at each frame, though a key changes few lines.
import { readFile } from 'node:fs/promises';

/** Values by their keys; those that were not used for a while are forgotten. */
export class Recent {
  constructor(most) {
    this.most = most;
    this.newer = new Map();
    this.older = new Map();
  }

  get(key) {
    const value = this.newer.get(key) ?? this.older.get(key);
    if (value !== undefined && !this.newer.has(key)) this.set(key, value);
    return value;
  }

  set(key, value) {
    if (this.newer.size >= this.most) [this.older, this.newer] = [this.newer, new Map()];
    this.newer.set(key, value);
  }
}

/** The replacements in the files of Ink. A screen has fewer lines than the memories hold. */
const CHANGES = {
  'measure-text.js': [['const cache = new Map()', 'const cache = new Recent(1000)']],
  'render-node-to-output.js': [
    ["import widestLine from 'widest-line'", "import measureText from './measure-text.js'"],
    ['widestLine(text)', 'measureText(text).width'],
  ],
  'output.js': [
    ['widths = new Map()', 'widths = new Recent(1000)'],
    ['blockWidths = new Map()', 'blockWidths = new Recent(1000)'],
    ['styledChars = new Map()', 'styledChars = new Recent(250)'],
    ['caches = new OutputCaches()', 'static caches = new OutputCaches(); caches = Output.caches'],
  ],
};

/** The plugin of esbuild. Throws if Ink has changed. */
export function inkMemory() {
  const setup = ({ onLoad }) => {
    onLoad({ filter: /\/ink\/build\/(measure-text|render-node-to-output|output)\.js$/ }, async ({ path }) => {
      const changes = CHANGES[path.split('/').at(-1)];
      return { contents: changes.reduce(changed, `${Recent.toString()}\n${await readFile(path, 'utf8')}`) };
    });
  };
  return { name: 'ink-memory', setup };
}

function changed(source, [before, after]) {
  if (source.split(before).length !== 2) throw new Error(`Ink has changed: "${before}" is not there once`);
  return source.replace(before, after);
}
