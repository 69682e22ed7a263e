import { ALL_FACTS } from '#analysis/facts/facts.js';
import { GrowingFacts } from '#analysis/facts/growing-facts.js';
import { prepareCompaction } from '#change/compact/prepare.js';
import { ignorePatches } from '#context/open.js';
import type { Head } from '#session/heads/head.js';
import type { EngineSetup } from '../define.js';
import type { DriveOptions } from './drive-options.js';
import type { DrivenSession } from './driven-session.js';
import type { Recording } from './recording.js';

/** The setup of a built-in engine that is in charge of a session. */
export function buildEngineSetup(driven: DrivenSession, options: DriveOptions): EngineSetup {
  const { source, recording, transcript, requests, compactions, progress } = driven;
  const { tokenBudget, settings, policy } = options;
  const facts = new GrowingFacts(source);
  return {
    session: source,
    tokenBudget,
    settings,
    policy,
    recorded: () => recording.content(),
    declared: () => recording.declared(),
    now: () => recording.time,
    transcript: () => transcript.entries(),
    facts: () => facts.readTo(listConversation(recording)).list(ALL_FACTS),
    labels: () => recording.labels(),
    prepare() {
      const { session, path } = transcript;
      return prepareCompaction(ignorePatches(session), { path, keepRecentTokens: settings.keepRecentTokens });
    },
    compacted(result) {
      compactions.take('engine', { ok: true, compacted: true, result }, result.tokensBefore);
    },
    count: (messages) => requests.countTokens(messages),
    summarize: (task) => compactions.summarize(task),
    note: (deed) => void progress.sinceRequest.deeds.push(deed),
  };
}

/** The conversation so far, without recorded summaries, which belong to another engine. */
function listConversation({ path, at }: Recording): readonly Head[] {
  return path.slice(0, at + 1).filter(({ type }) => type !== 'compaction' && type !== 'context_transform');
}
