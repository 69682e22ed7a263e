import { listRejectingRules, RequestFaultFinder } from '#analysis/check/request-faults.js';
import { listMessageFaults } from '#analysis/check/schema/misfits.js';
import { CtxError } from '#base/errors.js';
import { listObjects } from '#base/json.js';
import { memoizeByObject } from '#base/memoize.js';
import type { LlmMessage } from '#context/replay/content.js';
import { toLlmMessage } from '#context/replay/convert.js';
import type { Replay } from '#context/replay/replay.js';
import { type ContentFault, findNewFault, listToolFaults } from '#lab/hooks/content-rules.js';
import type { LiveBranch } from './branch.js';
import type { PiContext, PiMessage } from './pi.js';

/**
 * The replay of a branch whose transforms a provider accepts. Throws a CtxError (input) if an op breaks a rule, or if
 * the request breaks one that it keeps as Pi has it.
 */
export function replayAndCheck(branch: LiveBranch, { sessionManager }: Pick<PiContext, 'sessionManager'>): Replay {
  const replay = branch.replay();
  if (!branch.hasTransforms) return replay;
  const fault = findNewFault(listFaults(branch, replay), () =>
    listPiFaults(sessionManager.buildSessionProjection().messages),
  );
  if (fault) throw new CtxError('input', fault.message, { where: `rule ${fault.rule}`, hint: 'repair the transform' });
  return replay;
}

/** The rules look at a branch that only grew from where the last request ended. */
const findFaultFinder = memoizeByObject((_branch: LiveBranch) => new RequestFaultFinder(listRejectingRules()));

const listContentFaults = memoizeByObject((message: LlmMessage) => listMessageFaults(message, false));

function listFaults(branch: LiveBranch, replay: Replay): readonly ContentFault[] {
  const { cached } = replay.content().messages;
  const origins = replay.messages.listProvenance();
  const ofTransforms = cached.filter((_, at) => origins[at]?.origin === 'transform');
  const isRecorded = replay.sources().tools === 'recorded';
  return [
    ...ofTransforms.flatMap((message) => listContentFaults(message)),
    ...listToolFaults(isRecorded ? replay.declaredAsSent().tools : []),
    ...listRefusals(findFaultFinder(branch), cached),
  ];
}

/** The faults of the request as Pi has it. */
function listPiFaults(messages: readonly PiMessage[]): readonly ContentFault[] {
  const all = listObjects(messages);
  const sent = all.flatMap((message) => toLlmMessage(message) ?? []);
  return [
    ...sent.flatMap((message) => listMessageFaults(message, false)),
    ...all.flatMap(({ role, toolsAdded }) => (role === 'system' ? listToolFaults(toolsAdded) : [])),
    ...listRefusals(new RequestFaultFinder(listRejectingRules()), sent),
  ];
}

function listRefusals(finder: RequestFaultFinder, messages: readonly LlmMessage[]): readonly ContentFault[] {
  return finder
    .find(
      messages,
      messages.map(() => null),
    )
    .filter(({ rule }) => rule !== 'empty-request');
}
