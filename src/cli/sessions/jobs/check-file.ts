import { CheckMemory } from '#analysis/check/check-memory.js';
import { checkSession } from '#analysis/check/check-session.js';
import { buildUnreadableFile, type CheckedFile } from '#analysis/check/checked-file.js';
import { FindingTally } from '#analysis/check/finding-tally.js';
import type { Finding } from '#analysis/check/finding.js';
import type { KnownFindings } from '#analysis/check/known-findings.js';
import type { StoredSnapshot } from '#analysis/check/policy/snapshot.js';
import cannotGoOn from '#analysis/check/provider/cannot-go-on.js';
import { type GoingOn } from '#analysis/check/provider/going-on.js';
import { type CheckSettings, loadActiveRules, SNAPSHOT_RULE } from '#analysis/check/settings.js';
import { toInputError } from '#base/errors.js';
import { memoizeByObject } from '#base/memoize.js';
import { omitUndefined } from '#base/omit-undefined.js';
import { toEntryStamps } from '#change/plan/entry-stamps.js';
import { findAssumedWindow } from '#context/models/registry.js';
import type { OpenSession } from '#context/open.js';
import { findCopier } from '#session/agents/index.js';
import { bytesAccountedFor } from '#session/scan/scan.js';

/** A file to check. */
export interface CheckInput {
  readonly file: string;
  readonly settings: CheckSettings;
  /** Findings that do not count any more. */
  readonly known?: KnownFindings | undefined;
  /** Whether to record the findings. */
  readonly isRecorded?: boolean | undefined;
  /** The snapshots that replays must equal. */
  readonly snapshots?: readonly StoredSnapshot[] | undefined;
}

/** Opens a session, also one without a header. */
export type OpenToCheck = (file: string) => Promise<OpenSession>;

/** Checks one session. A file that cannot be read has that as its only finding. */
export async function checkFile(input: CheckInput, open: OpenToCheck): Promise<CheckedFile> {
  try {
    return await checkSessionOf(input, await open(input.file));
  } catch (error) {
    // A job that throws would be reported as a bug.
    const why = toInputError(error);
    if (why) return buildUnreadableFile(input.file, why.message, why.hint);
    throw error;
  }
}

/** All checks of this thread. */
const memory = new CheckMemory();

/** Most sessions have the same settings, and loading the rules for each takes longer than some rules do. */
const loadRulesOnce = memoizeByObject((settings: CheckSettings) => loadActiveRules(settings));

async function checkSessionOf(input: CheckInput, session: OpenSession): Promise<CheckedFile> {
  const { file, settings } = input;
  try {
    const tally = new FindingTally();
    const { requests, limit, configuredLimit, baseline } = settings;
    const goingOn = await judgeSession(input, session);
    const rules = await loadRulesOnce(addInputsOfRules(settings, goingOn, input.snapshots));
    const recording = await createRecording(input, tally);
    const envelope = { limit, configuredLimit, baseline, assumedWindow: findAssumedWindow };
    checkSession({ session, rules, requests, envelope, report: recording.report }, memory);
    const checked = {
      file,
      size: session.scan.size,
      bytesAccountedFor: bytesAccountedFor(session.scan),
      entries: session.tree.heads.length,
      counts: Object.fromEntries(tally.counts),
      findings: tally.listFindings(),
      ...recording.result(),
    };
    return goingOn ? { ...checked, goingOn } : checked;
  } finally {
    session.close();
  }
}

/**
 * Finds whether the agent can go on with a session; null if the rule is off, for a subagent, and where findings alone
 * judge.
 */
async function judgeSession({ settings }: CheckInput, session: OpenSession): Promise<GoingOn | null> {
  const isOn = settings.rules.some(({ name }) => name === cannotGoOn.name);
  // No user resumes a subagent.
  if (!isOn || session.agent?.isSubagent || !findCopier(session)) return null;
  const { findGoingOn } = await import('#cli/going-on/find-going-on.js');
  return findGoingOn(toEntryStamps({}), session, { limit: settings.limit, configuredLimit: settings.configuredLimit });
}

/** Gives as options to two rules what the session alone does not tell them: the verdict, and the snapshots. */
function addInputsOfRules(
  settings: CheckSettings,
  verdict: GoingOn | null,
  snapshots: CheckInput['snapshots'],
): CheckSettings {
  const inputs = new Map<string, object>();
  if (verdict) inputs.set(cannotGoOn.name, { verdict });
  if (snapshots) inputs.set(SNAPSHOT_RULE.name, { snapshots });
  // The rules of unchanged settings are loaded once.
  if (inputs.size === 0) return settings;
  const rules = settings.rules.map((rule) => {
    const options = inputs.get(rule.name);
    return options ? { ...rule, options } : rule;
  });
  return { ...settings, rules };
}

/** The recipient of findings, which compares them with the known ones or records them. */
interface Recording {
  report(finding: Finding): void;
  result(): Pick<CheckedFile, 'known' | 'recorded'>;
}

async function createRecording({ settings, known, isRecorded }: CheckInput, tally: FindingTally): Promise<Recording> {
  if (!known && !isRecorded) return { report: tally.add, result: () => ({}) };
  const { FindingRecorder, KnownFindingFilter } = await import('#analysis/check/known-findings.js');
  const filter = known && new KnownFindingFilter(known);
  const recorder = isRecorded ? new FindingRecorder() : null;
  const ran = new Set(settings.rules.map(({ name }) => name));
  return {
    report(finding) {
      recorder?.add(finding);
      if (!filter?.takes(finding)) tally.add(finding);
    },
    result: () => omitUndefined({ known: filter?.result(ran), recorded: recorder?.findings() }),
  };
}
