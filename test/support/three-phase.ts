import { defaultPolicy } from '#change/prune/policy.js';
import { attachPatchReader } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import { createThreePhaseEngine, type ThreePhaseEngine } from '#lab/builtin/three-phase.js';
import type { MessageOrigin } from '#lab/builtin/three-phase/assembler.js';
import { driveEngine } from '#lab/drive/drive.js';
import type { Driven } from '#lab/drive/driven-request.js';
import { type Assembly, buildDefaultAssembly } from '#lab/injectors/assembly.js';
import type { Contribution } from '#lab/injectors/compose.js';
import type { Session } from '#session/session.js';

export interface Step extends Driven {
  readonly placed: readonly Contribution[];
  readonly origins: readonly MessageOrigin[];
}

export interface Given {
  readonly budget?: number | null;
  readonly assembly?: Assembly;
  readonly baseline?: { readonly parts: EnvelopeContent['system']['parts']; readonly tools?: EnvelopeContent['tools'] };
}

const SETTINGS = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

/** Every request of a session under the engine, the one that would be sent next included. */
export async function requestsOf(session: Session, given: Given = {}): Promise<readonly Step[]> {
  let engine: ThreePhaseEngine | null = null;
  const steps: Step[] = [];
  const { budget = null, assembly = buildDefaultAssembly(), baseline } = given;
  const options = {
    tokenBudget: budget,
    settings: SETTINGS,
    policy: defaultPolicy(),
    asksAtEnd: true,
    ...(baseline ? { baseline } : {}),
  };
  const make = (setup: Parameters<typeof createThreePhaseEngine>[0]): ThreePhaseEngine =>
    (engine = createThreePhaseEngine(setup, assembly));
  for await (const step of driveEngine(attachPatchReader(session), make, options))
    steps.push({ ...step, placed: engineOf(engine).contributions(), origins: engineOf(engine).origins() });
  return steps;
}

function engineOf(engine: ThreePhaseEngine | null): ThreePhaseEngine {
  if (!engine) throw new Error('no engine');
  return engine;
}

/** What a provider can take from its cache: all but what is said behind the conversation. */
export function cachedOf({ assembled: { system, tools, messages }, origins }: Step): readonly string[] {
  const cached = messages.filter((_, at) => origins[at]?.by !== 'tail');
  return [JSON.stringify([system, tools]), ...cached.map((message) => JSON.stringify(message))];
}

/** Whether a list begins with all of another. */
export function beginsWith(list: readonly string[], beginning: readonly string[]): boolean {
  return beginning.every((each, at) => list[at] === each);
}
