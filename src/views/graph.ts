/** Lanes that are drawn side by side; all further ones share one more, which `…` stands for. */
const MOST_LANES = 12;
const BEYOND = MOST_LANES;
const NOWHERE = -1;

/**
 * The branches of a list of entries as lanes, one drawing for each entry: `●` is an active entry, `○` one of
 * another branch, and `├─` a branch that leaves a fork. A fork keeps its lane while children are to come, and the last one
 * takes it over; a branch that ends frees its lane. `parents` holds the place of each entry's parent in the list; one that
 * is no earlier place is none.
 */
export function* drawLanes(parents: Int32Array, isActive: (at: number) => boolean): Generator<string> {
  let at = 0;
  for (const step of layOut(parents)) {
    yield drawn(step, isActive(at) ? '●' : '○');
    at += 1;
  }
}

/** The cells that the widest of these drawings takes. */
export function graphWidth(parents: Int32Array): number {
  let last = 0;
  for (const step of layOut(parents)) last = Math.max(last, lastLane(step));
  return last * 2 + 1;
}

/** One entry among the lanes: what is open when it comes, where it stands, and the lane it leaves, if that goes on. */
interface Step {
  readonly isOpen: readonly boolean[];
  readonly lane: number;
  readonly fork: number;
}

/** The steps share one list of open lanes, so each is valid until the next one. */
function* layOut(parents: Int32Array): Generator<Step> {
  const toCome = childrenOf(parents);
  const laneOf = new Uint8Array(parents.length);
  const isOpen = Array.from({ length: MOST_LANES + 1 }, () => false);
  let openBeyond = 0;
  for (let at = 0; at < parents.length; at += 1) {
    const parent = earlier(parents, at);
    const left = parent === NOWHERE ? 0 : (toCome[parent] = (toCome[parent] ?? 0) - 1);
    const from = parent === NOWHERE ? NOWHERE : (laneOf[parent] ?? 0);
    const takesOver = from !== NOWHERE && from !== BEYOND && left === 0;
    const lane = takesOver ? from : freeLane(isOpen);
    yield { isOpen, lane, fork: lane === from ? NOWHERE : from };
    if (from === BEYOND && left === 0) openBeyond -= 1;
    const goesOn = (toCome[at] ?? 0) > 0;
    if (lane === BEYOND && goesOn) openBeyond += 1;
    laneOf[at] = lane;
    if (lane !== BEYOND) isOpen[lane] = goesOn;
    isOpen[BEYOND] = openBeyond > 0;
  }
}

function childrenOf(parents: Int32Array): Uint32Array {
  const children = new Uint32Array(parents.length);
  for (let at = 0; at < parents.length; at += 1) {
    const parent = earlier(parents, at);
    if (parent !== NOWHERE) children[parent] = (children[parent] ?? 0) + 1;
  }
  return children;
}

/** A parent further down, as damaged files have it, cannot be drawn. */
function earlier(parents: Int32Array, at: number): number {
  const parent = parents[at] ?? NOWHERE;
  return parent < at ? parent : NOWHERE;
}

function freeLane(isOpen: readonly boolean[]): number {
  const free = isOpen.indexOf(false);
  return free === -1 ? BEYOND : Math.min(free, BEYOND);
}

function lastLane({ isOpen, lane, fork }: Step): number {
  return Math.max(isOpen.lastIndexOf(true), lane, fork);
}

function drawn(step: Step, sign: string): string {
  const { lane, fork } = step;
  const last = lastLane(step);
  const [start, end] = fork === NOWHERE ? [lane, lane] : [Math.min(lane, fork), Math.max(lane, fork)];
  let text = '';
  for (let at = 0; at <= last; at += 1) {
    text += at === lane ? sign : signAt(step, at, at > start && at < end);
    if (at < last) text += at >= start && at < end ? '─' : ' ';
  }
  return text;
}

/** What is drawn in a lane beside that of the entry. */
function signAt({ isOpen, lane, fork }: Step, at: number, isCrossed: boolean): string {
  if (at === BEYOND) return '…';
  if (at === fork) return fork < lane ? '├' : '┤';
  if (isCrossed) return isOpen[at] ? '┼' : '─';
  return isOpen[at] ? '│' : ' ';
}
