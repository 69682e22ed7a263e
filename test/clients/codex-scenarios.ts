import type { JsonObject } from '#base/json.js';
import type { Codex } from './codex.js';
import type { Outcome } from './judge.js';
import { png } from './pictures.js';
import { type Answer, calls, fails, says } from './provider.js';

type Scenario = readonly [title: string, play: (codex: Codex) => Promise<Outcome | void>];

const run = (cmd: string): Answer => calls('exec_command', { cmd });

/** A part of an answer with several calls. */
const part = (cmd: string): { readonly calls: string; readonly with: JsonObject } => ({
  calls: 'exec_command',
  with: { cmd },
});

const image = (bytes: Buffer): JsonObject => ({
  type: 'image',
  url: `data:image/png;base64,${bytes.toString('base64')}`,
});

const message = (role: string, type: string, text: string): JsonObject => ({
  type: 'message',
  role,
  content: [{ type, text }],
});

/** The real work of a client, by what it was made to do. */
export const scenarios: readonly Scenario[] = [
  [
    'of one turn of exec',
    async (codex) => {
      codex.provider.script('Count the files', run('ls | wc -l'), says('None.'));
      await codex.exec('Count the files.');
    },
  ],
  [
    'after exec was resumed twice',
    async (codex) => {
      codex.provider.script('Begin', run('echo begun'));
      const thread = await codex.exec('Begin.');
      await codex.exec('Continue.', 'resume', thread);
      await codex.exec('Finish.', 'resume', thread);
    },
  ],
  [
    'after commands that fail, print nothing, or print to both streams',
    async (codex) => {
      codex.provider.script('Try it', run('exit 3'), run('true'), run('echo out; echo err >&2; exit 1'));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Try it.');
      await server.say(threadId, 'Again?');
      await server.end();
    },
  ],
  [
    'after parallel calls',
    async (codex) => {
      codex.provider.script('Look at all', { parts: [{ says: 'All.' }, part('echo a'), part('sleep 0.2; echo b')] });
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Look at all.');
      await server.say(threadId, 'Which was first?');
      await server.end();
    },
  ],
  [
    'after results that are too big',
    async (codex) => {
      codex.provider.script('Print much', run('seq 1 60000'), run('seq 1 10'));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Print much.');
      await server.say(threadId, 'How much was it?');
      await server.end();
    },
  ],
  [
    'with reasoning before words and calls',
    async (codex) => {
      codex.provider.script(
        'Think first',
        { parts: [{ thinks: 'A command helps.' }, part('echo thought')] },
        says('It is done.', { thinks: 'It worked.' }),
      );
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Think first.');
      await server.say(threadId, 'And then?');
      await server.end();
    },
  ],
  [
    'after patches, one of which fails',
    async (codex) => {
      codex.world.write('list.md', 'apples\npears\n');
      const patch = (from: string): string =>
        `*** Begin Patch\n*** Update File: list.md\n@@\n-${from}\n+plums\n*** End Patch\n`;
      codex.provider.script(
        'Change the list',
        calls('apply_patch', patch('pears')),
        calls('apply_patch', patch('nothing')),
      );
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Change the list.');
      await server.say(threadId, 'Done?');
      await server.end();
    },
  ],
  [
    'after calls of tools that do not exist, or with wrong arguments',
    async (codex) => {
      codex.provider.script('Err', calls('no_such_tool', { a: 1 }), calls('exec_command', { wrong: true }));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Err.');
      await server.say(threadId, 'Again?');
      await server.end();
    },
  ],
  [
    'after a command that goes on while the model looks at it',
    async (codex) => {
      codex.provider.script('Start it', calls('exec_command', { cmd: 'sleep 0.6; echo late', yield_time_ms: 250 }));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Start it.');
      await server.say(threadId, 'Is it done?');
      await server.end();
    },
  ],
  [
    'with images of the user',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'What is this?', image(png(20, 10)));
      await server.say(threadId, image(png(8, 8, [0, 0, 255])), image(png(9, 9, [0, 255, 0])), 'And these?');
      codex.world.write('local.png', png(12, 12));
      await server.say(threadId, 'And that?', { type: 'localImage', path: `${codex.world.folder}/local.png` });
      await server.end();
    },
  ],
  [
    'with an image that a tool read, and one that is too large',
    async (codex) => {
      codex.world.write('small.png', png(30, 30));
      codex.world.write('large.png', png(4000, 3000));
      codex.provider.script(
        'Look at the pictures',
        calls('view_image', { path: `${codex.world.folder}/small.png` }),
        calls('view_image', { path: `${codex.world.folder}/large.png` }),
        calls('view_image', { path: `${codex.world.folder}/missing.png` }),
      );
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Look at the pictures.');
      await server.say(threadId, 'What did you see?');
      await server.end();
    },
  ],
  [
    'after the user steered a turn',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      const turns: string[] = [];
      const steer = async (words: string): Promise<void> => {
        while (turns.length === 0) await new Promise((done) => setTimeout(done, 10));
        await server.call('turn/steer', { threadId, input: [{ type: 'text', text: words }], expectedTurnId: turns[0] });
      };
      codex.provider.script(
        'Take your time',
        { ...run('echo slow'), meanwhile: () => steer('Also count the birds.') },
        { ...run('echo slower'), meanwhile: () => steer('And the cats.') },
      );
      const from = server.client.events.length;
      turns.push(await server.begin(threadId, 'Take your time.'));
      await server.over(from);
      await server.say(threadId, 'How many?');
      await server.end();
    },
  ],
  [
    'after the user interrupted a command',
    async (codex) => {
      codex.provider.script('Wait', calls('exec_command', { cmd: 'sleep 25', yield_time_ms: 30_000 }));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      const from = server.client.events.length;
      const turnId = await server.begin(threadId, 'Wait.');
      await codex.hasRecorded('sleep 25');
      await server.call('turn/interrupt', { threadId, turnId });
      await server.over(from);
      await server.say(threadId, 'Why did you stop?');
      await server.say(threadId, 'I see.');
      await server.end();
    },
  ],
  [
    'after the user interrupted an answer',
    async (codex) => {
      codex.provider.script('Talk', { ...says('This is the beginning of'), isEndless: true });
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      const from = server.client.events.length;
      const turnId = await server.begin(threadId, 'Talk.');
      await codex.provider.hasReceived(1);
      await codex.hasRecorded('This is the beginning of');
      await server.call('turn/interrupt', { threadId, turnId });
      await server.over(from);
      await server.say(threadId, 'Shorter.');
      await server.end();
    },
  ],
  [
    'after it was killed in the middle of a command and resumed',
    async (codex) => {
      codex.provider.script('Wait long', calls('exec_command', { cmd: 'sleep 26', yield_time_ms: 30_000 }));
      const client = codex.launch(['exec', '--skip-git-repo-check', '--json', 'Wait long.']);
      client.closeInput();
      await codex.hasRecorded('sleep 26');
      await client.kill();
      const started = client.events.find(({ type }) => type === 'thread.started');
      await codex.exec('What happened?', 'resume', String(started?.['thread_id']));
      await codex.exec('And now?', 'resume', String(started?.['thread_id']));
    },
  ],
  [
    'after a compaction that the user asked for',
    async (codex) => {
      codex.provider.script('Begin', run('echo begun'));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      await server.say(threadId, 'Continue.');
      await server.compact(threadId);
      await server.say(threadId, 'What is left?');
      await server.say(threadId, 'More?');
      await server.end();
      return { summaries: [4] };
    },
  ],
  [
    'after two compactions, and resumed',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      await server.compact(threadId);
      await server.say(threadId, 'Continue.');
      await server.compact(threadId);
      await server.say(threadId, 'What is left?');
      await server.end();
      await codex.exec('And now?', 'resume', threadId);
      return { summaries: [2, 4] };
    },
  ],
  [
    'after a compaction because the window was full',
    async (codex) => {
      codex.settings('model_context_window = 100000\nmodel_auto_compact_token_limit = 80000');
      codex.provider.script('Fill it', { ...run('echo full'), promptTokens: 85_000 });
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      await server.say(threadId, 'Fill it.');
      await server.say(threadId, 'Go on.');
      await server.say(threadId, 'And on.');
      await server.end();
      return { summaries: [3] };
    },
  ],
  [
    'of forks',
    async (codex) => {
      codex.provider.script('Begin', run('echo begun'));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      const first = await server.say(threadId, 'Begin.');
      await server.say(threadId, 'Continue.');
      const whole = await server.thread('thread/fork', { threadId });
      await server.say(whole, 'Another way.');
      const early = await server.thread('thread/fork', { threadId, lastTurnId: first });
      await server.say(early, 'A third way.');
      const again = await server.thread('thread/fork', { threadId: early });
      await server.say(again, 'Further.');
      await server.say(threadId, 'The old way.');
      await server.end();
    },
  ],
  [
    'after it went back to an earlier turn',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      const second = await server.say(threadId, 'Go left.');
      await server.say(threadId, 'Go on.');
      await server.call('thread/revert', { threadId, beforeTurnId: second });
      await server.say(threadId, 'Go right.');
      await server.end();
    },
  ],
  [
    'of an agent and of the one that started it',
    async (codex) => {
      codex.provider.script('Look into the depths', run('echo deep'), says('It says deep.'));
      codex.provider.script(
        'Send somebody',
        calls('multi_agent_v1.spawn_agent', { message: 'Look into the depths.' }),
        { ...run('echo waiting'), meanwhile: () => codex.provider.hasReceived(4) },
      );
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Send somebody.');
      await server.say(threadId, 'What is it?');
      await server.end();
    },
  ],
  [
    'with the instructions of a project, of the developer and of its configuration',
    async (codex) => {
      codex.world.write('AGENTS.md', 'Always answer in one word.\n');
      codex.world.write(`${codex.config}/AGENTS.md`, 'Never use emoji.\n');
      const server = await codex.serve();
      const developerInstructions = 'Prefer small changes.';
      const threadId = await server.thread('thread/start', {
        baseInstructions: 'You are careful.',
        developerInstructions,
      });
      await server.say(threadId, 'Hello.');
      await server.say(threadId, 'And again.');
      await server.end();
      await codex.exec('Still there?', 'resume', threadId);
    },
  ],
  [
    'after failures that were tried again',
    async (codex) => {
      codex.provider.script('Try', fails(529), run('echo tried'), fails(429), says('It worked.'));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Try.');
      await server.say(threadId, 'Well?');
      await server.end();
    },
  ],
  [
    'after a request that the provider refused',
    async (codex) => {
      codex.provider.script('Ask wrongly', fails(400));
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      await server.say(threadId, 'Ask wrongly.');
      await server.say(threadId, 'Ask rightly.');
      await server.end();
    },
  ],
  [
    'after a command of the user',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      const from = server.client.events.length;
      await server.call('thread/shellCommand', { threadId, command: 'echo by hand' });
      await server.over(from);
      await server.say(threadId, 'What did I do?');
      await server.end();
    },
  ],
  [
    'after a change of the model and of the folder',
    async (codex) => {
      const server = await codex.serve();
      const threadId = await server.thread('thread/start', {});
      await server.say(threadId, 'Begin.');
      await server.end();
      codex.world.write('other/AGENTS.md', 'Another folder.\n');
      const again = await codex.serve();
      await again.thread('thread/resume', { threadId, model: 'gpt-5.1-codex', cwd: `${codex.world.folder}/other` });
      await again.say(threadId, 'Continue.');
      await again.say(threadId, 'Further.');
      await again.end();
    },
  ],
  [
    'of rollouts of other versions: without events of turns, with summaries, and with calls that are no pairs',
    async (codex) => {
      const user = (text: string): JsonObject => message('user', 'input_text', text);
      const model = (text: string): JsonObject => message('assistant', 'output_text', text);
      const begun = [user('First?'), model('First.'), user('Second?'), model('Second.')];
      const after = [user('Third?'), model('Third.')];
      const history = [user('First?'), user('It was about two questions.')];
      const call = { type: 'function_call', call_id: 'call_alone', name: 'exec_command', arguments: '{"cmd":"ls"}' };
      const result = { type: 'function_call_output', call_id: 'call_nowhere', output: 'lost' };
      const rollouts = [
        [...begun, { compacted: { message: 'Two questions.' } }, ...after],
        [...begun, { compacted: { message: 'Two questions.', replacement_history: history } }, ...after],
        [...begun, call, ...after],
        [...begun, result, ...after],
      ];
      for (const [at, items] of rollouts.entries())
        await codex.exec('What is left?', 'resume', codex.writeRollout(at, items));
      return { isWritten: true };
    },
  ],
];
