import { GateTally } from '#change/prune/gate/document.js';
import { type GateRules, gateSession } from '#change/prune/gate/gate.js';
import type { GateRecording } from '#change/prune/turn-ends.js';
import type { OpenSession } from '#context/open.js';
import type { KnownWindow } from '#context/size/window.js';
import type { Report } from '#ui/doc/define.js';
import { defineCommand } from '../define.js';
import { toggle } from '../flags.js';
import { policyFlags, policyFor } from '../prune/policy.js';
import { openNamed, pathAt, revisionArgument, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { neededWindow, windowAt } from '../window.js';
import { gateColumns, gateRow, gateSummaryDoc, gateTitle, isWorthALine } from './view.js';

const FLAGS = {
  at: shared.at,
  each: toggle('print a line for every turn end, also where nothing happens'),
  answers: toggle("look after each answer and its tool results, as Pi's turn_end does, and not only at ends of turns"),
  ...policyFlags,
};

export default defineCommand({
  name: 'gate',
  summary: 'Replay when a policy would have asked for pruning or compaction',
  description:
    'Follows a path from turn end to turn end, as an extension would see it, and shows where the context got into a ' +
    'worse zone of the policy, what the policy would have asked for, and how much earlier than the compactions that ' +
    'the session records. Changes nothing.',
  args: [sessionArgument, revisionArgument],
  flags: FLAGS,
  takesRedact: true,
  examples: ['ctx gate latest', 'ctx gate session.jsonl --limit 200k --each', 'ctx gate --answers --json'],
  async run(input) {
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
        every: flags.answers ? 'answer' : 'turn',
      },
    };
    const items = format === 'json' ? jsonLines(replay) : textLines(replay, flags.each ?? false);
    return { kind: 'stream', items, end: () => ({ problems: session.problems, file: session.file }) };
  },
});

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
