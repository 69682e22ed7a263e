// A room in which real Pi runs with a scripted model, and with a clock and ids of its own, so that a
// recording has the same bytes every time and on every machine.
import crypto, { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import {
  calculateCost,
  createFauxCore,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
} from '../pi-ai.mjs';

// The bundle, because the other build of Pi imports packages that some registries lack.
const bundle = '../node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js';
const pi = await import(new URL(bundle, import.meta.url).href);

/**
 * Starts a session of Ada's in a project made of `files`.
 * A reply of the model is `{ think?, say?, call?: [tool, arguments] }`.
 */
export async function openStudio({ seed, start, files, settings, extensions = [] }) {
  const clock = replaceClock(start);
  const nextId = replaceIds(seed);

  const home = realpathSync(mkdtempSync(join(tmpdir(), 'pi-record-')));
  process.on('exit', () => rmSync(home, { recursive: true, force: true }));
  const cwd = join(home, 'weather');
  const agentDir = join(home, '.pi', 'agent');
  writeFiles(cwd, files);
  Object.assign(process.env, {
    HOME: home,
    PI_CODING_AGENT_DIR: agentDir,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    PI_OFFLINE: '1',
    TZ: 'UTC',
  });
  const publish = (text) =>
    text
      .replaceAll(pi.getPackageDir(), '/usr/lib/node_modules/@earendil-works/pi-coding-agent')
      .replaceAll(home, '/home/ada');

  const modelRuntime = await pi.ModelRuntime.create({ modelsPath: null, refreshOnCreate: false });
  const model = modelRuntime.getModel('anthropic', 'claude-sonnet-4-5');
  const script = createFauxCore({ provider: model.provider, api: model.api });
  modelRuntime.registerProvider(model.provider, {
    api: model.api,
    apiKey: 'unused',
    streamSimple: (target, context, options) => {
      // Token counts must not depend on how long the paths of this machine are.
      const published = JSON.parse(publish(JSON.stringify(context)));
      return withBill(script.streamSimple(target, published, options), target);
    },
  });

  const settingsManager = pi.SettingsManager.inMemory({ cacheWarming: 'off', ...settings });
  const resourceLoader = new pi.DefaultResourceLoader({
    cwd,
    agentDir,
    settingsManager,
    extensionFactories: extensions,
    noExtensions: true,
    noPromptTemplates: true,
    noSkills: true,
    noThemes: true,
    agentsFilesOverride: ({ agentsFiles }) => ({
      agentsFiles: agentsFiles.filter(({ path }) => path.startsWith(home)),
    }),
  });
  await resourceLoader.reload();

  const manager = pi.SessionManager.create(cwd, join(agentDir, 'sessions'));
  const { session } = await pi.createAgentSession({
    cwd,
    agentDir,
    modelRuntime,
    model,
    thinkingLevel: 'medium',
    settingsManager,
    resourceLoader,
    sessionManager: manager,
  });
  session.subscribe((event) => {
    // A shell command announces itself with an empty result when it starts.
    if (event.type === 'tool_execution_update' && event.partialResult.content.length === 0) clock.advance(900);
  });

  const respond = ({ think, say, call }) => {
    const content = [
      ...(think ? [fauxThinking(think)] : []),
      ...(say ? [fauxText(say)] : []),
      ...(call ? [fauxToolCall(...call, { id: `toolu_01${nextId().slice(0, 22)}` })] : []),
    ];
    const message = fauxAssistantMessage(content, { stopReason: call ? 'toolUse' : 'stop' });
    clock.advance(1200 + 4 * JSON.stringify(content).length);
    return message;
  };
  /** Queues replies of the model for the next requests. */
  const prepare = (...replies) => script.appendResponses(replies.map((reply) => () => respond(reply)));

  return {
    session,
    manager,
    clock,
    prepare,
    async ask(text, ...replies) {
      prepare(...replies);
      clock.advance(20_000 + 150 * text.length);
      await session.prompt(text);
    },
    save(path) {
      session.dispose();
      const failed = manager.getEntries().find(({ message }) => message?.stopReason === 'error');
      if (failed) throw new Error(failed.message.errorMessage);
      if (script.getPendingResponseCount() > 0) throw new Error('Pi did not ask for every scripted reply');
      writeFileSync(path, publish(readFileSync(manager.getSessionFile(), 'utf8')));
    },
  };
}

function writeFiles(root, files) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  }
}

/** The scripted model counts tokens and simulates a prompt cache; this completes the bill. */
function withBill(stream, model) {
  const push = stream.push.bind(stream);
  stream.push = (event) => {
    if (event.type === 'done') {
      const { usage } = event.message;
      // Anthropic's cache begins at 1,024 tokens, and never covers the end of a prompt.
      if (usage.cacheRead < 1024) move(usage, 'cacheRead', 'cacheWrite', usage.cacheRead);
      const isSmall = usage.cacheRead + usage.cacheWrite < 1024;
      move(usage, 'cacheWrite', 'input', isSmall ? usage.cacheWrite : 4);
      calculateCost(model, usage);
    }
    push(event);
  };
  return stream;
}

function move(usage, from, to, tokens) {
  usage[from] -= tokens;
  usage[to] += tokens;
}

/** Time passes only when the story says so, apart from one millisecond for each measurement. */
function replaceClock(start) {
  const begin = Date.parse(start);
  let now = begin;
  globalThis.Date = class extends Date {
    constructor(...args) {
      super(...(args.length > 0 ? args : [now]));
    }
    static now() {
      return now;
    }
  };
  performance.now = () => ++now - begin;
  return {
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

function replaceIds(seed) {
  let count = 0;
  const nextBytes = () => createHash('sha256').update(`${seed} ${++count}`).digest();
  const nextId = () => nextBytes().toString('hex');
  crypto.randomUUID = () => nextId().replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
  crypto.webcrypto.getRandomValues = (array) => {
    array.set(nextBytes().subarray(0, array.length));
    return array;
  };
  syncBuiltinESMExports();
  return nextId;
}
