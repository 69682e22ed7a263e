import { describeGoingOn, type GoingOn } from '#analysis/check/provider/going-on.js';
import { pluralize } from '#base/numbers.js';
import { toShellWord } from '#base/shell.js';
import type { EntryStamps } from '#change/plan/entry-stamps.js';
import { type OpenSession, openSessionSource, readOtherAgentSession, toOpenSession } from '#context/open.js';
import type { Io } from '#platform/io.js';
import type { FaultEffect } from '#session/agents/faults.js';
import type { NamedWindow } from '../window.js';
import { findAgentRepairs, type ListedRepair } from './find-agent-repairs.js';
import { describeOverflow, findObstacle } from './repair-obstacle.js';

/** Opens a session, and finds whether its agent can go on with it; null for one that is not repaired in a copy. */
export async function openGoingOn(io: Io, file: string, window: NamedWindow): Promise<GoingOn | null> {
  const source = await openSessionSource(io.files, file);
  try {
    const read = await readOtherAgentSession(source, file);
    return read && (await findGoingOn(io, await toOpenSession(read), window));
  } finally {
    source.close();
  }
}

/** An agent with its version, as sentences name it. */
export function nameAgent({ agent }: Pick<OpenSession, 'agent'>): string {
  return [agent?.title ?? 'Pi', ...(agent?.version ? [agent.version] : [])].join(' ');
}

/**
 * Finds whether the agent that wrote a session can go on with it; null for an agent whose sessions are not repaired in
 * copies.
 */
export async function findGoingOn(
  stamps: EntryStamps,
  session: OpenSession,
  window: NamedWindow,
): Promise<GoingOn | null> {
  const found = await findAgentRepairs(stamps, session, window);
  if (!found) return null;
  const soundVerdict = buildSoundVerdict(session);
  const { client } = found.linked.copier;
  const version = session.agent?.version ?? null;
  const faults = client.startsAtOrphan(version) ? listFromOrphan(found.faults) : found.faults;
  const file = toShellWord(session.file);
  const obstacle = findObstacle(session, found);
  const repair = obstacle ? null : `ctx repair ${file} --install`;

  const stops = faults.filter((fault) => stopsAgent(fault, client.effectOf(fault, version)));
  const [stop] = stops;
  if (stop) {
    const why = obstacle ? `${stop.why}, which no copy can repair: ${obstacle.why} (${obstacle.hint})` : stop.why;
    return { ...soundVerdict, goesOn: false, ...locateFirst(stop, stops), why, command: repair };
  }

  const overflow = describeOverflow(found.before);
  if (overflow !== null) {
    const goesOn = client.effectOf({ rule: 'usage-above-window' }, version) === 'goes on';
    const command = `ctx prune ${file} --strategy distill --install`;
    return { ...soundVerdict, goesOn, why: overflow, command };
  }

  const noticed = faults.filter((fault) => isNoticed(fault, client.effectOf(fault, version)));
  const [mild] = noticed;
  return mild ? { ...soundVerdict, ...locateFirst(mild, noticed), why: mild.why, command: repair } : soundVerdict;
}

/** The verdict on a session without a fault. */
export function buildSoundVerdict(session: Pick<OpenSession, 'agent'>): GoingOn {
  const agent = nameAgent(session);
  return { agent, goesOn: true, why: null, rule: null, entryId: null, line: null, others: 0, command: null };
}

/** The place of the first of some faults, and the number of the others. */
function locateFirst(
  { rule, entryId, line }: ListedRepair,
  all: readonly ListedRepair[],
): Pick<GoingOn, 'rule' | 'entryId' | 'line' | 'others'> {
  return { rule, entryId, line, others: all.length - 1 };
}

/**
 * Whether a fault stops the agent. Where no version near it was tried, the answers to later requests show that it does
 * not.
 */
function stopsAgent({ isSurvived }: ListedRepair, effect: FaultEffect): boolean {
  return effect === 'stops' || (effect === 'untried' && !isSurvived);
}

/** Whether the agent does something about a fault that does not stop it. */
function isNoticed({ rule, cause }: ListedRepair, effect: FaultEffect): boolean {
  return effect === 'goes on' && rule !== 'open-call' && cause !== 'blank part';
}

/** The faults from the last record on whose parent is not in the file: earlier ones are not sent. */
function listFromOrphan(faults: readonly ListedRepair[]): readonly ListedRepair[] {
  const last = faults.findLastIndex(({ rule, cause }) => rule === 'orphan' && cause === undefined);
  return last < 0 ? faults : faults.slice(last);
}

/** The one line that says whether a session goes on, with the place of the fault. */
export function describeGoingOnWithPlace(found: GoingOn): string {
  const { entryId, line, others } = found;
  const place = [...(entryId === null ? [] : [`entry ${entryId}`]), ...(line === null ? [] : [`line ${line}`])];
  const where = place.length === 0 ? '' : ` (${place.join(', ')})`;
  const more = others === 0 ? '' : `, and ${pluralize(others, 'more fault')}`;
  return `${describeGoingOn(found)}${where}${more}`;
}
