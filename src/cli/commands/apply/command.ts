import { defineCommand } from '../define.js';
import { applyPatch } from './apply-patch.js';
import { applySavedPlan } from './apply-saved-plan.js';
import { applyFlags } from './flags.js';
import { findPlanFile } from './read-arguments.js';

export default defineCommand({
  name: 'apply',
  summary: 'Append a patch or a saved plan to a session',
  description:
    'Appends patch ops at the leaf as one context_transform entry, or the entries of a saved plan. With a revision, a ' +
    'new branch begins there. Checks every op first, then reads the file back and replays it. Existing lines never change. ' +
    'Of a session of Claude Code or Codex, it writes a copy.',
  args: [
    {
      name: 'session',
      help: 'a file, a session id or a prefix of it, or "latest"; alone, the file of a plan, or - for standard input',
    },
    { name: 'patch', help: 'a JSON file with patch ops (with --ephemeral, messages), or - for standard input' },
    { name: 'rev', help: 'the entry to append after, on a new branch (default: the leaf)', isRevision: true },
  ],
  flags: applyFlags,
  examples: [
    'ctx apply session.jsonl patch.json --name trim --title "Drop old listings"',
    'ctx diff --patch session.jsonl HEAD HEAD~4 | ctx apply session.jsonl -',
    "ctx apply session.jsonl patch.json '@{request:2}' --dry-run",
    'ctx apply session.jsonl reminder.json --ephemeral',
    'ctx apply plan.json',
    'ctx apply plan.json --install',
  ],
  run(input) {
    const file = findPlanFile(input);
    return file === null ? applyPatch(input) : applySavedPlan(input, file);
  },
});
