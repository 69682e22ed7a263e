import * as z from 'zod/mini';
import { pluralize } from '#base/numbers.js';
import { defineRule, type Hit } from '../define.js';
import { HEADER, QUESTION } from '../example.js';
import { describeGoingOn, type GoingOn, goingOnDocument } from './going-on.js';

const options = z.strictObject({ verdict: z.optional(goingOnDocument) });

const FAULT: GoingOn = {
  agent: 'Claude Code 2.1.332',
  goesOn: false,
  why: 'the image has 9,000 x 3 pixels, and no side may have more than 8,000',
  rule: 'unsupported-image',
  entryId: 'u1',
  line: 2,
  others: 0,
  command: 'ctx repair session.jsonl --install',
};

export default defineRule({
  name: 'cannot-go-on',
  severity: 'error',
  summary: 'Claude Code or Codex cannot go on with the session',
  help:
    'Every further prompt fails, as it was tried with the version of the agent that wrote the session. The cause is ' +
    'the first fault that this version does not get over, or a context above the window. `ctx doctor` gives the same ' +
    'verdict, and `ctx repair` or `ctx prune` writes a copy that goes on. Other rules report the fault itself, some ' +
    'as a warning, since other versions get over it.',
  options,
  optionsFrom: 'ctx check',
  example: { fires: [HEADER, QUESTION], silent: [HEADER], options: { verdict: FAULT } },
  looksAt: 'session',
  find({ tree }, { verdict }): readonly Hit[] {
    if (!verdict || verdict.goesOn || tree.heads.length === 0) return [];
    const { entryId, line, others, command } = verdict;
    const more = others === 0 ? '' : `, and ${pluralize(others, 'more fault')}`;
    return [
      {
        message: `${describeGoingOn(verdict)}${more}`,
        at: line === null ? undefined : { line, id: entryId ?? undefined },
        fix: command ?? undefined,
      },
    ];
  },
});
