import { sumOverhead } from '#analysis/overhead/sum-overhead.js';
import { CtxError } from '#base/errors.js';
import { readBaseline } from '#cli/read-json.js';
import { groupFamilies, listFamilyFiles, sumFamilyBytes } from '#cli/sessions/families.js';
import { listFileWarnings, listUnreadable, withSessionFile } from '#cli/sessions/file-result.js';
import type { OverheadResult } from '#cli/sessions/jobs/overhead.js';
import { findNamedFiles } from '#cli/sessions/named-files.js';
import { runJobsOrThrow } from '#cli/sessions/parallel.js';
import { isLimitedPeriod, toPeriod } from '#cli/sessions/period.js';
import { startProgress } from '#cli/sessions/progress.js';
import type { NamedFile } from '#cli/sessions/session-files.js';
import { findSubagentFiles } from '#cli/sessions/subagents.js';
import type { Doc } from '#ui/doc/doc.js';
import { type CommandInput, defineCommand } from '../define.js';
import * as shared from '../shared-flags.js';
import { renderOverhead } from './view.js';

const FLAGS = {
  since: shared.sinceTime,
  until: shared.until,
  baseline: shared.baseline,
};

type Input = CommandInput<typeof FLAGS>;

export default defineCommand({
  name: 'overhead',
  summary: 'Show what every request carries, its cost and its use',
  description:
    'For each memory file, MCP server, tool, skill, agent and hook: the tokens of a request, the requests that carried it, ' +
    'their cost, and how often it was used. What was never used comes first, with the setting that removes it. One ' +
    'session counts with its subagents; a folder, a pattern, "all" or "all:AGENT" sums up many.',
  args: [
    {
      name: 'sessions',
      help: 'files, folders, patterns, session ids or prefixes of them, "latest" (the default), "all", "all:AGENT", or -',
      isMany: true,
    },
  ],
  flags: FLAGS,
  takesRedact: true,
  examples: ['ctx overhead', 'ctx overhead all --since 30d', 'ctx overhead all:claude-code --json'],
  async run(input) {
    const { io, args, flags } = input;
    const names = args.flatMap((name) => name ?? []);
    const { since } = toPeriod(flags, io.now());
    const named = await findNamedFiles(io, names.length === 0 ? ['latest'] : names, { since });
    const results = await readAll(input, await addSubagents(input, named));
    const unreadable = listUnreadable(results);
    const counted = results.flatMap((result) => (result.ok ? [result.overhead] : []));
    const [first] = unreadable;
    if (counted.length === 0) {
      const where = first && `${first.file}: ${first.error}`;
      throw new CtxError('input', 'no session could be read', { where });
    }
    const damaged = results.flatMap((result) => (result.ok && result.isDamaged ? [result.file] : []));
    const data = sumOverhead(counted, unreadable);
    const doc = (): Doc => renderOverhead(data, io);
    return { kind: 'single', item: { data, doc }, problems: listFileWarnings(unreadable, damaged) };
  },
});

/** The one named session counts with its subagents. A folder has those of its sessions. */
async function addSubagents({ io }: Input, named: readonly NamedFile[]): Promise<readonly NamedFile[]> {
  const [only, ...others] = named;
  if (!only || others.length > 0 || only.file === '-') return named;
  const found = await withSessionFile(io.files, only.file, (session) =>
    Promise.resolve({ subagents: findSubagentFiles(io.files, session) }),
  );
  return found.ok ? [only, ...found.subagents] : named;
}

async function readAll({ io, flags }: Input, files: readonly NamedFile[]): Promise<readonly OverheadResult[]> {
  const baseline = await readBaseline(io.files, flags.baseline);
  const period = toPeriod(flags, io.now());
  const how = { period: isLimitedPeriod(period) ? period : null, baseline };
  const families = await groupFamilies(io, files);
  const sizes = families.map(sumFamilyBytes);
  const inputs = families.map((family) => ({ files: listFamilyFiles(family), ...how }));
  await using progress = startProgress(io, families.length, 'families of sessions');
  const results: OverheadResult[] = [];
  const batch = {
    job: 'overhead',
    inputs,
    sizes,
    // A single session leaves nothing in the index.
    isRemembered: how.period === null && files.length > 1,
    onDone: () => progress.step(),
  } as const;
  for await (const output of runJobsOrThrow(io, batch)) results.push(...output);
  return results;
}
