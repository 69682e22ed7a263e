/** The number of lanes that are drawn side by side; further ones share one more, drawn as `…`. */
const MOST_LANES = 12;
const BEYOND = MOST_LANES;
const NOWHERE = -1;

/** The branches of a list of entries as lanes. */
export interface Lanes {
  /** The width of the widest row in cells. */
  readonly cells: number;
  /** The marks next to the entry at a place of the list. */
  drawn(at: number, isActive: boolean): string;
}

/**
 * Draws the branches of a list of entries: `●` is an active entry, `○` one of another branch, and `├─` a branch that
 * leaves a fork. A fork keeps its lane while children follow, and the last one inherits it; a branch that ends frees
 * its lane. `parents` contains the index of each entry's parent in the list; a later index counts as none.
 */
export function drawLanes(parents: Int32Array): Lanes {
  const { lanes, forks, open } = layOutLanes(parents);
  let last = { key: NOWHERE, text: '' };
  return {
    cells: measureWidth(lanes, forks, open) * 2 + 1,
    drawn(at, isActive) {
      const lane = lanes[at] ?? 0;
      const fork = forks[at] ?? NOWHERE;
      const isOpen = open[at] ?? 0;
      const key = isOpen | (lane << 13) | ((fork + 1) << 17) | (isActive ? 1 << 21 : 0);
      // Consecutive rows are mostly alike.
      if (key !== last.key) last = { key, text: drawRow({ isOpen, lane, fork }, isActive ? '●' : '○') };
      return last.text;
    },
  };
}

/** An entry among the lanes: the open lanes as bits, its own lane, and the lane that it leaves, if that continues. */
interface LaneRow {
  readonly isOpen: number;
  readonly lane: number;
  readonly fork: number;
}

interface LaneRows {
  readonly open: Uint16Array;
  readonly lanes: Uint8Array;
  readonly forks: Int8Array;
}

function layOutLanes(parents: Int32Array): LaneRows {
  const { length } = parents;
  const toCome = countChildren(parents);
  const lanes = new Uint8Array(length);
  const forks = new Int8Array(length);
  const open = new Uint16Array(length);
  let isOpen = 0;
  let openBeyond = 0;
  for (let at = 0; at < length; at += 1) {
    const parent = findEarlierParent(parents, at);
    const left = parent === NOWHERE ? 0 : (toCome[parent] = (toCome[parent] ?? 0) - 1);
    const from = parent === NOWHERE ? NOWHERE : (lanes[parent] ?? 0);
    const takesOver = from !== NOWHERE && from !== BEYOND && left === 0;
    const lane = takesOver ? from : findFreeLane(isOpen);
    lanes[at] = lane;
    forks[at] = lane === from ? NOWHERE : from;
    open[at] = isOpen;
    if (from === BEYOND && left === 0) openBeyond -= 1;
    const goesOn = (toCome[at] ?? 0) > 0;
    if (lane === BEYOND && goesOn) openBeyond += 1;
    if (lane !== BEYOND) isOpen = setLane(isOpen, lane, goesOn);
    isOpen = setLane(isOpen, BEYOND, openBeyond > 0);
  }
  return { lanes, forks, open };
}

function countChildren(parents: Int32Array): Uint32Array {
  const children = new Uint32Array(parents.length);
  for (let at = 0; at < parents.length; at += 1) {
    const parent = findEarlierParent(parents, at);
    if (parent !== NOWHERE) children[parent] = (children[parent] ?? 0) + 1;
  }
  return children;
}

/** A later parent, as in damaged files, cannot be drawn. */
function findEarlierParent(parents: Int32Array, at: number): number {
  const parent = parents[at] ?? NOWHERE;
  return parent < at ? parent : NOWHERE;
}

function setLane(isOpen: number, lane: number, goesOn: boolean): number {
  return goesOn ? isOpen | (1 << lane) : isOpen & ~(1 << lane);
}

/** The first lane that is not open; all lanes beyond the limit are one. */
function findFreeLane(isOpen: number): number {
  let lane = 0;
  while (lane < BEYOND && (isOpen >> lane) & 1) lane += 1;
  return lane;
}

function measureWidth(lanes: Uint8Array, forks: Int8Array, open: Uint16Array): number {
  let last = 0;
  for (let at = 0; at < lanes.length; at += 1)
    last = Math.max(last, findLastLane({ isOpen: open[at] ?? 0, lane: lanes[at] ?? 0, fork: forks[at] ?? NOWHERE }));
  return last;
}

function findLastLane({ isOpen, lane, fork }: LaneRow): number {
  return Math.max(31 - Math.clz32(isOpen), lane, fork);
}

function drawRow(step: LaneRow, sign: string): string {
  const { lane, fork } = step;
  const last = findLastLane(step);
  const [start, end] = fork === NOWHERE ? [lane, lane] : [Math.min(lane, fork), Math.max(lane, fork)];
  let text = '';
  for (let at = 0; at <= last; at += 1) {
    text += at === lane ? sign : chooseSign(step, at, at > start && at < end);
    if (at < last) text += at >= start && at < end ? '─' : ' ';
  }
  return text;
}

/** The mark in a lane next to that of the entry. */
function chooseSign({ isOpen, lane, fork }: LaneRow, at: number, isCrossed: boolean): string {
  if (at === BEYOND) return '…';
  if (at === fork) return fork < lane ? '├' : '┤';
  const isLane = (isOpen >> at) & 1;
  if (isCrossed) return isLane ? '┼' : '─';
  return isLane ? '│' : ' ';
}
