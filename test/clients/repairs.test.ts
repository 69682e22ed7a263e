import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listObjects } from '#base/json.js';
import { breakSession, BROKEN_SESSIONS } from './broken-sessions.js';
import { copyIn, type CopyingClient, findFile, LATER, runCtx, startClaude } from './copies.js';
import { findClaudeCode } from './installed.js';

/** What a client does with a broken session. */
type Outcome = 'goes on' | 'goes on after a refusal' | 'goes on without the beginning' | 'is refused';

const VERSIONS = ['2.0.76', '2.1.237', '2.1.290', '2.1.332'];

/** The session that is broken, in a client that goes on with its copies. */
interface Played {
  readonly client: CopyingClient;
  readonly file: string;
  readonly sessionId: string;
  readonly text: string;
}

async function play(program: string, version: string): Promise<Played> {
  const client = await startClaude(program, version);
  const sessionId = await client.play(false);
  const file = findFile(client, sessionId);
  client.client.provider.isStrict = true;
  return { client, file, sessionId, text: readFileSync(file, 'utf8') };
}

/** Writes a broken session, as a session of its own. */
function writeBroken({ file, sessionId, text }: Played, kind: string): { readonly id: string; readonly file: string } {
  const id = randomUUID();
  const broken = path.join(path.dirname(file), `${id}.jsonl`);
  writeFileSync(broken, breakSession(text.replaceAll(sessionId, id), BROKEN_SESSIONS[kind]!));
  return { id, file: broken };
}

/** Resumes a broken session with the client that wrote it. */
async function tryBroken(played: Played, id: string): Promise<Outcome> {
  const { provider } = played.client.client;
  const before = provider.requests.length;
  await played.client.resume(id, LATER[0]);
  const sent = provider.requests.slice(before).filter(({ body }) => JSON.stringify(body).includes(LATER[0]));
  const accepted = sent.find(({ refusal }) => refusal === null);
  if (!accepted) return 'is refused';
  if (!JSON.stringify(accepted.body).includes('Print much')) return 'goes on without the beginning';
  return sent[0] === accepted ? 'goes on' : 'goes on after a refusal';
}

/** Version 2.0.76 asks for titles and the like, beside the conversation. */
function requestsOf({ client }: Played, from: number) {
  return client.client.provider.requests.slice(from).filter(({ body }) => listObjects(body['tools']).length > 0);
}

describe.each(VERSIONS)('a broken session of Claude Code %s', (version) => {
  const program = findClaudeCode(version);
  if (program === null) console.warn(`left out: Claude Code ${version} is not installed`);
  const outcomes: Record<string, Outcome> = {};
  let played: Played;

  beforeAll(async () => {
    if (program !== null) played = await play(program, version);
  });

  afterAll(async () => {
    if (program === null) return;
    await played.client.end();
    console.log(version, outcomes);
  });

  it.skipIf(program === null).each(Object.keys(BROKEN_SESSIONS))('goes on after ctx repair: %s', async (kind) => {
    const { client } = played;
    const tried = writeBroken(played, kind);
    const { file } = writeBroken(played, kind);
    const original = readFileSync(file);
    outcomes[kind] = await tryBroken(played, tried.id);

    const repaired = copyIn(await runCtx(client, 'repair', file, '--install'));
    const predicted = await runCtx(client, 'show', repaired.file);
    const before = client.client.provider.requests.length;
    await client.resume(repaired.sessionId, LATER[0], LATER[1]);
    const sent = requestsOf(played, before);
    expect(sent.map(({ refusal }) => refusal)).toEqual([null, null, null, null]);
    expect(client.compare(sent[0]!.body, predicted, LATER[0])).toEqual([]);

    const second = client.client.provider.requests.length;
    await client.resume(repaired.sessionId, LATER[2]);
    expect(requestsOf(played, second).map(({ refusal }) => refusal)).toEqual([null, null]);
    expect(readFileSync(file)).toEqual(original);
  });
});
