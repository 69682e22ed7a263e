import { CtxError } from '#base/errors.js';
import { AGENTS } from '#session/agents/index.js';
import { defineCommand } from '../define.js';
import { choiceFlag, toggleFlag } from '../flags.js';
import { openNamedSession, sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import { findTarget, TARGETS } from './targets.js';
import { convertToAgent } from './to-agent.js';
import { convertToPi } from './to-pi.js';
import { convertToTrajectory } from './to-trajectory.js';

const FLAGS = {
  to: {
    ...choiceFlag(
      'AGENT',
      TARGETS,
      'the agent that goes on with the session (default: pi); atif: a trajectory for other programs',
    ),
    findChoice: findTarget,
  },
  output: { ...shared.newSession, requiredUnless: ['dry-run', 'install'] },
  install: {
    ...toggleFlag('put the new session where that agent looks for its sessions; never replaces a file'),
    excludes: ['output'],
  },
  'dry-run': shared.dryRun,
  force: shared.force,
};

export default defineCommand({
  name: 'convert',
  summary: "Hand a session over: write it as another agent's",
  description:
    'Reads a session of any agent that ctx knows, and writes a new one that Pi, Claude Code or Codex opens. A ' +
    'session of Pi has every branch and the same messages at every entry; one of another agent has the messages of ' +
    'the context. The prompt and the tools are those of the new agent. Prints what does not carry over. The exit ' +
    'code is 1 if a damaged line was left out.',
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx convert latest:codex --to claude-code --install',
    'ctx convert session.jsonl --to codex --dry-run',
    'ctx convert ~/.claude/projects/-work-app/0b1c2d3e.jsonl -o converted.jsonl',
  ],
  async run(input) {
    const { io, flags, args } = input;
    const session = await openNamedSession(input, args[0]);
    const { agent, file } = session;
    const { to = 'pi' } = flags;
    if (to === 'atif' && agent?.name !== to) return convertToTrajectory(io, flags, session);
    const place = { ...flags, configuredLimit: input.configuredLimit };
    const format = AGENTS.find(({ name }) => name === to);
    if (format && agent?.name !== to) return convertToAgent(io, place, session, format);
    if (!format && agent) return convertToPi(io, place, session, agent);
    throw new CtxError('input', `this is a session of ${agent?.title ?? 'Pi'} already`, {
      where: file,
      hint: 'name another agent with --to, or copy the file',
    });
  },
});
