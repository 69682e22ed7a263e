import type { ContentKind, LabelledText } from './kinds.js';
import { splitListing } from './listing.js';

/** The pieces of a text that Codex or a client like it adds to the input by itself; null for any other text. */
export function labelCodexText(text: string): readonly LabelledText[] | null {
  if (text.startsWith('# AGENTS.md instructions') || text.startsWith('<user_instructions>'))
    return labelAgentsFiles(text);
  const tag = TAG.exec(text)?.[1];
  if (tag === 'skill') return [{ kind: 'skills', name: null, item: LOADED.exec(text)?.[1], text }];
  const label = tag === undefined || !Object.hasOwn(TAGS, tag) ? undefined : TAGS[tag];
  return label ? splitListing({ kind: label[0], name: label[1], text }) : null;
}

const TAG = /^<([a-z_]+)(?:>| )/;
/** A skill with its whole text. */
const LOADED = /^<skill>\s*<name>([^<\n]{1,200})<\/name>/;

/** The content that Codex wraps in each tag. */
const TAGS: Readonly<Record<string, readonly [kind: ContentKind, name: string | null]>> = {
  environment_context: ['reminders', 'environment'],
  session_context: ['reminders', 'environment'],
  permissions: ['reminders', 'permissions'],
  collaboration_mode: ['reminders', 'mode'],
  personality_spec: ['reminders', 'personality'],
  model_switch: ['reminders', 'model'],
  turn_aborted: ['reminders', 'interruption'],
  apps_instructions: ['reminders', 'apps'],
  plugins_instructions: ['reminders', 'plugins'],
  subagent_notification: ['reminders', 'subagents'],
  skills_instructions: ['skills', null],
  hook_context: ['hooks', null],
};

/**
 * The file of the user comes first, then a line, then the files of the project, which are joined without their names.
 */
function labelAgentsFiles(text: string): readonly LabelledText[] {
  const folder = /^# AGENTS\.md instructions for (.{1,1000})$/m.exec(text)?.[1];
  const own = folder === undefined ? 'AGENTS.md' : `${folder.replace(/\/$/, '')}/AGENTS.md`;
  const at = text.indexOf(PROJECT);
  if (at === -1) return [{ kind: 'memory files', name: own, text }];
  const ofUser = { kind: 'memory files', name: 'AGENTS.md of the user', text: text.slice(0, at) } as const;
  return [ofUser, { kind: 'memory files', name: own, text: text.slice(at) }];
}

const PROJECT = '\n--- project-doc ---\n';
