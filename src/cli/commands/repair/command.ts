import { CtxError } from '#base/errors.js';
import { planRepair, type RepairPlan } from '#change/repair/plan-repair.js';
import { locateSession } from '#cli/locate.js';
import { readOtherAgentSession, toOpenSession } from '#context/open.js';
import { writeTogether } from '#platform/files/write-together.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type CommandInput, defineCommand, type Outcome } from '../define.js';
import { textFlag, toggleFlag } from '../flags.js';
import {
  createUnchangedCheck,
  findDiscardedFile,
  readOutputFile,
  readWrittenPieces,
  toNewFile,
} from '../new-session.js';
import { sessionArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { RepairDocument } from './document.js';
import { renderRepair } from './view.js';

const FLAGS = {
  output: {
    ...shared.newSession,
    requiredUnless: ['dry-run', 'install'],
    help: 'the new session file; lost bytes go to FILE.lost',
  },
  install: {
    ...toggleFlag('of Claude Code and Codex: put the repaired copy where the agent looks for its sessions'),
    excludes: ['output'],
  },
  drop: textFlag(
    'PARTS',
    'of Claude Code and Codex: also leave out all "images", all "thinking", or both, where the agent is refused for them',
  ),
  force: shared.force,
  'dry-run': shared.dryRun,
};

type Input = Pick<CommandInput<typeof FLAGS>, 'io' | 'args' | 'flags' | 'configuredLimit' | 'keepOpen'>;

export default defineCommand({
  name: 'repair',
  summary: 'Repair a damaged session in a new file',
  description:
    'Repairs the damage that "ctx check" reports and writes the session to a new file; the old file never changes. What ' +
    'cannot be repaired is kept beside it, in FILE.lost. The exit code is 1 if anything is lost. Of a session of Claude ' +
    'Code or Codex, it writes a copy that the agent resumes.',
  args: [sessionArgument],
  flags: FLAGS,
  examples: [
    'ctx repair session.jsonl --dry-run',
    'ctx repair session.jsonl --output repaired.jsonl',
    'ctx repair latest:claude --install',
  ],
  run: repairIntoNewFile,
});

/** Repairs one session in a new file. */
export async function repairIntoNewFile({ io, args, flags, configuredLimit, keepOpen }: Input): Promise<Outcome> {
  const file = await locateSession(io, args[0] ?? 'latest');
  const source = await io.files.open(file);
  const ofAgent = await readOtherAgentSession(source, file);
  if (ofAgent) {
    const { repairAgentSession } = await import('./repair-agent-session.js');
    return repairAgentSession(io, keepOpen(await toOpenSession(ofAgent)), { ...flags, configuredLimit });
  }
  const output = readOutputFile(flags);
  const check = createUnchangedCheck(io, file);
  try {
    const plan = await planRepair(source, file);
    if (flags.install || flags.drop !== undefined) throw buildNotOfPiError(file, flags.install ? 'install' : 'drop');
    const { discarded } = plan;
    const lostFile = output === null ? null : findDiscardedFile(io, output, { lost: discarded, force: flags.force });
    if (output !== null) {
      const parts = [toNewFile(output, readWrittenPieces(io, plan.result), file, flags.force)];
      if (lostFile !== null) parts.push(toNewFile(lostFile, readDiscarded(discarded), file, flags.force));
      await writeTogether(io.files.createNew, parts, check);
    }
    const data = buildDocument(plan, source, { file, output, lostFile });
    const doc = renderRepair(data, flags.output ?? null);
    return { kind: 'single', item: { data, doc: () => doc }, problems: [], exitCode: discarded.length > 0 ? 1 : 0 };
  } finally {
    source.close();
  }
}

function buildNotOfPiError(file: string, flag: string): CtxError {
  return new CtxError('usage', `--${flag} is for sessions of Claude Code and Codex, and this one is of Pi`, {
    where: file,
    hint: 'leave it out: --output FILE writes the repaired session',
  });
}

function* readDiscarded(discarded: RepairPlan['discarded']): Generator<Uint8Array> {
  for (const part of discarded) yield* part.bytes();
}

function buildDocument(
  { result, repairs, discarded }: RepairPlan,
  source: ByteSource,
  about: Pick<RepairDocument, 'file' | 'output' | 'lostFile'>,
): RepairDocument {
  return {
    schema: 'ctx/repair',
    schemaVersion: 1,
    ...about,
    oldSize: source.size,
    newSize: result.size,
    repairs: repairs.map(({ code: rule, message, entryId, line: at, offset, length }) => {
      return { rule, message, entryId, line: at, offset, length };
    }),
    lost: discarded.map(({ code: rule, line: at, offset, length }) => ({ rule, line: at, offset, length })),
  };
}
