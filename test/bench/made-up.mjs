// Made-up words, texts and pictures for the sessions of the benches; a seed gives the same ones on any machine.

class Random {
  constructor(seed) {
    this.state = seed;
  }
  /** Mulberry32: from 0 up to, but not including, 1. */
  next() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), 61 | bits);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }
  whole(from, to) {
    return from + Math.floor(this.next() * (to - from + 1));
  }
  chance(share) {
    return this.next() < share;
  }
  pick(list) {
    return list[this.whole(0, list.length - 1)];
  }
  /** Half of the results lie below `median`, and a few far above: texts of real sessions are like that. */
  around(median) {
    return Math.ceil(median * Math.exp(1.8 * (this.next() + this.next() + this.next() - 1.5)));
  }
  hex(length) {
    return Array.from({ length }, () => this.whole(0, 15).toString(16)).join('');
  }
}

// Texts are cut out of these pools, because to make up every word of a gigabyte takes minutes. A ~ is a word.
const ASCII = 'forecast city wind rain cloud hour day cache station reading parse format render fetch store'.split(' ');
const FOREIGN = [...ASCII, ...'Zürich 東京 São_Paulo → — ✓ “ok” 🌧️ °C Łódź'.split(' ')];
const LINES = {
  prose: [
    'The ~ of the ~ comes from the ~, and the ~ before it is not a ~ but a "~" of the ~.',
    '- **~**: read the ~ again, then the "~" of the ~',
    '## Why the ~ has no ~',
    'I change the ~ first. A test for "~" fails without it, so the ~ was wrong from the start.',
  ],
  code: [
    '  const ~ = await ~(~, "~", { ~: ~.~ });',
    '\tif (~.~ === "~") {',
    '\t\treturn { ~: `${~}`, ~: "~", ~: ~(~.~) };',
    '\t}',
    '  // The ~ of a ~ is never a ~.',
    'import { ~, ~ } from "./~.js";',
  ],
  output: [
    'src/~/~.js:118:\tconst ~ = ~("~", "~");',
    '-rw-r--r--  1 ada  staff  20418 Mar  2 09:14 src/~/~-~.js',
    '    at ~ (/home/ada/weather/src/~/~.js:31:7)',
    ' M src/~/~.js',
    '\t"~": { "~": 17, "~": "~" },',
  ],
};
const PRICES = { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 };
const POOL = 1 << 19;
const random = new Random(0);
const fill = (kind, words) => {
  const lines = [];
  for (let length = 0; length < POOL; length += lines.at(-1).length + 1) {
    lines.push(random.pick(LINES[kind]).replaceAll('~', () => random.pick(words)));
  }
  return lines.join('\n');
};
const pools = Object.fromEntries(
  Object.keys(LINES).map((kind) => [kind, { ascii: fill(kind, ASCII), foreign: fill(kind, FOREIGN) }]),
);
const base64 = Buffer.from(Uint8Array.from({ length: 600e3 }, () => random.whole(0, 255))).toString('base64');

/** Everything in a session that could as well be different. */
export class MadeUp extends Random {
  /** `script` is ascii or foreign. */
  text(kind, script, median) {
    const pool = pools[kind][script];
    const length = this.around(median);
    const start = this.whole(0, pool.length - length);
    // A cut may go through a surrogate pair.
    return pool.slice(start, start + length).toWellFormed();
  }

  base64(length) {
    const start = this.whole(0, (base64.length - length) / 4) * 4;
    return base64.slice(start, start + length);
  }

  image() {
    const data = `iVBORw0KGgoAAAANSUhEUgAA${this.base64(this.whole(25e3, 100e3) * 4)}`;
    return { type: 'image', data, mimeType: 'image/png' };
  }

  word() {
    return this.pick(ASCII);
  }

  path() {
    return `src/${this.word()}/${this.word()}.js`;
  }

  paths(most) {
    return Array.from({ length: this.whole(1, most) }, () => this.path());
  }

  usage() {
    const [input, output] = [this.whole(3, 4000), this.whole(20, 3000)];
    const [cacheRead, cacheWrite] = [this.whole(1000, 150_000), this.whole(0, 6000)];
    const tokens = { input, output, cacheRead, cacheWrite };
    const costs = Object.entries(tokens).map(([name, count]) => [name, (count * PRICES[name]) / 1e6]);
    const sum = (entries) => entries.reduce((total, [, value]) => total + value, 0);
    const cost = { ...Object.fromEntries(costs), total: sum(costs) };
    return { ...tokens, totalTokens: sum(Object.entries(tokens)), cost };
  }
}
