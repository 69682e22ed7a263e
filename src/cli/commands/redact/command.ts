import { buildImportSource } from '#change/migrate/import-session.js';
import { Redactor } from '#change/redact/redactor.js';
import { locateSession } from '#cli/locate.js';
import { openSessionSource, readOtherAgentSession, toOpenSession } from '#context/open.js';
import { findCopier } from '#session/agents/index.js';
import { defineCommand } from '../define.js';
import { createUnchangedCheck } from '../new-session.js';
import { buildNotInstalledError } from '../session-to-plan.js';
import { sessionArgument } from '../session.js';
import { redactFlags } from './flags.js';
import { redactAgentSession } from './redact-agent-session.js';
import { redactToPi } from './redact-to-pi.js';
import { readRedactionRules } from './redaction-rules.js';

export default defineCommand({
  name: 'redact',
  summary: 'Save a copy with secrets removed',
  description:
    'Writes a new session file in which placeholders such as [REDACTED:github-token:1] replace credentials: those ' +
    'that ctx check finds, and values and patterns that you supply. A value is replaced everywhere it occurs. ' +
    'Entries, ids, parents and all other bytes stay. Images and signatures are not searched. The exit code is 1 if a ' +
    'damaged line was replaced whole or left out, or if a value remains in a field that links entries. Of a session of ' +
    'Claude Code or Codex, the copy is one that the agent resumes; of one of another agent, a session of Pi.',
  args: [sessionArgument],
  flags: redactFlags,
  examples: [
    'ctx redact session.jsonl --output shared.jsonl',
    'ctx redact session.jsonl --dry-run',
    'ctx redact session.jsonl --output shared.jsonl --personal',
    'ctx redact latest:claude --install',
    "ctx redact latest --output shared.jsonl --env '*_TOKEN' --values secrets.txt",
    "ctx redact session.jsonl --output shared.jsonl --pattern 'ACME-[0-9]{8}'",
  ],
  async run(input) {
    const { io, args, flags } = input;
    const rules = { ...(await readRedactionRules(io, flags)), isPersonal: flags.personal ?? false };
    const file = await locateSession(io, args[0] ?? 'latest');
    const check = createUnchangedCheck(io, file);
    const source = input.keepOpen(await openSessionSource(io.files, file));
    const agentSession = await readOtherAgentSession(source, file);

    const copier = agentSession && findCopier(agentSession);
    if (copier) return redactAgentSession(input, rules, await toOpenSession(agentSession), copier);
    if (flags.install) throw buildNotInstalledError(agentSession ?? { file });

    const redactor = new Redactor(rules);
    if (!agentSession) return redactToPi(input, redactor, { file, source, lostLines: 0, agent: null, check });
    const agent = agentSession.agent?.title ?? null;
    return redactToPi(input, redactor, { ...buildImportSource(agentSession), file, agent, check });
  },
});
