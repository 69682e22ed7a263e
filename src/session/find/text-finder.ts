import { Buffer } from 'node:buffer';
import { addTo } from '#base/maps.js';
import { type ByteSource, toByteSource } from '../scan/byte-source.js';
import { TEXT_FINDER } from '../wasm/text-finder.wasm.js';
import { type Anchor, buildBitmap, parseAnchor } from './anchor.js';
import { chooseWindows, KNOWN_BYTES, listWindows, type Window } from './window.js';

/** The memory layout of the finder, shared with src/session/wasm/text-finder.as.ts. */
const ANYWHERE = 1024;
const BEFORE_RUN = 1152;
/** The bytes of one of the two tables of a window's byte. */
const HALF_BYTES = 16;
const ANCHORS = 8192;
const ANCHOR_BYTES = 64;
const MOST_ANCHORS = 800;
/** The places within an anchor. `next`: the number of the next anchor with the same window, plus 1. */
const ANCHOR = { code: 0, next: 4, length: 6, window: 7, firstStep: 8, steps: 10, beginsWord: 11, text: 16 } as const;
const STEPS = 65_536;
const STEP_BYTES = 40;
const MOST_STEPS = 1600;
/** The places within a step, after its class. */
const STEP = { least: 32, most: 34 } as const;
const HITS = 131_072;
const MOST_HITS = 8192;
const PAGE = 1 << 16;
/** The maximum distance of the beginning and the end of a string from its window. */
const BEHIND = 64;
const AHEAD = 2048;
const NOTES = HITS + MOST_HITS * 8;
const NOTES_BYTES = 1 << 15;
const INPUT = NOTES + NOTES_BYTES + BEHIND;
const CHUNK = 1 << 20;
/** A byte that is in no class, so that no match continues after the end of the text. */
const NEWLINE = 0x0a;

interface Exports {
  readonly hits: { readonly value: number };
  setUp(): void;
  addWindow(anchor: number): void;
  find(from: number, to: number): number;
}

/** The maximum of bytes in UTF-8 for one code unit of UTF-16. */
const MOST_BYTES = 3;
const encoder = new TextEncoder();

/** Called with the position of a string and its number. */
export type OnHit = (offset: number, anchor: number) => void;

/**
 * Finds many strings at once, at some gigabytes a second. Each is an anchor: three ASCII characters or more, which
 * classes may follow, `://[\w-]{1,99}:[^@]{1,99}@`. A class is greedy and does not backtrack.
 */
export class TextFinder {
  private readonly memory = new WebAssembly.Memory({ initial: Math.ceil((INPUT + CHUNK + 2 * AHEAD) / PAGE) });
  private readonly exports: Exports;
  private readonly bytes: Buffer;
  private readonly view: DataView;
  private readonly hits: Uint32Array;

  constructor(anchors: readonly string[]) {
    const module = new WebAssembly.Module(Buffer.from(TEXT_FINDER, 'base64'));
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    // The module is compiled from the source in src/session/wasm, which exports these.
    this.exports = exports as unknown as Exports;
    const { buffer } = this.memory;
    this.bytes = Buffer.from(buffer);
    this.view = new DataView(buffer);
    this.hits = new Uint32Array(buffer, HITS, MOST_HITS * 2);
    this.exports.setUp();
    this.write(anchors.map(parseAnchor));
  }

  /** Reports every string in some bytes, in the order of their windows. */
  find(source: ByteSource, start: number, end: number, onHit: OnHit): void {
    const { bytes } = this;
    bytes.fill(0, INPUT - BEHIND, INPUT);
    /** The number of bytes in memory from `at` on, which have not been searched. */
    let held = 0;
    for (let at = start; at < end;) {
      const size = Math.min(CHUNK - held, end - at - held);
      source.readInto(bytes.subarray(INPUT + held, INPUT + held + size), at + held);
      held += size;
      const isLast = at + held === end;
      if (isLast) bytes.fill(NEWLINE, INPUT + held, INPUT + held + AHEAD);
      const done = isLast ? held : held - AHEAD;
      this.findIn(done, at, onHit);
      bytes.copyWithin(INPUT - BEHIND, INPUT + done - BEHIND, INPUT + held);
      held -= done;
      at += done;
    }
  }

  /** Reports every string in a text, at positions in bytes of UTF-8, not in UTF-16 code units. */
  findInText(text: string, onHit: OnHit): void {
    const { bytes } = this;
    if (text.length * MOST_BYTES > CHUNK) {
      const all = Buffer.from(text);
      this.find(toByteSource(all), 0, all.length, onHit);
      return;
    }
    const { written } = encoder.encodeInto(text, bytes.subarray(INPUT));
    bytes.fill(0, INPUT - BEHIND, INPUT);
    bytes.fill(NEWLINE, INPUT + written, INPUT + written + AHEAD);
    this.findIn(written, 0, onHit);
  }

  private findIn(length: number, offset: number, onHit: OnHit): void {
    const { exports, hits } = this;
    for (let at = 0; at < length;) {
      at = exports.find(INPUT + at, INPUT + length) - INPUT;
      const count = exports.hits.value;
      for (let hit = 0; hit < count * 2; hit += 2) onHit(offset + (hits[hit] ?? 0) - INPUT, hits[hit + 1] ?? 0);
    }
  }

  /** Writes the tables of the finder. */
  private write(anchors: readonly Anchor[]): void {
    if (anchors.length > MOST_ANCHORS) throw new RangeError('too many strings to find');
    const firstSteps = this.writeSteps(anchors);
    const windows = this.writeHalves(anchors);
    const byCode = new Map<number, number[]>();
    for (const [number, { text, beginsWord, rest }] of anchors.entries()) {
      const window = windows[number] as Window;
      const code = toCode(window);
      const place = ANCHORS + number * ANCHOR_BYTES;
      this.view.setUint32(place + ANCHOR.code, code, true);
      this.view.setUint8(place + ANCHOR.length, text.length);
      this.view.setUint8(place + ANCHOR.window, window.at);
      this.view.setUint16(place + ANCHOR.firstStep, firstSteps.get(rest.source) ?? 0, true);
      this.view.setUint8(place + ANCHOR.steps, rest.steps.length);
      this.view.setUint8(place + ANCHOR.beginsWord, beginsWord ? 1 : 0);
      for (let at = 0; at < text.length; at += 1) this.view.setUint8(place + ANCHOR.text + at, text.charCodeAt(at));
      addTo(byCode, code, number);
    }
    for (const same of byCode.values()) this.writeWindow(same);
  }

  /** Links the anchors of one window. */
  private writeWindow(anchors: readonly number[]): void {
    for (const [at, anchor] of anchors.entries()) {
      const next = anchors[at + 1] ?? NO_ANCHOR;
      this.view.setUint16(ANCHORS + anchor * ANCHOR_BYTES + ANCHOR.next, next + 1, true);
    }
    this.exports.addWindow(anchors[0] ?? 0);
  }

  /** Writes the tables of the windows, and returns the window of each anchor. */
  private writeHalves(anchors: readonly Anchor[]): readonly Window[] {
    const anywhere: AnchorWindows[] = [];
    const beforeRun: AnchorWindows[] = [];
    for (const [number, anchor] of anchors.entries()) {
      const all = listWindows(anchor.text);
      const own = all.filter((window) => hasRunBehind(anchor, window));
      if (own.length > 0) beforeRun.push({ number, windows: own });
      else anywhere.push({ number, windows: all });
    }
    const chosen: Window[] = [];
    for (const { number, window } of this.writeTable(ANYWHERE, anywhere)) chosen[number] = window;
    for (const { number, window } of this.writeTable(BEFORE_RUN, beforeRun)) chosen[number] = window;
    return chosen;
  }

  /** Writes one table of windows, and returns the window that was chosen for each anchor. */
  private writeTable(table: number, anchors: readonly AnchorWindows[]): readonly ChosenWindow[] {
    const { windows, halves } = chooseWindows(anchors.map((anchor) => anchor.windows));
    for (const [at, { low, high }] of halves.entries()) {
      const place = table + at * 2 * HALF_BYTES;
      this.bytes.set(low, place);
      this.bytes.set(high, place + HALF_BYTES);
    }
    return anchors.map(({ number }, at) => ({ number, window: windows[at] as Window }));
  }

  /** The start of the steps of each kind of anchor. Most kinds are shared. */
  private writeSteps(anchors: readonly Anchor[]): ReadonlyMap<string, number> {
    const firstSteps = new Map<string, number>();
    let count = 0;
    for (const { rest } of anchors) {
      if (firstSteps.has(rest.source)) continue;
      firstSteps.set(rest.source, count);
      for (const { characters, least, most } of rest.steps) {
        if (count === MOST_STEPS) throw new RangeError('too many strings to find');
        const place = STEPS + count * STEP_BYTES;
        this.bytes.set(buildBitmap(characters), place);
        this.view.setUint16(place + STEP.least, least, true);
        this.view.setUint16(place + STEP.most, most, true);
        count += 1;
      }
    }
    return firstSteps;
  }
}

/** An anchor by its number, with the windows among which one is chosen. */
interface AnchorWindows {
  readonly number: number;
  readonly windows: readonly Window[];
}

interface ChosenWindow {
  readonly number: number;
  readonly window: Window;
}

const NO_ANCHOR = -1;

/** The known bytes of a window as one number. */
function toCode({ bytes: [first, second, third] }: Window): number {
  return (first ?? 0) | ((second ?? 0) << 8) | ((third ?? 0) << 16);
}

/** Whether the first bytes of a window are followed by enough letters, digits, _ and - for the fast search. */
function hasRunBehind({ text, rest }: Anchor, { at }: Window): boolean {
  const tail = text.slice(at + KNOWN_BYTES);
  return OF_WORDS.test(tail) && tail.length + rest.run >= RUN;
}

const OF_WORDS = /^[\w-]*$/;
/** The number of characters that the fast search needs: see src/session/wasm/text-finder.as.ts. */
const RUN = 20;
