// Prints the files of the plugin that its skills do not contain, by name: the marketplace, and the manifests, MCP server
// and hooks of each agent. All of them come from package.json and from what is below. The skills in plugin/skills are
// read by Claude Code, Codex and Pi as they are.
import { readFileSync } from 'node:fs';

const {
  name: packageName,
  version,
  homepage,
  license,
  author,
  repository,
} = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

const NAME = 'ctx';
const TITLE = 'Look into the context of your agent';
const DESCRIPTION =
  'Explains what fills the context, why the prompt cache missed and what a compaction lost; finds earlier sessions, and makes long ones shorter. Needs the command ctx.';
const KEYWORDS = ['context', 'tokens', 'prompt-cache', 'compaction', 'sessions'];

/** The command that the user has installed. Nothing else is run. */
const PROGRAM = 'ctx';

const about = {
  name: NAME,
  version,
  description: DESCRIPTION,
  author: { name: author },
  homepage,
  repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, ''),
  license,
  keywords: KEYWORDS,
};

/** Claude Code finds `skills`, `hooks/hooks.json` and `.mcp.json` by their names. */
const claudeCode = about;

const server = { command: PROGRAM, args: ['mcp'] };
const mcp = { mcpServers: { [NAME]: server } };

/**
 * The hook that compares a compaction with what was before it. Every version of Claude Code knows these events, and so does
 * Codex, which runs hooks only once the user has reviewed them. Exit code 2 would block the prompt: a `ctx` that does not
 * know the command has it.
 */
const guard = { type: 'command', command: `${PROGRAM} guard compaction || exit 1`, timeout: 10 };
const hooks = {
  description: 'Saves facts before a compaction, and names the instructions that its summary lacks',
  hooks: {
    PreCompact: [{ hooks: [guard] }],
    SessionStart: [{ matcher: 'compact', hooks: [guard] }],
    UserPromptSubmit: [{ hooks: [guard] }],
  },
};

/** Where sessions and results may be, if not in the usual folders. Codex passes its servers only the variables that they name. */
const FOLDERS = [
  'PI_CODING_AGENT_DIR',
  'CLAUDE_CONFIG_DIR',
  'CODEX_HOME',
  'COPILOT_HOME',
  'OPENCODE_DB',
  'XDG_DATA_HOME',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'CTX_INDEX_DIR',
];

/** Codex shows the interface in its list of plugins. */
const codex = {
  ...about,
  skills: './skills/',
  hooks: './hooks/hooks.json',
  mcpServers: { [NAME]: { ...server, env_vars: FOLDERS } },
  interface: {
    displayName: NAME,
    shortDescription: TITLE,
    longDescription: DESCRIPTION,
    developerName: author,
    category: 'Developer Tools',
    capabilities: ['Read'],
    defaultPrompt: [
      'What fills the context of this session?',
      'Why did the prompt cache miss?',
      'What did the last compaction lose?',
    ],
  },
};

/** Both agents read the same marketplace. Its name is the one of the package, since a user has one of each name. */
const marketplace = {
  name: packageName,
  description: TITLE,
  owner: { name: author },
  plugins: [{ name: NAME, source: './plugin', description: DESCRIPTION, version, category: 'development' }],
};

const files = {
  '.claude-plugin/marketplace.json': marketplace,
  'plugin/.claude-plugin/plugin.json': claudeCode,
  'plugin/.codex-plugin/plugin.json': codex,
  'plugin/.mcp.json': mcp,
  'plugin/hooks/hooks.json': hooks,
};
const texts = Object.entries(files).map(([file, value]) => [file, `${JSON.stringify(value, null, 2)}\n`]);
process.stdout.write(JSON.stringify(Object.fromEntries(texts)));
