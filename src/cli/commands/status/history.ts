import { GateTally } from '#change/prune/gate/document.js';
import { type GateRules, gateSession } from '#change/prune/gate/gate.js';
import type { GateRecording } from '#change/prune/turn-ends.js';
import type { OpenSession } from '#context/open.js';
import { windowAt } from '#context/size/size.js';
import { type KnownWindow } from '#context/size/window.js';
import type { Report } from '#ui/doc/define.js';
import type { Outcome } from '../define.js';
import { policyFor } from '../prune/policy.js';
import { openNamed, pathAt } from '../session.js';
import { neededWindow } from '../window.js';
import type { StatusInput } from './command.js';
import { gateColumns, gateRow, gateSummaryDoc, gateTitle, isWorthALine } from './history-view.js';

/** The zones and requests of the policy at the turn ends of a path. */
export async function statusHistory(input: StatusInput): Promise<Outcome> {
  const { io, args, flags, format } = input;
  const inForce = await policyFor(io, flags);
  const session = await openNamed(input, args[0]);
  const { path } = pathAt(session, flags.at);
  const window = neededWindow(windowAt(session, path, inForce.window), session.file);
  const replay: GateReplay = {
    session,
    window,
    rules: { policy: inForce.policy, limit: window.tokens },
    recording: {
      path,
      readPatch: session.readPatch,
      baseline: inForce.baseline,
      every: flags.answers ? 'answer' : inForce.policy.checkAt,
    },
  };
  const items = format === 'json' ? jsonLines(replay) : textLines(replay, flags.each ?? false);
  return { kind: 'stream', items, end: () => ({ problems: session.problems, file: session.file }) };
}

interface GateReplay {
  readonly session: OpenSession;
  readonly window: KnownWindow;
  readonly recording: GateRecording;
  readonly rules: GateRules;
}

function* jsonLines({ session, window, recording, rules }: GateReplay): Generator<Report> {
  const tally = new GateTally();
  for (const event of gateSession(session, recording, rules)) {
    tally.add(event);
    yield { data: event, doc: () => [] };
  }
  yield { data: tally.summary(session, rules.policy, window, recording.every), doc: () => [] };
}

function* textLines({ session, window, recording, rules }: GateReplay, isEach: boolean): Generator<Report> {
  yield { data: null, doc: () => gateTitle(rules, window, session.file) };
  const tally = new GateTally();
  let hasColumns = false;
  for (const event of gateSession(session, recording, rules)) {
    tally.add(event);
    if (!isEach && !isWorthALine(event)) continue;
    const columns = hasColumns ? [] : gateColumns();
    hasColumns = true;
    yield { data: null, doc: () => [...columns, gateRow(event, recording.every)] };
  }
  yield { data: null, doc: () => gateSummaryDoc(tally, recording.every) };
}
