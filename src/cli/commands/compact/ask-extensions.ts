import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { findRecovery } from '#change/compact/overflow-recovery.js';
import { type Preparation, type PreparationRequest, prepareCompaction } from '#change/compact/prepare.js';
import type { CompactionSettings } from '#change/compact/settings.js';
import type { OpenSession } from '#context/open.js';
import { ExtensionRun } from '#lab/hooks/extension/extension-run.js';
import { HookedPath } from '#lab/hooks/hooked-path.js';
import { buildHookLoadError, startModules } from '#lab/hooks/modules.js';
import { NO_SUCH_FILE } from '#lab/plugin-process/failure.js';
import type { Io } from '#platform/io.js';
import type { Head } from '#session/heads/head.js';
import { createModuleLog, toTimeLimit } from '../shared-flags.js';

interface CompactionQuery {
  readonly session: OpenSession;
  readonly path: readonly Head[];
  readonly settings: CompactionSettings;
  readonly reason: 'manual' | 'threshold' | 'overflow';
}

interface ExtensionFlags {
  readonly hook?: readonly string[] | undefined;
  readonly instructions?: string | undefined;
  readonly 'time-limit'?: number | undefined;
}

/** A summary by the extension that made it, and the first entry that it keeps. */
interface ExtensionSummary {
  readonly text: string;
  readonly origin: string;
  readonly firstKeptEntryId: string | null;
  readonly details?: JsonObject;
  readonly usage?: JsonObject;
}

/** Throws a CtxError (input) if the file of an extension is missing. One named without its ending is found later. */
export function refuseMissingExtensions({ files }: Io, hooks: readonly string[] = []): void {
  const missing = hooks.find((file) => /\.[cm]?[jt]s$/.test(file) && !files.exists(file));
  if (missing !== undefined) throw buildHookLoadError(missing, new Error(NO_SUCH_FILE));
}

/**
 * Asks extensions of Pi for a compaction; null if none returns one, so that Pi would make the summary itself. Throws a
 * CtxError: refused if an extension cancels the compaction, input if a handler fails.
 */
export async function askExtensions(
  io: Io,
  { session, path, settings, reason }: CompactionQuery,
  flags: ExtensionFlags,
): Promise<ExtensionSummary | null> {
  const willRetry = reason === 'overflow' && findRecovery(session, path) === 'retry';
  const cause = { reason, willRetry, customInstructions: flags.instructions };
  return io.untilInterrupted(async (signal) => {
    const modules = await startModules({
      files: flags.hook ?? [],
      startPlugin: io.startPlugin,
      timeLimit: toTimeLimit(flags['time-limit']),
      signal,
      onLog: createModuleLog(io),
    });
    try {
      const hookedPath = new HookedPath(session, path, { baseline: {} });
      hookedPath.jumpTo(path.length - 1);
      const extension = new ExtensionRun(modules, hookedPath, { window: {}, settings });
      await extension.start();
      return await readAnswer(extension, { cause });
    } finally {
      await modules.close();
    }
  });
}

async function readAnswer(
  extension: ExtensionRun,
  pending: Parameters<ExtensionRun['askForCompaction']>[0],
): Promise<ExtensionSummary | null> {
  const answer = await extension.askForCompaction(pending);
  const { events } = extension.takeRecord();
  const failure = events.find((event) => event.failure !== null)?.failure;
  if (failure)
    throw new CtxError('input', `the extension failed: ${failure.message}`, {
      where: failure.hook,
      hint: 'fix the extension; nothing was written',
    });
  const by = events.findLast(({ outcome }) => outcome === 'changed' || outcome === 'cancelled')?.hook ?? '';
  if (answer?.kind === 'cancelled')
    throw new CtxError('refused', 'the extension cancels the compaction', {
      where: by,
      hint: 'leave --hook out to compact without it',
    });
  if (answer === null) return null;
  const { summary: text, ...rest } = answer.compaction;
  return { text, origin: `made by ${by}`, ...rest };
}

/** A preparation that keeps what an extension keeps: from another entry on, or nothing. */
export function applyExtensionCut(
  session: OpenSession,
  request: PreparationRequest,
  { own, from }: { readonly own: Preparation; readonly from: string | null },
): Preparation {
  if (from === own.firstKeptEntryId) return own;
  if (from !== null) return prepareCompaction(session, { ...request, keepsFrom: from }) ?? own;
  const firstKeptMessageIndex = own.firstKeptMessageIndex + own.keptMessages;
  return { ...own, firstKeptEntryId: null, firstKeptMessageIndex, keptMessages: 0, keptTokens: 0, isSplitTurn: false };
}
