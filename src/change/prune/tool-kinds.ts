import { lowerAscii } from '#analysis/facts/text.js';

/** The kind of a tool, by what its results look like. */
export type ToolKind = 'search' | 'read' | 'command' | 'other';

/** Known by its name alone; a prefixed name counts by its last part: `mcp__files__read_file`. */
export function findToolKind(name: string): ToolKind {
  const last = lowerAscii(name.slice(Math.max(0, name.length - LONGEST_NAME)))
    .split(/__|[./:]/)
    .at(-1);
  return KINDS.find(([, names]) => names.test(last ?? ''))?.[0] ?? 'other';
}

const LONGEST_NAME = 200;

const KINDS: readonly (readonly [ToolKind, RegExp])[] = [
  ['search', /^(?:grep|rg|find|fd|ls|glob|list_?(?:dir|files|directory)|\w*search(?:_\w+)?)$/],
  ['read', /^(?:cat|view|(?:read|view|open)(?:_?(?:text_?)?file|_many_files)?)$/],
  [
    'command',
    /^(?:bash|sh|zsh|shell|powershell|pwsh|exec\w*|terminal|run_?(?:shell_?)?(?:command|terminal|code|\w*cmd))$/,
  ],
];
