import path from 'node:path';
import { compactionSettings } from '#change/compact/settings.js';
import { defaultPolicy } from '#change/prune/policy.js';
import { openSession, type OpenSession } from '#context/open.js';
import { readPatch } from '#context/ops/read-patch.js';
import type { EnvelopeContent } from '#context/replay/content.js';
import type { DriveOptions, MakeEngine } from '#lab/drive/drive-options.js';
import { driveEngine } from '#lab/drive/drive.js';
import { HOOK_REASONS } from '#lab/hooks/events.js';
import { startModules } from '#lab/hooks/modules.js';
import { listPathRequests } from '#lab/hooks/path-requests.js';
import { HookRun } from '#lab/hooks/run.js';
import { activePath } from '#session/tree/tree.js';
import { projectFolder } from '../../support/files.js';
import { startBuiltPlugin } from '../../support/plugins.js';
import type { Got } from './running-pi.js';

/** A hook module of the fixtures. */
export function hook(name: string): string {
  return path.join(projectFolder, 'fixtures/hooks', name);
}

/** The parts of a request that a provider gets. */
export interface SentRequest {
  readonly system: string;
  readonly tools: readonly unknown[];
  readonly messages: readonly object[];
}

/** The context window of the scripted model. */
const LIMIT = 200_000;

/** The requests of the active path with these hooks, in order. Throws if one of them is not sent. */
export async function withHooks(file: string, hooks: readonly string[]): Promise<readonly SentRequest[]> {
  const session = await openSession(file);
  const signal = new AbortController().signal;
  const modules = await startModules({
    files: hooks,
    startPlugin: startBuiltPlugin,
    timeLimit: 10_000,
    signal,
    onLog() {},
  });
  try {
    const branch = activePath(session.tree);
    const run = new HookRun(session, branch, modules, {
      reasons: new Set(HOOK_REASONS),
      baseline: {},
      window: { limit: LIMIT },
      settings: compactionSettings([], null),
      checksCompaction: false,
      again: () => Promise.resolve(null),
    });
    const sent: SentRequest[] = [];
    for await (const { boundaries, answer, refusals } of run.runEach(listPathRequests(branch))) {
      // The agent stops it, too.
      if (refusals.length > 0) continue;
      const last = boundaries.find(({ reason }) => reason === 'ephemeral');
      if (!last) throw new Error('a request was not sent');
      if (answer) sent.push(requestOf(last.after));
    }
    return sent;
  } finally {
    await modules.close();
    session.close();
  }
}

/** The requests of the active path with an engine, in order. */
export async function withEngine(
  file: string,
  make: MakeEngine,
  own: Partial<DriveOptions> = {},
): Promise<readonly SentRequest[]> {
  const session = await openSession(file);
  const source = { ...session, readPatch };
  const options = { tokenBudget: LIMIT, settings: compactionSettings([], null), policy: defaultPolicy(), ...own };
  const sent: SentRequest[] = [];
  for await (const { assembled } of driveEngine(source, make, options))
    sent.push(requestOf({ ...assembled, messages: { cached: assembled.messages, uncached: [] } }));
  session.close();
  return sent;
}

/** The requests that the provider got, for the answers of the active path. */
export async function sentIn(file: string, got: readonly Got[]): Promise<readonly SentRequest[]> {
  const session = await openSession(file);
  const byResponse = new Map(got.map((each) => [each.responseId, each]));
  const sent = activePath(session.tree).flatMap((head) => {
    const found = head.role === 'assistant' ? byResponse.get(responseIn(session, head)) : undefined;
    return found ? [plain({ system: found.system, tools: found.tools, messages: found.messages })] : [];
  });
  session.close();
  return sent;
}

function responseIn(session: OpenSession, head: Parameters<OpenSession['entry']>[0]): string {
  return String((session.entry(head)['message'] as { readonly responseId?: unknown }).responseId);
}

function requestOf({
  system,
  tools,
  messages: { cached, uncached },
}: Pick<EnvelopeContent, 'system' | 'tools' | 'messages'>): SentRequest {
  return plain({ system: system.compiled, tools, messages: [...cached, ...uncached] });
}

/** As JSON; a text and a block of it are the same to a provider. */
function plain({ system, tools, messages }: SentRequest): SentRequest {
  return JSON.parse(
    JSON.stringify({
      system,
      tools,
      messages: messages.map((message) => {
        const { role, content } = message as { readonly role: unknown; readonly content: unknown };
        return { role, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content };
      }),
    }),
  ) as SentRequest;
}
