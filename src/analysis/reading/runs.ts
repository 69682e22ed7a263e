import type { Mark, TextRun } from './reading-block.js';

// Apart from reading-block.ts: every start loads this, and needs no schema.
/** Neighbours with the same mark become one piece. */
export function joinRuns(runs: readonly TextRun[]): TextRun[] {
  const all: TextRun[] = [];
  for (const run of runs) {
    const last = all.at(-1);
    if (typeof run === 'string' && typeof last === 'string') all[all.length - 1] = last + run;
    else if (isMarked(run) && isMarked(last) && run[0] === last[0]) all[all.length - 1] = [run[0], last[1] + run[1]];
    else if (run !== '') all.push(run);
  }
  return all;
}

function isMarked(run: TextRun | undefined): run is [Mark, string] {
  return typeof run === 'object' && run[0] !== 'link';
}
