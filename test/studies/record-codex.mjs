// Records rollouts of real Codex, and what it sent to the model, with a scripted provider:
// npm install @openai/codex@0.169.0 in some folder, then node test/studies/record-codex.mjs FOLDER/node_modules/.bin/codex
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const target = fileURLToPath(new URL('../../fixtures/agents/codex/continued', import.meta.url));
// The paths get into the rollouts.
const home = '/tmp/record/.codex';
const cwd = '/tmp/record/shop';
const requests = [];
const server = createServer(async (request, response) => {
  const body = await text(request);
  if (request.method === 'POST') answer(JSON.parse(body), body.length, response);
  else response.writeHead(200).end('{"data":[],"models":[]}');
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));

mkdirSync(home, { recursive: true });
mkdirSync(cwd, { recursive: true });
writeFileSync(
  path.join(home, 'config.toml'),
  `model = "gpt-5.2-codex"
model_provider = "scripted"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.scripted]
name = "scripted"
base_url = "http://127.0.0.1:${server.address().port}/v1"
wire_api = "responses"
`,
);

/** Answers the newest message with a call if it asks for one, and with its number otherwise. */
function answer({ input, model }, length, response) {
  const number = requests.push(input);
  const usage = { input_tokens: Math.round(length / 4), output_tokens: 20, total_tokens: Math.round(length / 4) + 20 };
  const details = { input_tokens_details: { cached_tokens: 512 }, output_tokens_details: { reasoning_tokens: 5 } };
  const content = [{ type: 'output_text', text: `Answer ${number}.`, annotations: [] }];
  const said = { type: 'message', id: `msg_${number}`, role: 'assistant', status: 'completed', content };
  const isAsked = JSON.stringify(input.at(-1)).includes('Use the tool');
  const output = isAsked ? called(number) : [said];
  const whole = { id: `resp_${number}`, status: 'completed', model, output, usage: { ...usage, ...details } };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event) => response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  send({ type: 'response.created', response: { ...whole, output: [] } });
  for (const [at, item] of output.entries()) send({ type: 'response.output_item.done', output_index: at, item });
  send({ type: 'response.completed', response: whole });
  response.end();
}

function called(number) {
  const summary = [{ type: 'summary_text', text: `Thought ${number}.` }];
  const request = { call_id: `call_${number}`, name: 'exec_command', arguments: `{"cmd":"echo out-${number}"}` };
  return [
    { type: 'reasoning', id: `rs_${number}`, summary, encrypted_content: 'c2VjcmV0' },
    { type: 'function_call', id: `fc_${number}`, status: 'completed', ...request },
  ];
}

const codex = spawn(process.argv[2], ['app-server'], {
  cwd,
  env: { ...process.env, CODEX_HOME: home },
  stdio: ['pipe', 'pipe', 'ignore'],
});
const waiting = new Map();
const finished = [];
createInterface({ input: codex.stdout }).on('line', (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === 'turn/completed') finished.shift()?.(params.turn.id);
  if (error) throw new Error(error.message);
  waiting.get(id)?.(result);
});

function call(method, params) {
  const id = waiting.size + 1;
  codex.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
  return new Promise((resolve) => waiting.set(id, resolve));
}

/** Lets a thread work until its turn ends, and returns the id of the turn. */
async function turn(threadId, words, method = 'turn/start') {
  const end = new Promise((resolve) => finished.push(resolve));
  await call(method, { threadId, input: [{ type: 'text', text: words }] });
  return end;
}

const idOf = ({ thread }) => thread.id;
await call('initialize', { clientInfo: { name: 'record', title: 'record', version: '1' } });
const origin = idOf(await call('thread/start', { cwd, baseInstructions: 'You are careful.' }));
const first = await turn(origin, 'One. Use the tool.');
const second = await turn(origin, 'Two.');
await turn(origin, 'Three.');
const fork = idOf(await call('thread/fork', { threadId: origin, lastTurnId: first, cwd }));
await turn(fork, 'Four. Use the tool.');
const forkOfFork = idOf(await call('thread/fork', { threadId: fork, cwd, baseInstructions: 'You are bold.' }));
await turn(forkOfFork, 'Five.');
await turn(forkOfFork, '', 'thread/compact/start');
await turn(forkOfFork, 'Six. Use the tool.');
await call('thread/revert', { threadId: origin, beforeTurnId: second });
await turn(origin, 'Seven.');
const forkOfReverted = idOf(await call('thread/fork', { threadId: origin, cwd }));
await turn(forkOfReverted, 'Eight.');
codex.kill();
server.close();

rmSync(target, { recursive: true, force: true });
mkdirSync(target);
for (const name of readdirSync(`${home}/sessions`, { recursive: true, encoding: 'utf8' }).filter((each) =>
  each.endsWith('.jsonl'),
))
  cpSync(`${home}/sessions/${name}`, path.join(target, path.basename(name)));
rmSync('/tmp/record', { recursive: true });
const texts = [...new Set(requests.flat().map((item) => JSON.stringify(item)))];
const numbers = requests.map((items) => items.map((item) => texts.indexOf(JSON.stringify(item))));
const items = texts.map((one) => JSON.parse(one));
writeFileSync(path.join(target, 'sent.json'), `${JSON.stringify({ items, requests: numbers }, null, 1)}\n`);
