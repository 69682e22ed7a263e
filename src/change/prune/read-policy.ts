import { complaintOf } from '#base/complaint.js';
import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/nearest.js';
import {
  DEFAULT_POLICY,
  policy,
  type PolicyName,
  type PolicySettings,
  settingsOver,
  type Zone,
  ZONES,
} from './policy-schema.js';
import { nameIn, type Policy, stepOf, type NamedStep, namedStepOf } from './policy.js';
import type { PruneStep } from './prune.js';
import { strategies } from './strategies/index.js';

/**
 * Parses a policy; `{}` is the default one. `file` holds it; `name` is the policy that it changes, instead of the one
 * that it names. Throws a CtxError (usage) for invalid values, unknown strategies and options that a strategy does not
 * accept.
 */
export function policyIn(value: unknown, file: string, name?: PolicyName): Policy {
  const complaint = complaintOf(policy, value, ['prune']);
  if (complaint !== null) throw new CtxError('usage', complaint.what, { where: file, hint: complaint.hint });
  // Its form is checked above.
  const settings = value as PolicySettings;
  const read = policy.parse(settingsOver(name ?? settings.policy ?? DEFAULT_POLICY, settings));
  for (const zone of ZONES)
    for (const [at, setting] of read.zones[zone].entries())
      checkedStep(namedStepOf(setting, read, zone), { file, place: ['prune', 'zones', zone, at, 1] });
  return read;
}

/**
 * The strategies of a list such as `turns,distill`, in its order, with the options that a policy gives them in a zone.
 * Throws a CtxError (usage) for unknown names.
 */
export function stepsNamed(list: string, inForce: Policy, zone: Zone): readonly PruneStep[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0)
    throw new CtxError('usage', 'no strategies are named', { hint: `name some of ${knownNames().join(', ')}` });
  return names.map((name) => {
    const setting = inForce.zones[zone].find((each) => nameIn(each) === name);
    return checkedStep(namedStepOf(setting ?? name, inForce, zone), { place: [name] });
  });
}

interface Source {
  readonly file?: string;
  /** The place of the options. */
  readonly place: readonly PropertyKey[];
}

function checkedStep({ name, strategy, options }: NamedStep, { file, place }: Source): PruneStep {
  const where = file === undefined ? {} : { where: file };
  if (!strategy) {
    const hint = didYouMean(name, knownNames(), `the strategies are ${knownNames().join(', ')}`);
    throw new CtxError('usage', `unknown strategy "${name}"`, { ...where, hint });
  }
  if (!strategy.options && options !== undefined)
    throw new CtxError('usage', `the strategy "${name}" takes no options`, { ...where, hint: 'leave them out' });
  const complaint = strategy.options ? complaintOf(strategy.options, options ?? {}, place) : null;
  if (complaint !== null) throw new CtxError('usage', complaint.what, { ...where, hint: complaint.hint });
  return stepOf(strategy, options);
}

function knownNames(): readonly string[] {
  return strategies.map(({ name }) => name);
}
