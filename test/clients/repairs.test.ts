import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { asObject, asString, type JsonObject, listObjects } from '#base/json.js';
import { isTried, isWhole } from '../support/runs.js';
import { breakSession, BROKEN_SESSIONS, UNREPAIRED, UNSEEN } from './broken-sessions.js';
import { copyIn, type CopyingClient, findFile, LATER, runCtx, startClaude, startCodex } from './copies.js';
import { findClaudeCode, findCodex } from './installed.js';
import { isStuck, type Outcome, type Outcomes, outcomesFile, readOutcomes } from './outcomes.js';
import type { SentRequest } from './provider.js';

/** The session that is broken, in a client that goes on with its copies. */
interface Played {
  readonly client: CopyingClient;
  readonly file: string;
  readonly sessionId: string;
  readonly text: string;
}

const CODEX = '0.171.0';

const CLIENTS = [
  ...['2.0.76', '2.1.237', '2.1.290', '2.1.332'].map((version) => {
    const program = findClaudeCode(version);
    const start = program === null ? null : () => startClaude(program, version);
    return { agent: 'Claude Code', version, start } as const;
  }),
  ...[CODEX].map((version) => {
    const program = findCodex(version);
    return { agent: 'Codex', version, start: program === null ? null : () => startCodex(program) } as const;
  }),
];

/** Whether the outcomes are written, instead of compared. */
const isUpdate = process.env['UPDATE'] === '1';

const NEWEST = CLIENTS.findLast(({ agent }) => agent === 'Claude Code')!.version;

/**
 * The faults that a client is tried with. Where not all are, the newest versions try some, and those that stop them. Older
 * ones try fewer, and those with another outcome than in the newest version.
 */
function faultsOf(agent: keyof typeof BROKEN_SESSIONS, version: string): readonly string[] {
  const all = Object.keys(BROKEN_SESSIONS[agent]);
  const isNewest = version === NEWEST || version === CODEX;
  const nth = CLIENTS.findIndex((client) => client.version === version);
  const known = readOutcomes();
  return all.filter((fault, at) => {
    const { [`${agent} ${version}`]: own, [`${agent} ${NEWEST}`]: newest } = known[fault] ?? {};
    const isSpecial = isNewest ? own === undefined || isStuck(own) : own !== newest;
    return isSpecial || isTried(at, isNewest ? 3 : 6, nth);
  });
}

/** Older versions are tried with a repair only where the fault stops them; `CTX_RUNS=1` tries all. */
function isRepairTried(version: string, outcome: Outcome): boolean {
  return version === NEWEST || version === CODEX || isStuck(outcome) || isWhole;
}

async function play(start: () => Promise<CopyingClient>): Promise<Played> {
  const client = await start();
  const sessionId = await client.play(false);
  const file = findFile(client, sessionId);
  client.client.provider.isStrict = true;
  return { client, file, sessionId, text: readFileSync(file, 'utf8') };
}

/** Writes a broken session, as a session of its own. */
function writeBroken(
  { client, file, sessionId, text }: Played,
  agent: keyof typeof BROKEN_SESSIONS,
  kind: string,
): { readonly id: string; readonly file: string } {
  // Codex takes ids with a time only.
  const id = client.codex ? `${sessionId.slice(0, 24)}${randomUUID().slice(24)}` : randomUUID();
  const broken = path.join(path.dirname(file), path.basename(file).replace(sessionId, id));
  writeFileSync(broken, breakSession(text.replaceAll(sessionId, id), BROKEN_SESSIONS[agent][kind]!));
  return { id, file: broken };
}

/** The requests of a session. Version 2.0.76 asks for titles and the like, beside the conversation. */
function requestsOf({ client }: Played, sessionId: string): readonly SentRequest[] {
  const { requests } = client.client.provider;
  return requests.filter((each) => each.sessionId === sessionId && listObjects(each.body['tools']).length > 0);
}

/** Resumes a broken session with the client that wrote it. */
async function tryBroken(played: Played, id: string): Promise<Outcome> {
  try {
    await played.client.resume(id, LATER[0]);
  } catch (error) {
    if (String(error).includes('is silent')) return 'never answers';
    throw error;
  }
  const sent = requestsOf(played, id).filter(({ body }) => JSON.stringify(body).includes(LATER[0]));
  const accepted = sent.find(({ refusal }) => refusal === null);
  if (!accepted) return 'is refused';
  if (!JSON.stringify(accepted.body).includes('Print much')) return 'goes on without the beginning';
  return sent[0] === accepted ? 'goes on' : 'goes on after a refusal';
}

/** Runs a command that finds faults, or refuses. Returns the JSON that it prints. */
async function runRefused(client: CopyingClient, ...argv: readonly string[]): Promise<JsonObject> {
  try {
    return await runCtx(client, ...argv);
  } catch (error) {
    return JSON.parse(asString(asObject(error)['stdout']) || asString(asObject(error)['stderr']) || '{}') as JsonObject;
  }
}

/** What `ctx check` says about a session: whether its client can go on, and why not, or without which part. */
async function judge(client: CopyingClient, file: string): Promise<JsonObject> {
  const { files } = await runRefused(client, 'check', file, '--no-config');
  return asObject(listObjects(files)[0]?.['goingOn']);
}

const tried: Outcomes = {};

/** Milliseconds: 32 MB of images are sent several times, while other tests run. */
const LONGEST = 400_000;

describe.each(CLIENTS)('a broken session of $agent $version', ({ agent, version, start }) => {
  if (start === null) console.warn(`left out: ${agent} ${version} is not installed`);
  let played: Played;

  beforeAll(async () => {
    if (start !== null) played = await play(start);
  });

  afterAll(async () => {
    if (start === null) return;
    await played.client.end();
  });

  it.skipIf(start === null).concurrent.each(faultsOf(agent, version))(
    '%s',
    async (fault) => {
      const { client } = played;
      const broken = writeBroken(played, agent, fault);
      const verdict = await judge(client, broken.file);
      const outcome = await tryBroken(played, broken.id);
      (tried[fault] ??= {})[`${agent} ${version}`] = outcome;
      if (!isUpdate) expect(outcome).toBe(readOutcomes()[fault]?.[`${agent} ${version}`]);
      expectVerdict(fault, outcome, verdict);
      if (isRepairTried(version, outcome)) await tryRepair(played, agent, fault, outcome);
      expect(client.client.provider.failures).toEqual([]);
    },
    LONGEST,
  );
});

/** What `ctx check` states about a session has to be what its client did. */
function expectVerdict(fault: string, outcome: Outcome, { goesOn, why }: JsonObject): void {
  if (fault in UNSEEN) {
    expect([goesOn, why]).toEqual([true, null]);
    return;
  }
  expect({ outcome, goesOn }).toEqual({ outcome, goesOn: !isStuck(outcome) });
  if (outcome !== 'goes on') expect(why).not.toBeNull();
}

/** Repairs a broken session, and goes on with the copy, twice. */
async function tryRepair(
  played: Played,
  agent: keyof typeof BROKEN_SESSIONS,
  fault: string,
  outcome: Outcome,
): Promise<void> {
  const { client } = played;
  const { file } = writeBroken(played, agent, fault);
  const original = readFileSync(file);
  const repaired = await runRefused(client, 'repair', file, '--install', ...(UNSEEN[fault] ?? []));
  if (fault in UNREPAIRED) {
    expect(repaired['what']).toMatch(UNREPAIRED[fault]!);
    return;
  }
  if (repaired['copy'] === undefined) {
    expect(repaired['repairs']).toEqual([]);
    if (!(fault in UNSEEN)) expect(outcome).toBe('goes on');
    return;
  }
  const copy = copyIn(repaired);
  const predicted = await runCtx(client, 'show', copy.file);
  await client.resume(copy.sessionId, LATER[0], LATER[1]);
  const sent = requestsOf(played, copy.sessionId);
  expect(sent.map(({ refusal }) => refusal)).toEqual([null, null, null, null]);
  expect(client.compare(sent[0]!.body, predicted, LATER[0])).toEqual([]);

  await client.resume(copy.sessionId, LATER[2]);
  const again = requestsOf(played, copy.sessionId).slice(4);
  expect(again.map(({ refusal }) => refusal)).toEqual([null, null]);
  expect(readFileSync(file)).toEqual(original);
}

afterAll(() => {
  if (!isUpdate) return;
  const before = readOutcomes();
  for (const [kind, outcomes] of Object.entries(tried)) before[kind] = { ...before[kind], ...outcomes };
  writeFileSync(outcomesFile, `${JSON.stringify(before, null, 2)}\n`);
});
