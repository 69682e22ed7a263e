import { CtxError } from '#base/errors.js';
import { didYouMean } from '#base/suggestion.js';
import type { Session } from '../session.js';
import { atif } from './atif/format.js';
import { claudeCode } from './claude-code/format.js';
import { cline } from './cline/format.js';
import { codex } from './codex/format.js';
import type { AgentCopier } from './copier.js';
import { copilotCli } from './copilot-cli/format.js';
import { cursor } from './cursor/format.js';
import type { AgentFormat } from './define.js';
import { droid } from './droid/format.js';
import { geminiCli } from './gemini-cli/format.js';
import { kimiCode } from './kimi-code/format.js';
import { ohMyPi } from './oh-my-pi/format.js';
import { openclaw } from './openclaw/format.js';
import { opencode } from './opencode/format.js';
import { qwenCode } from './qwen-code.js';
import { vscodeChat } from './vscode-chat/format.js';

/** The agents whose sessions ctx reads beside Pi's. The first that accepts a file reads it. */
export const AGENTS: readonly AgentFormat[] = [
  qwenCode,
  claudeCode,
  codex,
  geminiCli,
  opencode,
  copilotCli,
  kimiCode,
  droid,
  cline,
  vscodeChat,
  cursor,
  atif,
  ohMyPi,
  openclaw,
];

/** Means all agents, and Pi. */
export const ALL_AGENTS = 'all';

/**
 * The formats that a name such as `claude-code`, or its first word, means. Throws a CtxError (usage) for an unknown
 * name.
 */
export function findAgents(name: string, where = '--agent'): readonly AgentFormat[] {
  if (name === ALL_AGENTS) return AGENTS;
  const found = AGENTS.filter((agent) => agent.name === name || agent.name.startsWith(`${name}-`));
  if (found.length > 0) return found;
  const names = listAgentNames();
  const hint = didYouMean(name, names, `choose one of ${names.join(', ')}`);
  throw new CtxError('usage', `unknown agent "${name}"`, { where, hint });
}

/** The names that `--agent` takes. */
export function listAgentNames(): readonly string[] {
  return ['pi', ...AGENTS.map(({ name }) => name), ALL_AGENTS];
}

/** The environment without the running session, for a server: the agent that started it goes on to other sessions. */
export function dropRunningSession<Value>(env: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  const names = new Set(AGENTS.map(({ sessionVariable }) => sessionVariable));
  return Object.fromEntries(Object.entries(env).filter(([name]) => !names.has(name)));
}

/** The format of the agent that wrote a session; null for Pi. */
export function findFormat({ agent }: Pick<Session, 'agent'>): AgentFormat | null {
  return AGENTS.find(({ name }) => name === agent?.name) ?? null;
}

/** The copier of the agent that wrote a session; null for Pi, and for an agent that `ctx` only reads. */
export function findCopier(session: Pick<Session, 'agent'>): AgentCopier | null {
  return findFormat(session)?.copier ?? null;
}
