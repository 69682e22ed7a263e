import { readFileSync } from 'node:fs';
import {
  AGENTS,
  compareVersions,
  count,
  drawBars,
  groupBy,
  listSessions,
  nameVersions,
  NOTE,
  percent,
  Server,
  spread,
  sum,
  table,
  write,
  writeFinding,
} from './support.mjs';
// Measures what each request carries beside the conversation: prompt, tools, memory files, servers, skills, hooks.
//
//   node build.mjs && node test/studies/corpus/overhead.mjs FOLDER
//
// FOLDER is that of fetch.mjs. A session takes about a second.

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/studies/corpus/overhead.mjs FOLDER');

/** The sessions of ten versions of an agent that are read, evenly spread over those of the list. */
const MOST_SESSIONS = 10;
const nameGroup = ({ agent, version }) => `${agent} ${nameVersions(version)}`;

/** A smaller session is mostly a sample that a tool keeps for its tests. */
const LEAST_REQUESTS = 5;
/** Whether texts were replaced before a session was published: what they took would count as not recorded. */
const isStripped = ({ file }) => readFileSync(file).includes('[REDACTED_');

const server = new Server();
const measured = [];
for (const rows of groupBy(
  listSessions(folder).filter((row) => !isStripped(row)),
  nameGroup,
).values()) {
  for (const { agent, version, file } of spread(rows, MOST_SESSIONS)) {
    const { result } = await server.ask('get_overhead', { sessions: [file] });
    if (result?.requestsRecorded >= LEAST_REQUESTS) measured.push({ agent, version, ...result });
  }
}
server.end();

const sumPrompts = (rows) => sum(rows, ({ promptTokens }) => promptTokens);
const sumRequests = (rows) => sum(rows, ({ requests }) => requests);
const sumNotRecorded = (rows) => sum(rows, (row) => sum(row.notRecorded, ({ tokens }) => tokens));
/** The things that a session records. Those that are only used have no tokens. */
const listItems = (rows) => rows.flatMap(({ items }) => items.filter(({ requests }) => requests > 0));
const KINDS = {
  'memory file': 'memory files',
  tool: 'tools',
  'mcp server': 'MCP servers',
  skill: 'skills',
  agent: 'agents',
  hook: 'hooks',
};

const versionRows = [...groupBy(measured, nameGroup)]
  .toSorted(([one], [other]) => compareVersions(one, other))
  .map(([, rows]) => {
    const prompts = sumPrompts(rows);
    const listedTokens = sum(listItems(rows), ({ tokens }) => tokens);
    const notRecorded = sumNotRecorded(rows);
    return [
      AGENTS[rows[0].agent],
      nameVersions(rows[0].version),
      count(rows.length),
      count(sumRequests(rows)),
      count(prompts / sumRequests(rows)),
      count(notRecorded / sumRequests(rows)),
      percent(notRecorded, prompts),
      count(listedTokens / sumRequests(rows)),
      percent(listedTokens, prompts),
    ];
  });

const prompts = sumPrompts(measured);
const kinds = Object.entries(KINDS)
  .map(([kind, name]) => ({ name, items: listItems(measured).filter((item) => item.kind === kind) }))
  .map(({ name, items }) => ({
    name,
    items,
    tokens: sum(items, ({ tokens }) => tokens),
    usable: items.filter(({ uses }) => uses !== null),
  }))
  .filter(({ items }) => items.length > 0);
const kindRows = kinds.map(({ name, items, tokens, usable }) => {
  const unused = usable.filter(({ uses }) => uses === 0);
  const requests = sum(items, (item) => item.requests);
  return [
    name,
    count(items.length),
    requests === 0 ? '' : count(tokens / requests),
    percent(tokens, prompts),
    usable.length === 0 ? 'not known' : `${count(unused.length)} of ${count(usable.length)}`,
  ];
});
const parts = [
  { name: 'not recorded: prompt and tools of the agent', tokens: sumNotRecorded(measured) },
  ...kinds.map(({ name, tokens }) => ({ name, tokens })),
].toSorted((one, other) => other.tokens - one.tokens);
const carried = sum(parts, ({ tokens }) => tokens);

write(
  'overhead.svg',
  drawBars(
    'Share of all prompts, by what the agent sends by itself',
    parts.map(({ name, tokens }) => ({ name, value: tokens, label: percent(tokens, prompts) })),
  ),
);
write(
  'overhead.md',
  `# What every request carries

${NOTE}

An agent sends its prompt, tools, memory files, servers, skills and hooks with each request. [\`ctx overhead\`](../use/overhead.md) lists those that a session records. The rest of a first prompt is what the session does not record.

In ${count(measured.length)} sessions with ${count(sumRequests(measured))} requests, ${percent(carried, prompts)} of the tokens of all prompts are of this kind; the others are the conversation. ${percent(parts[0].tokens, prompts)} are ${parts[0].name}.

![Share of all prompts](overhead.svg)

${table(['Part', 'Things', 'Tokens a request, each', 'Share of all prompts', 'Never used in their session'], ['---', '--:', '--:', '--:', '--:'], kindRows)}

Tokens a request are means of all requests. "Recorded" are the rows of \`ctx overhead\`.

${table(['Agent', 'Versions', 'Sessions', 'Requests', 'Prompt', 'Not recorded', 'Share', 'Recorded', 'Share'], ['---', '---', '--:', '--:', '--:', '--:', '--:', '--:', '--:'], versionRows)}

## Limits

- At most ${count(MOST_SESSIONS)} sessions of ten versions of an agent are read, so that old versions count like new ones. Sessions with fewer than ${count(LEAST_REQUESTS)} requests are left out, and those whose texts were replaced before they were published.
- Most of these sessions are older than the first version of Claude Code that records its prompt and tools (2.1.267). Their overhead is the part of the first prompt that no message explains, which also has what the agent added to the user's first message.
- A row with one session shows that session, and not its version.
- A thing that a session neither records nor uses cannot appear.
- A thing without a use in one session may be used in the next one.
- Long sessions have most of the requests, so the conversation weighs more than in short ones.
`,
);
writeFinding(
  folder,
  'overhead',
  `**Much of a prompt is not the conversation.** ${percent(carried, prompts)} of the tokens of all prompts are what the agent sends by itself, such as its own prompt and its tools. Sessions do not record most of it: [what every request carries](overhead.md).`,
);
