import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createJiti } from 'jiti';
import { describeRefusal } from './support.mjs';
// Resumes copies of sessions in a real client, with a provider on loopback that refuses what the API refuses.

const clients = fileURLToPath(new URL('../../clients/', import.meta.url));
const jiti = createJiti(import.meta.url);
const { FREE, startClaude, startCodex } = await jiti.import(`${clients}copies.ts`);
const { place } = await jiti.import(`${clients}copied-sessions.ts`);
const { findClaudeCode, findCodex } = await jiti.import(`${clients}installed.ts`);

const PROMPT = 'Go on from here';
const VERSIONS = { 'claude-code': '2.1.332', codex: '0.171.0' };

/** The name and version of the client of an agent, for a page. */
export const CLIENTS = {
  'claude-code': `Claude Code ${VERSIONS['claude-code']}`,
  codex: `Codex ${VERSIONS.codex}`,
};

/** Starts the real client of an agent. Throws where it is not installed. */
export async function startClient(agent) {
  const version = VERSIONS[agent];
  const program = agent === 'codex' ? findCodex(version) : findClaudeCode(version);
  if (program === null)
    throw new Error(`${CLIENTS[agent]} is not installed: cd test/clients/npm && npm ci --ignore-scripts`);
  const client = agent === 'codex' ? await startCodex(program) : await startClaude(program, version);
  client.client.provider.isStrict = true;
  // A recorded session may be nearly full: the client is to send it, and not to compact it first.
  client.claude?.settings({ env: { DISABLE_AUTO_COMPACT: '1' } });
  return client;
}

/** The texts and signatures of the thinking that the answers of a session have. Encrypted reasoning has no text. */
function* listThinking(text) {
  for (const [, hidden] of text.matchAll(/"encrypted_content":\s*"([^"]+)"/g))
    yield { thinking: '', signature: hidden };
  for (const line of text.split('\n')) {
    if (!line.includes('"signature"')) continue;
    const { message } = JSON.parse(line);
    const blocks = Array.isArray(message?.content) ? message.content : [];
    for (const { type, thinking, signature } of blocks) if (type === 'thinking') yield { thinking, signature };
  }
}

/** Says the prompt in a session. Claude Code goes on with the model of its answers, since it leaves out the thinking of another. */
async function say(client, id, text) {
  const models = [...text.matchAll(/"model":\s*"(claude-[\w.-]+)"/g)].map(([, model]) => model);
  if (client.claude === undefined || models.length === 0) await client.resume(id, PROMPT);
  else await client.claude.open(...FREE, '--model', models.at(-1), '--resume', id).only(PROMPT);
}

/**
 * Resumes a file with one prompt. Returns the characters of the messages in the request that followed, and why it failed:
 * the client did not open the session, or the API refuses the request; null if it did not.
 */
export async function resume(client, file, original) {
  const { provider } = client.client;
  for (const { thinking, signature } of listThinking(readFileSync(original, 'utf8')))
    provider.sign(thinking, signature);
  const before = provider.requests.length;
  try {
    const text = readFileSync(file, 'utf8');
    const placed = await place(client, text);
    const [, id] = /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.jsonl$/.exec(placed) ?? [];
    await say(client, id, text);
  } catch (error) {
    // A client that is refused may end with an error: the refusal says more.
    if (provider.requests.length === before) return { failure: `not opened: ${error.message.split('\n')[0]}` };
  }
  const sent = provider.requests.slice(before).find(({ body }) => JSON.stringify(body).includes(PROMPT));
  if (sent === undefined) return { failure: 'not opened: the client sent no request' };
  if (sent.refusal !== null) return { failure: `refused by the API: ${describeRefusal(sent.refusal)}` };
  return { failure: null, characters: JSON.stringify(sent.body.messages ?? sent.body.input).length };
}
