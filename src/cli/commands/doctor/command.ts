import type { CheckedFile } from '#analysis/check/checked-file.js';
import type { RuleGroup } from '#analysis/check/define.js';
import cannotGoOn from '#analysis/check/provider/cannot-go-on.js';
import { type GoingOn } from '#analysis/check/provider/going-on.js';
import { formatCount } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import { toVisibleLine } from '#base/visible.js';
import { buildSoundVerdict, describeGoingOnWithPlace, findGoingOn, nameAgent } from '#cli/going-on/find-going-on.js';
import { findSubagentObstacle } from '#cli/going-on/repair-obstacle.js';
import { explainChoice } from '#cli/latest.js';
import { locateSession } from '#cli/locate.js';
import { checkFile } from '#cli/sessions/jobs/check-file.js';
import { addModelList } from '#cli/window.js';
import { toLenient } from '#context/lenient.js';
import type { OpenSession } from '#context/open.js';
import { buildEnvelope } from '#context/replay/build-envelope.js';
import { commandLine, type Doc, fileHeading, line, span } from '#ui/doc/doc.js';
import { readCheckSettings } from '../check/check-settings.js';
import { type CommandInput, defineCommand, toOutcome } from '../define.js';
import { repairAgentSession } from '../repair/repair-agent-session.js';
import { openSessionFile, renderChoice, sessionFileArgument } from '../session.js';
import * as shared from '../shared-flags.js';
import type { DoctorDocument } from './document.js';

const FLAGS = { limit: shared.limit, ...shared.configFlags };

export default defineCommand({
  name: 'doctor',
  summary: 'Find out whether a session can go on, and repair it',
  description:
    'Runs ctx check on a session, and says whether the agent that wrote it can go on, what stops it, and how full its ' +
    'context is. Names the command that repairs or shortens it. On a terminal it asks whether to repair it at once: that ' +
    'writes a copy of a session of Claude Code or Codex. The exit code is 1 if the agent cannot go on.',
  args: [{ ...sessionFileArgument, help: 'a file, a session id or a prefix of it, or "latest:all" (the default)' }],
  flags: FLAGS,
  examples: ['ctx doctor', 'ctx doctor latest:claude', 'ctx doctor session.jsonl --json'],
  async run(input) {
    const { io, args, configuredLimit } = input;
    const file = await locateSession(io, args[0] ?? 'latest:all');
    const session = await openSessionFile(input, file);
    const document = await examine(input, session);
    if (await wantsRepair(input, session, document))
      return repairAgentSession(io, session, { install: true, configuredLimit });
    const choice = args[0] === undefined ? await explainChoice(io, session, 'all agents') : null;
    return toOutcome(
      { data: document, doc: () => [...renderChoice(choice), ...renderDocument(document)] },
      session,
      document.goingOn.goesOn ? 0 : 1,
    );
  },
});

type Input = CommandInput<typeof FLAGS>;

async function examine({ io, flags }: Input, session: OpenSession): Promise<DoctorDocument> {
  const { settings } = await readCheckSettings(io, flags);
  // The verdict is asked for below, also where the configuration switches its rule off.
  const rules = settings.rules.filter(({ name }) => name !== cannotGoOn.name);
  const { counts, findings } = await checkFile({ file: session.file, settings: { ...settings, rules } }, () =>
    Promise.resolve({ ...session, close: () => {} }),
  );
  const window = { limit: settings.limit, configuredLimit: settings.configuredLimit };
  const severe = new Set(findings.filter(({ severity }) => severity !== 'note').map(({ rule }) => rule));
  const ofTheUser = new Set(rules.filter(({ group }) => HARMLESS_GROUPS.has(group)).map(({ name }) => name));
  const stops = findings.filter(({ severity, rule }) => severity === 'error' && !ofTheUser.has(rule));
  const { meta } = buildEnvelope(toLenient(session), session.tree.leaf, addModelList(window));
  return {
    schema: 'ctx/doctor',
    schemaVersion: 1,
    file: session.file,
    agent: nameAgent(session),
    goingOn: judgeSubagent(session, await findGoingOn(io, session, window)) ?? judgeFindings(session, stops),
    findings: Object.fromEntries(Object.entries(counts).filter(([rule]) => severe.has(rule))),
    size: meta.size,
    limit: meta.limit,
  };
}

/** Judges a subagent: even if its session has no fault, its agent does not go on with it. */
function judgeSubagent({ agent }: OpenSession, found: GoingOn | null): GoingOn | null {
  const obstacle = found && found.goesOn ? findSubagentObstacle(agent) : null;
  return obstacle && found
    ? { ...found, goesOn: false, why: `${obstacle.why} (${obstacle.hint})`, command: null }
    : found;
}

/** The groups whose errors stop no agent: the rules and budgets of the user, and leaks. */
const HARMLESS_GROUPS: ReadonlySet<RuleGroup> = new Set(['policy', 'secrets']);

/**
 * Judges an agent whose sessions are not repaired in copies: an error loses context, or makes the next request fail.
 */
function judgeFindings(session: OpenSession, [first, ...others]: CheckedFile['findings']): GoingOn {
  if (!first) return buildSoundVerdict(session);
  const { file } = session;
  const { message: why, rule, entryId, line: at } = first;
  const output = `${file.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '')}.repaired.jsonl`;
  const command = session.agent
    ? `ctx convert ${toShellWord(file)} --output ${toShellWord(output)}`
    : `ctx repair ${toShellWord(file)} --output ${toShellWord(output)}`;
  return { agent: nameAgent(session), goesOn: false, why, rule, entryId, line: at, others: others.length, command };
}

/** Asks on a terminal whether to repair a session in a copy. */
async function wantsRepair(
  { io, format }: Input,
  { agent }: OpenSession,
  { goingOn }: DoctorDocument,
): Promise<boolean> {
  const isRepair = goingOn.command?.startsWith('ctx repair') === true && agent !== undefined && agent !== null;
  if (format !== 'text' || !isRepair || !io.canAsk()) return false;
  const question = `${toVisibleLine(describeGoingOnWithPlace(goingOn))}. Write a repaired copy? [y/N] `;
  return /^y(es)?$/i.test((await io.ask(question))?.trim() ?? '');
}

function renderDocument({ file, goingOn, findings, size, limit }: DoctorDocument): Doc {
  const { goesOn, why, command } = goingOn;
  const toneOfFault = goesOn ? 'warning' : 'error';
  const tone = why === null ? 'good' : toneOfFault;
  const rules = Object.entries(findings).map(([rule, times]) => (times === 1 ? rule : `${rule} (${times})`));
  const window = limit === null ? 'of an unknown window' : `of ${formatCount(limit)}`;
  return [
    fileHeading(file),
    line(span(toVisibleLine(describeGoingOnWithPlace(goingOn)), tone)),
    line(`context ${size.estimated === 0 ? '' : '~'}${formatCount(size.tokens)} tokens ${window}`),
    ...(rules.length === 0 ? [] : [line(`ctx check finds ${rules.join(', ')}`)]),
    ...(command === null ? [] : [commandLine('→ ', command)]),
  ];
}
