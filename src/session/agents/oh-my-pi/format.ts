import path from 'node:path';
import { buildPiHeader } from '../blocks.js';
import type { AgentFormat, AgentLines, AgentSession } from '../define.js';
import { isOhMyPi } from './detect.js';
import { SessionReader } from './session-reader.js';
import { Start } from './start.js';

/**
 * oh-my-pi, a fork of Pi: Pi's format with more types and roles, and a title before the header. Source:
 * `@oh-my-pi/pi-coding-agent` 18.3.4 (`session-context.ts`, `messages.ts`), and 18.2.3, which a test runs.
 */
export const ohMyPi: AgentFormat = {
  name: 'oh-my-pi',
  title: 'oh-my-pi',
  detect: isOhMyPi,
  folders(env, home) {
    const root = path.join(home, env['PI_CONFIG_DIR'] || '.omp');
    const data = env['XDG_DATA_HOME'];
    return [
      path.join(root, 'agent', 'sessions'),
      path.join(root, 'profiles'),
      ...(data ? [path.join(data, 'omp', 'sessions'), path.join(data, 'omp', 'profiles')] : []),
    ];
  },
  mayEnter: (folder) => !/[\\/]profiles[\\/][^\\/]+[\\/](?!(?:agent|sessions)(?:[\\/]|$))/.test(folder),
  isSession: (file) => /[\\/]sessions[\\/].*\.jsonl$/.test(file),
  findId: (file) => /_([^_/\\]+)\.jsonl$/.exec(file)?.[1] ?? path.basename(file, '.jsonl'),
  read,
};

function read(lines: AgentLines, file: string): AgentSession {
  const start = new Start();
  let reader: SessionReader | null = null;
  let unusedLines = 0;
  for (const record of lines) {
    if (!reader && start.take(record)) continue;
    reader ??= new SessionReader(start.id ?? path.basename(file, '.jsonl'), start);
    if (!reader.take(record)) unusedLines += 1;
  }
  const { timestamp, cwd, parentSession } = start;
  const list = reader?.list;
  return {
    header: buildPiHeader({ id: start.id, timestamp, cwd, parentSession }),
    isSubagent: reader?.hasPrompt ?? false,
    ...(file.endsWith(ENDING) && { subagentFolder: file.slice(0, -ENDING.length) }),
    // A session names the version of its format only.
    version: null,
    entries: list?.entries ?? [],
    leafId: list?.lastId ?? null,
    unusedLines,
    problems: [...start.listProblems(), ...(reader?.listProblems() ?? [])],
    parts: {
      system: reader?.hasPrompt ? 'recorded' : 'missing',
      tools: 'missing',
      // The words around summaries and interjections are not recorded, and large images are in other files.
      messages: 'approximate',
      compactions: 'approximate',
      usage: list?.hasUsage ? 'recorded' : 'missing',
    },
  };
}

const ENDING = '.jsonl';
