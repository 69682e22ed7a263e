import { CtxError } from '#base/errors.js';
import { formatCount, pluralize } from '#base/numbers.js';
import { toVisibleLine } from '#base/visible.js';
import { planRepair, type RepairPlan } from '#change/repair/plan-repair.js';
import { locateSession } from '#cli/locate.js';
import { readOtherAgentSession, toOpenSession } from '#context/open.js';
import { writeTogether } from '#platform/files/write-together.js';
import type { ByteSource } from '#session/scan/byte-source.js';
import { type Block, cell, type Doc, fileHeading, gap, line, proseRow, span } from '#ui/doc/doc.js';
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

/** The repairs and losses in the order of the old file. `namedOutput` is the new file of the command line. */
function renderRepair(document: RepairDocument, namedOutput: string | null): Doc {
  const items = listItems(document);
  const lineCells = items.reduce((most, { at }) => Math.max(most, String(at).length), 0);
  const ruleCells = items.reduce((most, { rule }) => Math.max(most, rule.length), 0);
  const blocks = items.map(({ at, rule, message, isLost }): Block => {
    const place = [cell(String(at), -(INDENT + lineCells), 'faint'), cell(rule, ruleCells, 'strong')];
    return proseRow([...place, cell(message, 0, isLost ? 'error' : 'plain')]);
  });
  return [
    fileHeading(document.file),
    ...blocks,
    ...(items.length > 0 ? [gap] : []),
    ...renderEnd(document, namedOutput),
  ];
}

const INDENT = 2;

interface Item {
  readonly at: number;
  readonly rule: string;
  readonly message: string;
  readonly offset: number;
  readonly isLost: boolean;
}

function listItems({ repairs, lost }: RepairDocument): readonly Item[] {
  const fixed = repairs.map(({ line: at, rule, message, entryId, offset }): Item => {
    const text = entryId === null ? message : `${entryId}: ${message}`;
    return { at, rule, message: toVisibleLine(text), offset, isLost: false };
  });
  const discarded = lost.map(({ line: at, rule, offset, length }): Item => {
    return {
      at,
      rule,
      message: `${pluralize(length, 'byte')} lost, from byte ${formatCount(offset)} on`,
      offset,
      isLost: true,
    };
  });
  return [...fixed, ...discarded].toSorted((a, b) => a.offset - b.offset);
}

function renderEnd({ repairs, lost, output, lostFile, newSize }: RepairDocument, namedOutput: string | null): Doc {
  const bytes = lost.reduce((sum, { length }) => sum + length, 0);
  const isClean = repairs.length === 0 && lost.length === 0;
  const loss = lost.length === 0 ? 'nothing lost' : `${pluralize(bytes, 'byte')} lost`;
  const summary = isClean ? 'nothing to repair' : `${pluralize(repairs.length, 'repair')}, ${loss}`;
  const files =
    output === null
      ? `nothing was written${namedOutput === null ? '' : ` to ${namedOutput}`}`
      : `${output}: ${pluralize(newSize, 'byte')}${isClean ? ', the same as before' : ''}`;
  return [
    line(span(summary, lost.length > 0 ? 'warning' : 'good')),
    line(files),
    ...(lostFile === null ? [] : [line(`${lostFile}: ${pluralize(bytes, 'lost byte')}`)]),
  ];
}
