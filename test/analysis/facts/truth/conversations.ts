/** A conversation, and the facts that a careful reader finds in it. Each fact is a part of the sentence that states it. */
export interface LabelledConversation {
  readonly name: string;
  /** `user:` and `assistant:` before each message; `call:` lists tasks with a tool; `…` at its end: it was interrupted. */
  readonly messages: readonly string[];
  readonly instructions: readonly string[];
  /** Rules for all the work that follows; they are instructions too. */
  readonly constraints: readonly string[];
  /** Sentences that may be listed as any of these, such as questions. */
  readonly optional?: readonly string[];
  /** What is left to do at the end. */
  readonly openTasks: readonly string[];
}

export const CONVERSATIONS: readonly LabelledConversation[] = [
  {
    name: 'a bug with a pasted trace',
    messages: [
      "user: The import crashes on files with an empty last row.\n\nTypeError: Cannot read properties of undefined (reading 'split')\n    at parseRow (src/rows.js:14:22)\n    at importFile (src/import.js:40:9)\n\nCan you find out why and fix it? Please don't touch the exporter, another team works on it.",
      'assistant: The parser splits the empty row too. I skip it now.',
      'user: Great. Add a test with such a file, and one with Windows line endings.',
      'assistant: Both tests are there and pass.',
    ],
    instructions: ['find out why and fix it', 'touch the exporter', 'Add a test with such a file'],
    constraints: ['touch the exporter'],
    optional: ['crashes on files'],
    openTasks: [],
  },
  {
    name: 'rules at the beginning',
    messages: [
      'user: We are going to port the billing service to the new API. Some ground rules:\n- Never commit directly to main.\n- All amounts must be integers in cents.\n- Keep the old endpoints alive until I say otherwise.\n- No new dependencies without asking me.\nStart with the invoice model.',
      'assistant: The invoice model uses cents now.',
      'user: looks good, next the payments',
      'assistant: Payments are ported. Next I will port the refunds.',
    ],
    instructions: [
      'Never commit directly',
      'must be integers',
      'Keep the old endpoints',
      'No new dependencies',
      'Start with the invoice',
      'next the payments',
    ],
    constraints: ['Never commit directly', 'must be integers', 'Keep the old endpoints', 'No new dependencies'],
    optional: ['going to port', 'ground rules'],
    openTasks: ['port the refunds'],
  },
  {
    name: 'short answers',
    messages: [
      'user: rename the flag --dry to --dry-run everywhere',
      'assistant: Renamed in 14 files. Shall I keep the old name as an alias?',
      'user: yes, keep the alias but hide it from the help',
      'assistant: The alias stays and is hidden.',
      'user: thanks',
      'assistant: You are welcome.',
      'user: perfect',
      'assistant: Anything else?',
      'user: ok wow that was quick',
      'assistant: Good.',
    ],
    instructions: ['rename the flag', 'keep the alias but hide it'],
    constraints: [],
    openTasks: [],
  },
  {
    name: 'corrections',
    messages: [
      'user: Sort the table by date.',
      'assistant: It is sorted by date, oldest first.',
      'user: No, newest first. And you forgot the header row, it gets sorted along.',
      'assistant: Newest first now; the header stays.',
      'user: That is not what I meant, only the visible rows should move. Undo the change to the model.',
      'assistant: Undone. Only the view sorts.',
      'user: still wrong when a filter is active',
      'assistant: I looked at the filter …',
    ],
    instructions: [
      'Sort the table',
      'newest first',
      'forgot the header',
      'only the visible rows',
      'Undo the change',
      'still wrong when',
    ],
    constraints: [],
    openTasks: ['still wrong when'],
  },
  {
    name: 'questions first',
    messages: [
      'user: How does the cache decide what to drop? And is there a limit by size?',
      'assistant: It drops the least recently used entry. There is a limit by count only.',
      'user: hm, what would a limit by size cost us?',
      'assistant: One number for each entry.',
      "user: ok let's do that. Use the byte length of the serialized value, not the character count.",
      'assistant: There is a limit by bytes now, 64 MB by default.',
      'user: Why 64?',
    ],
    instructions: ['do that', 'Use the byte length'],
    constraints: [],
    optional: ['How does the cache', 'limit by size', 'Why 64'],
    openTasks: ['Why 64'],
  },
  {
    name: 'a plan with a list of tasks',
    messages: [
      'user: I want a dark mode. The colors are in src/theme, please make a plan first and wait for my ok.',
      'assistant: My plan:\n\n- [x] Collect the colors\n- [ ] Add the dark palette\n- [ ] Switch by media query\n- [ ] Add a toggle to the settings',
      'user: Go ahead, but skip the toggle for now.',
      'assistant: - [x] Collect the colors\n- [x] Add the dark palette\n- [ ] Switch by media query',
    ],
    instructions: ['I want a dark mode', 'please make a plan', 'skip the toggle'],
    constraints: [],
    openTasks: ['Switch by media query'],
  },
  {
    name: 'a pasted conversation',
    messages: [
      'user: Summarize this support chat in two sentences and tell me what we promised.\n\nUser: My export never finishes. You must fix this today!\nAgent: I am sorry. Please send me the log.\nUser: Always the same. Do you need more than that?\nAgent: I will make sure that it is done by Friday.',
      'assistant: The export of the customer hangs. We promised a fix by Friday.',
    ],
    instructions: ['Summarize this support chat'],
    constraints: [],
    openTasks: [],
  },
  {
    name: 'preferences in passing',
    messages: [
      'user: Could you write the migration for the new column? I prefer plain SQL over the builder, and remember that production runs Postgres 13.',
      'assistant: The migration adds the column and an index.',
      'user: Nice. From now on put every index into its own migration. Can we also make the column nullable?',
      'assistant: It is nullable, and the index moved.',
      'user: The tests fail on CI though:\n\n```\nERROR: column "state" does not exist\nYou should run the migrations first.\n```\nMake sure the job runs the migrations before the tests.',
    ],
    instructions: [
      'write the migration',
      'I prefer plain SQL',
      'From now on put every',
      'make the column nullable',
      'Make sure the job runs',
    ],
    constraints: ['I prefer plain SQL', 'From now on put every'],
    optional: ['tests fail on CI', 'Make sure the job runs'],
    openTasks: ['Make sure the job runs'],
  },
  {
    name: 'a long report with one request',
    messages: [
      'user: I spent the morning with the profiler. Most of the time goes into the regex of the tokenizer, about 60 %. The rest is spread over the parser and the printer. In the flame graph one sees that the tokenizer is called three times for each file, which surprised me. It was written in 2019 when files were small. I think it reads the file again for the source map. Please make the tokenizer run once per file and measure before and after with bench/run.sh.',
      'assistant: It runs once now: 41 % less time.',
      'user: Excellent! I did not expect that much. Commit it and open a PR, the title should mention the number.',
      'assistant: The PR is open.',
    ],
    instructions: ['Please make the tokenizer run once', 'Commit it and open a PR'],
    constraints: [],
    openTasks: [],
  },
  {
    name: 'an interrupted turn and a queued request',
    messages: [
      'user: Upgrade React to 19 in packages/app. Do not upgrade packages/legacy.',
      'assistant: I look at the breaking changes …',
      'user: also check that storybook still builds',
      'assistant: I am upgrading storybook …',
    ],
    instructions: ['Upgrade React to 19', 'Do not upgrade', 'check that storybook'],
    constraints: ['Do not upgrade'],
    openTasks: ['Upgrade React to 19', 'check that storybook'],
  },
  {
    name: 'names at the beginning of lines',
    messages: [
      'user: @src/date.ts always use UTC here, never the local zone.\n#412 is the ticket, link it in the commit message.\nnpm run check fails since yesterday, please look into it.',
      'assistant: Done, and the check passes.',
      'user: @README.md needs a section about time zones.',
    ],
    instructions: ['always use UTC here', 'link it in the commit', 'please look into it', 'needs a section about'],
    constraints: ['always use UTC here'],
    openTasks: ['needs a section about'],
  },
  {
    name: 'opinions and stories are no orders',
    messages: [
      'user: I think the old code never worked on Windows. It always failed in the path handling, and nobody should be surprised. My colleague said that we must rewrite it, but I do not believe that. Just fix the path handling.',
      'assistant: Paths are joined with path.join now.',
      'user: It works. The team was happy, they never saw it run before.',
      'assistant: Good.',
      'user: You know what I love? That the log is readable now.',
      'assistant: Yes.',
    ],
    instructions: ['fix the path handling'],
    constraints: [],
    optional: ['You know what', 'nobody should be', 'we must rewrite'],
    openTasks: [],
  },
  {
    name: 'work that goes on after a summary',
    messages: [
      'compaction: ## Goal\nMove the docs to the new site\n\n## Constraints & Preferences\n- Links to the old site must keep working\n\n## Progress\n### Done\n- [x] Moved the guides\n\n### In Progress\n- [ ] Move the reference\n\n## Next Steps\n1. Set up redirects',
      'user: go on',
      'assistant: I move the reference …',
    ],
    instructions: ['go on'],
    constraints: ['must keep working'],
    openTasks: ['Move the reference', 'Set up redirects', 'go on'],
  },
  {
    name: 'wishes for a page',
    messages: [
      'user: the login page looks off on mobile, the button overlaps the footer',
      'assistant: The button no longer overlaps.',
      'user: better. the title should be centered and the input needs more padding. could you also make the error text red?',
      'assistant: All three are done.',
      'user: now it jumps when the keyboard opens. it must not move at all, we had complaints about that',
      'assistant: It stays in place now.',
      'user: what about tablets?',
      'assistant: They use the desktop layout.',
      "user: I'd like them to use the mobile one",
    ],
    instructions: [
      'looks off on mobile',
      'title should be centered',
      'make the error text red',
      'must not move at all',
      'like them to use the mobile',
    ],
    constraints: ['must not move at all'],
    optional: ['now it jumps', 'what about tablets'],
    openTasks: ['like them to use the mobile'],
  },
  {
    name: 'steps in a numbered list',
    messages: [
      'user: Please do the release:\n1. bump the version to 2.4.0\n2. update CHANGELOG.md\n3. tag and push\n\nStop if a test fails. Under no circumstances publish from your machine, the pipeline does that.',
      'assistant: The version is bumped and the changelog updated. One test fails, so I stopped. Remaining: tag and push after the fix.',
    ],
    instructions: [
      'Please do the release',
      'bump the version',
      'update CHANGELOG.md',
      'tag and push',
      'Stop if a test fails',
      'Under no circumstances',
    ],
    constraints: ['Stop if a test fails', 'Under no circumstances'],
    openTasks: ['tag and push after the fix'],
  },
  {
    name: 'another script',
    messages: ['user: Добавь тест для разбора дат.', 'assistant: Тест добавлен.', 'user: Почему он медленный?'],
    instructions: ['Добавь тест'],
    constraints: [],
    optional: ['Почему он'],
    openTasks: ['Почему он'],
  },
];

/** The labels of fixtures, by their files. */
export const FIXTURES: readonly (Omit<LabelledConversation, 'messages' | 'name'> & { readonly file: string })[] = [
  {
    file: 'to-summarise.jsonl',
    instructions: [
      'Make the forecast print dates',
      'Never touch src/legacy.js',
      'day 32 must roll over',
      'run the tests again',
      'write the changelog',
    ],
    constraints: ['Never touch src/legacy.js', 'day 32 must roll over'],
    openTasks: [],
  },
  {
    file: 'compacted-twice.jsonl',
    instructions: [
      'Make the forecast print dates',
      'Never touch src/legacy.js',
      'Always run `npm test`',
      'day 32 must roll over',
      'write the changelog',
    ],
    constraints: ['Never touch src/legacy.js', 'Always run `npm test`', 'day 32 must roll over'],
    openTasks: [],
  },
  {
    file: 'working.jsonl',
    instructions: [
      'Print the forecast table',
      'Never change src/legacy.js',
      'Mend it',
      'Add a weekly table',
      'Put its title into',
    ],
    constraints: ['Never change src/legacy.js'],
    optional: ['Why does Auckland', 'How many rows'],
    openTasks: [],
  },
  {
    file: 'weather.jsonl',
    instructions: ['add a regression test', 'mention in the README', 'Add a line to the changelog'],
    constraints: ['Run `./run-tests.sh`', 'Keep answers short'],
    optional: ['When I run', 'Why?', 'we keep `Date.UTC`', 'Two lines are enough', 'get the nights right'],
    openTasks: ['Add a line to the changelog', 'Look at Temporal again', 'Answer what Ada'],
  },
  {
    file: 'agents/claude-code/session.jsonl',
    instructions: ['Find out why', 'keep whole cents', 'Change it', 'Show the total of an order'],
    constraints: [],
    optional: ['An order of three', 'keep whole cents'],
    openTasks: [],
  },
];
