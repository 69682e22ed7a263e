import { expect } from 'vitest';
import type { JsonObject } from '#base/json.js';
import { ctx } from '../support/memory-io.js';
import { differences, type Piece, type Unrecorded } from './compare.js';
import type { SentRequest } from './provider.js';

/** How to compare the requests of a client with its sessions. */
export interface Judged {
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly requests: readonly SentRequest[];
  readonly sent: (body: JsonObject) => readonly Piece[];
  /** What ctx shows of a request. `sent`: what it sent. */
  readonly shown: (envelope: JsonObject, sent: readonly Piece[]) => readonly Piece[];
  readonly unrecorded: (envelope: JsonObject) => Unrecorded;
}

/** What a session says of its requests. */
interface Verdict {
  /** The requests on the active path of each session, by their numbers. */
  readonly paths: Readonly<Record<string, readonly number[]>>;
  readonly differences: readonly Difference[];
}

interface Difference {
  readonly request: number;
  readonly text: string;
}

/** What a scenario leads to. */
export interface Outcome {
  /** The requests, by their numbers, whose answers are on no active path, since they were undone. */
  readonly elsewhere?: readonly number[];
  /** The requests that ctx is known to show wrongly. They have to differ, so that a repair is noticed. */
  readonly wrong?: readonly number[];
  /** Whether sessions have answers of no client, without tokens: they are not compared. */
  readonly isWritten?: boolean;
  /** The requests for a summary that a session records: the words that ask for it, at their end, are in no file. */
  readonly summaries?: readonly number[];
  /** The number of requests that were sent before the sessions were copied: their answers are those of the originals. */
  readonly before?: number;
}

/**
 * Expects that ctx shows what was sent, for each request whose answer a session records, and no other request.
 * `isRecorded`: whether a session records the answer to a request.
 */
export async function expectSame(
  judged: Judged,
  { elsewhere = [], wrong = [], summaries = [], isWritten = false, before = 0 }: Outcome,
  isRecorded: (number: number) => boolean,
): Promise<void> {
  const { paths, differences: found } = await judge(judged, summaries, isWritten, before);
  const isKnown = ({ request }: Difference): boolean => wrong.includes(request);
  expect(found.filter((each) => !isKnown(each)).map(({ text }) => text)).toEqual([]);
  expect([...new Set(found.filter(isKnown).map(({ request }) => request))]).toEqual(wrong);
  for (const path of Object.values(paths)) expect(path).toEqual([...new Set(path)]);
  const isOwn = (number: number): boolean => number > before;
  const shown = [...new Set(Object.values(paths).flat())].filter(isOwn).toSorted((a, b) => a - b);
  const answered = judged.requests.map((_, at) => at + 1).filter((number) => isOwn(number) && isRecorded(number));
  expect(shown).toEqual(answered.filter((number) => !elsewhere.includes(number)));
}

/** Compares each request on the active path of each session with what `ctx show SESSION @{request:N}` prints. */
async function judge(
  { files, requests, sent, shown, unrecorded }: Judged,
  summaries: readonly number[],
  isWritten: boolean,
  before: number,
): Promise<Verdict> {
  const numbers = new Map(requests.map(({ promptTokens }, at) => [promptTokens, at + 1]));
  const paths: Record<string, readonly number[]> = {};
  const found: Difference[] = [];
  for (const file of Object.keys(files).filter((name) => name.endsWith('.jsonl'))) {
    const path: number[] = [];
    // An answer that was interrupted has no recorded tokens: it came after the one before.
    const recorded = await requestsIn(file, files);
    for (const promptTokens of recorded)
      path.push(promptTokens === null ? (path.at(-1) ?? 0) + 1 : (numbers.get(promptTokens) ?? 0));
    paths[file] = isWritten ? path.filter((_, at) => recorded[at] !== null) : path;
    for (const [at, number] of path.entries()) {
      if ((isWritten && recorded[at] === null) || (number > 0 && number <= before)) continue;
      const request = requests[number - 1];
      if (!request) {
        found.push({ request: 0, text: `request ${at + 1} of the session was never sent` });
        continue;
      }
      const [envelope = {}] = await print(['show', file, `@{request:${at + 1}}`, '--json'], files);
      const pieces = sent(request.body);
      const own = summaries.includes(number) ? pieces.slice(0, -1) : pieces;
      const each = differences(own, shown(envelope, own), unrecorded(envelope));
      found.push(...each.map((text) => ({ request: number, text: `request ${number}: ${text}` })));
    }
  }
  return { paths, differences: found };
}

/** The recorded prompt tokens of each request on the active path. */
async function requestsIn(file: string, files: Judged['files']): Promise<readonly (number | null)[]> {
  const lines = await print(['cache', file, '--each', '--json'], files);
  const requests = lines.filter(({ schema }) => schema === 'ctx/cache-request');
  return requests.map(({ recorded }) => (recorded as { promptTokens: number } | null)?.promptTokens ?? null);
}

async function print(argv: readonly string[], files: Judged['files']): Promise<readonly JsonObject[]> {
  const { stdout, stderr, exitCode } = await ctx(argv, { files });
  expect({ argv, exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const texts = stdout.split('\n').filter((line) => line !== '');
  return texts.map((text) => JSON.parse(text) as JsonObject);
}
