import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Resident } from '../../support/resident.js';
import { type Got, linesOf, type RunningPi } from './running-pi.js';

interface Shown {
  readonly system: { readonly compiled: string };
  readonly tools: readonly { readonly name: string }[];
  readonly messages: { readonly cached: readonly object[] };
  readonly options: { readonly reasoning?: string };
  readonly meta: { readonly toolsWithoutImplementation: readonly string[] };
}

/** The end of all comparisons of a run. */
export interface Compared {
  /** The number of requests that were compared. */
  readonly requests: number;
  /** Requests that the provider got and no session contains. */
  readonly unanswered: readonly string[];
  /** The parts that differ, each as `request: part`. */
  readonly differences: readonly string[];
  /** The requests in which the recorder found a difference, by their number. */
  readonly recorded: readonly number[];
  /** The findings of the rule `sent-as-replayed`. */
  readonly findings: readonly string[];
}

/** Compares what the provider got with what `ctx show --json` prints of the session file at each request. */
export async function compared(pi: RunningPi, flags: readonly string[], ctx: Resident): Promise<Compared> {
  const files = readdirSync(path.join(pi.folder, '.pi'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => path.join(pi.folder, '.pi', name))
    .toSorted();
  const differences: string[] = [];
  const unanswered: string[] = [];
  const recorded = new Set<number>();
  const got = pi.got();
  for (const [at, request] of got.entries()) {
    const places = files.flatMap((file) => [...placesOf(file, request.responseId)]);
    if (places.length === 0) unanswered.push(request.responseId);
    for (const { file, parent, isRecorded } of places) {
      if (isRecorded) recorded.add(at + 1);
      const shown = JSON.parse(await printed(ctx, 'show', file, '--at', parent, '--json', ...flags)) as Shown;
      differences.push(...differencesOf(request, shown).map((part) => `${at + 1}: ${part}`));
    }
  }
  const findings: string[] = [];
  for (const file of files) findings.push(...findingsOf(await printed(ctx, 'check', file, '--json')));
  return { requests: got.length, unanswered, differences, recorded: [...recorded], findings };
}

function* placesOf(file: string, responseId: string): Generator<{ file: string; parent: string; isRecorded: boolean }> {
  const lines = linesOf(file);
  for (const { message, parentId } of lines) {
    if ((message as { responseId?: string } | undefined)?.responseId !== responseId) continue;
    const above = lines.find(({ id }) => id === parentId);
    const { differs } = (above?.['customType'] === 'ctx.request' ? above['data'] : {}) as { readonly differs?: object };
    yield { file, parent: String(parentId), isRecorded: differs !== undefined };
  }
}

/** The JSON that a command line prints, without its notes to the other stream. */
async function printed(ctx: Resident, ...words: readonly string[]): Promise<string> {
  const { all } = await ctx.run(words);
  return /^\{.*\}$/ms.exec(all)?.[0] ?? all;
}

interface Checked {
  readonly findings: readonly { readonly rule: string; readonly message: string }[];
}

/** The messages of the rule `sent-as-replayed`. */
function findingsOf(text: string): readonly string[] {
  const { files } = JSON.parse(text) as { readonly files: readonly Checked[] };
  return files
    .flatMap(({ findings }) => findings)
    .filter(({ rule }) => rule === 'sent-as-replayed')
    .map(({ message }) => message);
}

function differencesOf(got: Got, shown: Shown): readonly string[] {
  const { options, meta } = shown;
  const tools = shown.tools.filter(({ name }) => !meta.toolsWithoutImplementation.includes(name));
  const parts: readonly (readonly [name: string, got: unknown, shown: unknown])[] = [
    ['prompt', got.system, shown.system.compiled],
    ['tools', got.tools, tools],
    ['messages', got.messages, shown.messages.cached],
    ['reasoning', got.reasoning ?? null, options.reasoning ?? null],
  ];
  return parts.flatMap(([name, one, other]) => (JSON.stringify(one) === JSON.stringify(other) ? [] : [name]));
}
