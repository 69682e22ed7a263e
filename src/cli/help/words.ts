import { toShellWord } from '#base/shell.js';
import { formatTerms } from './terms.js';

/** A command line that does what a word asks for, and what that is. SESSION: the one that the user names. */
type Answer = readonly [line: string, what: string];

const SHOW: Answer = ['ctx show SESSION', 'what fills the context, by kind'];
const LARGEST: Answer = ['ctx show SESSION --sort tokens', 'the largest messages first'];
const STATUS: Answer = ['ctx status SESSION', 'how full the context is, and what to do'];
const STATS: Answer = ['ctx stats SESSION', 'tokens and cost'];
const EACH_WEEK: Answer = ['ctx stats all --by week', 'tokens and cost of all sessions by week'];
const EACH_MONTH: Answer = ['ctx stats all --by month', 'tokens and cost of all sessions by month'];
const EACH_DAY: Answer = ['ctx stats all --by day', 'tokens and cost of all sessions by day'];
const CACHE: Answer = ['ctx cache SESSION', 'where the prompt cache missed, why, and the cost'];
const READ: Answer = ['ctx show SESSION --conversation', 'the conversation, to read here'];
const LOG: Answer = ['ctx log SESSION', 'the entries with tokens and cost'];
const RESUME: Answer = ['ctx status SESSION', 'how full the context is, and the command that resumes the session'];
const FIND: Answer = ['ctx find WORDS', 'the sessions with these words, each with the command that resumes it'];
const GREP: Answer = ['ctx grep PATTERN SESSION', 'a pattern in one session'];
const OVERHEAD: Answer = ['ctx overhead SESSION', 'what tools, MCP servers and memory files cost, and their use'];
const CHEAPER: Answer = ['ctx stats SESSION --cheaper', 'what would have been cheaper'];
const GUARD: Answer = ['ctx guard budget --cost 5', 'a hook that warns or stops at a limit'];
const LIST: Answer = ['ctx ls', 'the sessions, newest first'];
const LOSS: Answer = ['ctx loss SESSION', 'what a compaction lost'];
const WHY: Answer = ['ctx why WORDS SESSION', 'why the model no longer knows something'];
const PAGE: Answer = ['ctx report SESSION --redact', 'a page to send, without secrets'];
const OPEN_PAGE: Answer = ['ctx report SESSION --open', 'a page in the browser'];
const MARKDOWN: Answer = ['ctx export SESSION --format markdown', 'the conversation as a document to publish'];
const REDACT: Answer = ['ctx redact SESSION --output NEW', 'a copy of the session without secrets'];
const EXTRACT: Answer = ['ctx extract SESSION --output NEW', 'a branch as a new session'];
const CONVERT: Answer = ['ctx convert SESSION --to codex --install', 'the session for another agent'];
const DOCTOR: Answer = ['ctx doctor SESSION', 'whether its agent can go on, and the repair'];
const REPAIR: Answer = ['ctx repair SESSION --output NEW', 'a repaired copy'];
const CHECK: Answer = ['ctx check SESSION', 'damage, invalid requests and leaks'];
const PRUNE: Answer = ['ctx prune SESSION --dry-run', 'what could be left out; the file keeps it'];
const COMPACT: Answer = ['ctx compact SESSION --dry-run', 'a summary instead of older messages'];
const IMAGES: Answer = ['ctx prune SESSION --strategy images --dry-run', 'old images left out'];
const FAIL: Answer = ['ctx status SESSION --fail-on red', 'exits with 1 when the context is too full'];
const DATASET: Answer = ['ctx export SESSION --format parquet --output DIR', 'tables for a notebook'];
const REVERT: Answer = ['ctx revert SESSION --dry-run', 'a compaction or a prune undone'];
const ARCHIVE: Answer = ['ctx archive', 'copies of sessions, before their agents delete them'];
const EXPLORE: Answer = ['ctx explore SESSION', 'a session full-screen'];
const QUERY: Answer = ['ctx query --tables', 'the tables that SQL can read'];
const DIFF: Answer = ['ctx diff SESSION HEAD~1 HEAD', 'what changed between two entries'];
const FACTS: Answer = ['ctx facts SESSION', 'goals, decisions and open tasks'];
const LAB: Answer = ['ctx help lab', 'context engines, injectors, hooks and simulations'];
const FOLLOW: Answer = ['ctx log SESSION --follow', 'new entries as they come'];
const WATCH: Answer = ['ctx show SESSION --watch', 'the context as it grows'];
const SERVE: Answer = ['ctx mcp install claude', 'sessions for an agent, as MCP tools'];
const COMPLETION: Answer = ['ctx completion install', 'commands and sessions completed by the shell'];
const TREE: Answer = ['ctx tree SESSION', 'the entries as a tree, with branches'];
const SIMULATE: Answer = ['ctx simulate SESSION', 'its requests with other context engines'];
const APPLY: Answer = ['ctx apply SESSION PATCH --dry-run', 'a patch or a saved plan appended'];

/** The words that users type for what a command of another name does. */
const WORDS: readonly (readonly [words: string, ...answers: readonly Answer[]])[] = [
  [
    'context prompt window system parts overview info inspect describe analyze analyse what count wc du df',
    SHOW,
    STATUS,
  ],
  ['memory memory-files claude.md agents.md tools skills plugins plugin servers mcp-cost unused bloat', OVERHEAD, SHOW],
  ['size full fill limit percent', STATUS, LARGEST],
  ['budget threshold', FAIL, GUARD, STATUS],
  ['quota limits rate-limit', EACH_DAY, GUARD, STATUS],
  ['ci hook automation', FAIL, CHECK],
  ['top largest biggest htop', LARGEST, SHOW],
  ['cost costs price money spend spending bill usage token-usage', STATS, EACH_DAY],
  ['week weekly', EACH_WEEK],
  ['month monthly', EACH_MONTH],
  ['day daily', EACH_DAY],
  ['tokens', STATUS, STATS, LARGEST],
  ['expensive miss misses hit hits ttl', STATS, CACHE],
  ['slow slower why-slow speed latency', CACHE, STATS],
  ['cheaper cheap waste save-money savings optimize optimise', CHEAPER, OVERHEAD],
  ['conversation transcript read less more pager chat messages thinking reasoning', READ, OPEN_PAGE],
  ['history entries timeline logs events reflog head when', LOG, READ],
  ['search', FIND, GREP],
  ['hidden removed', ['ctx grep PATTERN SESSION --where hidden', 'what the model no longer sees'], LOSS],
  ['list session sessions projects recent ps dir', LIST, FIND],
  ['models model', ['ctx stats all --by model', 'tokens and cost of all sessions by model']],
  ['subagents subagent', ['ctx stats SESSION --with-subagents', 'tokens and cost with those of subagents'], LIST],
  [
    'agents agent',
    ['ctx ls all', 'the sessions of all agents'],
    ['ctx help agents', 'the agents whose sessions ctx reads'],
  ],
  ['claude', ['ctx ls --agent claude', 'the sessions of Claude Code']],
  ['codex', ['ctx ls --agent codex', 'the sessions of Codex']],
  ['resume continue', RESUME, FIND, CONVERT],
  ['forgot forgotten forget explain', WHY, LOSS],
  ['lost missing', LOSS, WHY],
  ['blame annotate origin who', WHY, GREP],
  ['share publish send', PAGE, MARKDOWN, REDACT],
  ['html page export-html dashboard web gui graph chart plot', OPEN_PAGE, PAGE],
  ['export-md markdown md dump', MARKDOWN, READ],
  ['print display', READ, SHOW],
  ['secrets leaks mask hide passwords anon anonymize anonymise sanitize', CHECK, REDACT],
  ['backup save keep sync retention deleted cleanup sweep expire', ARCHIVE],
  ['image images screenshot screenshots', IMAGES],
  ['branch fork clone copy cp duplicate split rewind', EXTRACT],
  ['reset checkout', REVERT, EXTRACT],
  ['branches forks', TREE],
  ['handoff handover hand-over transfer load', CONVERT, FACTS],
  ['fix debug health broken recover heal unbrick bricked stuck crash crashed error errors corrupt', DOCTOR, REPAIR],
  ['lint validate verify fsck test audit', CHECK],
  ['shrink shorten shorter trim cut crop reduce clean compress gc', PRUNE, COMPACT],
  ['summarize summarise summary squash', COMPACT],
  ['compaction compactions compacted', LOSS, COMPACT, REVERT],
  ['delete remove rm drop', PRUNE],
  ['restore rollback redo', REVERT],
  ['gate', ['ctx status SESSION --history', 'where a policy would have pruned or compacted']],
  ['ledger tasks todo todos goals decisions', FACTS],
  ['browse tui ui', EXPLORE],
  ['view', READ, EXPLORE],
  ['open', EXPLORE, OPEN_PAGE],
  ['sql', QUERY],
  ['notebook parquet dataset', DATASET, QUERY],
  ['compare changes delta', DIFF],
  ['patch edit amend append insert replace', APPLY, PRUNE],
  ['replay', SIMULATE, FOLLOW],
  ['upgrade', ['ctx migrate SESSION', 'an old session in the current format']],
  ['watch follow tail live monitor', FOLLOW, WATCH],
  ['serve server', SERVE],
  ['assemble inject injectors lab engines', LAB],
  ['config configure settings', ['ctx help config', 'the configuration']],
  ['install setup init', SERVE, COMPLETION],
  ['commands manual docs how', ['ctx help', 'the commands']],
  ['version', ['ctx --version', 'the version']],
];

/** Words that no command answers, and that are spelled like the name of one. */
export const unrelatedWords: ReadonlySet<string> = new Set(['rename', 'switch', 'uninstall']);

/** The command lines that answer a word; none for a word that is not known. */
const ANSWERS: ReadonlyMap<string, readonly Answer[]> = new Map(
  WORDS.flatMap(([words, ...answers]) => words.split(' ').map((word) => [word, answers] as const)),
);

/** The words that lead to a command. */
export const knownWords: readonly string[] = [...ANSWERS.keys()];

/**
 * The command lines that do what a word asks for, in a sentence; null if the word is not known. `session`: the one that
 * was named.
 */
export function suggestCommands(word: string, session?: string): string | null {
  const answers = listAnswers(word, session);
  return answers.length === 0 ? null : `write ${answers.map(([line, what]) => `${line} (${what})`).join(', or ')}`;
}

/** The page of a word that names no command; null if it is not known. */
export function formatWordHelp(word: string): string | null {
  const answers = listAnswers(word);
  if (answers.length === 0) return null;
  const widest = Math.max(...answers.map(([line]) => line.length));
  return [`${word}:`, ...formatTerms(answers, widest), '', 'With -h, a command explains itself.', ''].join('\n');
}

/** Users also type a word in capitals, such as CI. Without a session, a command reads the newest one. */
function listAnswers(word: string, session?: string): readonly Answer[] {
  const named = session === undefined ? '' : ` ${toShellWord(session)}`;
  return (ANSWERS.get(word.toLowerCase()) ?? []).map(([line, what]) => [line.replace(' SESSION', named), what]);
}
