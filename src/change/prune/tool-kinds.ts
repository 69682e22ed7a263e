import { cut, asciiLower, oneLine } from '#analysis/facts/text.js';
import { commandOf, fileOf, type ToolUse } from '#analysis/facts/tool-uses.js';
import { asString } from '#base/json.js';

/** What the results of a tool look like. */
export type ToolKind = 'search' | 'read' | 'command' | 'other';

/** Known by its name alone; a name that others stand before counts by its last part: `mcp__files__read_file`. */
export function toolKind(name: string): ToolKind {
  const last = asciiLower(name.slice(Math.max(0, name.length - LONGEST_NAME)))
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

/** How a note names a tool and what it was asked for: `read src/a.ts`, `bash: npm test`. */
export function nameOfUse(use: Pick<ToolUse, 'name' | 'args'>): string {
  const name = cut(oneLine(use.name), MOST_OF_NAME);
  const command = commandOf(use);
  if (command !== null) return `${name}: ${cut(command, MOST_OF_ARGUMENT)}`;
  const { args } = use;
  const wanted = ['pattern', 'query', 'q', 'url'].map((key) => asString(args[key])).find((value) => value !== null);
  const path = fileOf(use)?.path;
  const asked = [wanted === undefined ? [] : [JSON.stringify(short(wanted))], path === undefined ? [] : [endOf(path)]];
  return [name, asked.flat().join(' in ')].join(' ').trim();
}

const MOST_OF_NAME = 40;
const MOST_OF_ARGUMENT = 80;

function short(text: string): string {
  return cut(oneLine(text), MOST_OF_ARGUMENT);
}

/** Which file it is, the end of its path says. */
function endOf(path: string): string {
  const line = oneLine(path);
  if (line.length <= MOST_OF_ARGUMENT) return line;
  const end = line.slice(2 - MOST_OF_ARGUMENT);
  const slash = end.indexOf('/');
  return `…/${(slash < 0 ? end : end.slice(slash + 1)).replace(/^[\udc00-\udfff]/, '')}`;
}
