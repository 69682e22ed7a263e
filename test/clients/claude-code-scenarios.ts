import { setTimeout as delay } from 'node:timers/promises';
import type { JsonObject } from '#base/json.js';
import type { ClaudeCode } from './claude-code.js';
import type { Outcome } from './judge.js';
import { png } from './pictures.js';
import { type Answer, calls, fails, says } from './provider.js';

/** `otherwiseIn`: the version in which it comes to something else. */
type Scenario = readonly [title: string, play: (claude: ClaudeCode) => Promise<Outcome | void>, otherwiseIn?: string];

/** Every tool may be used. */
const FREE = ['--permission-mode', 'bypassPermissions'];

const bash = (command: string): Answer => calls('Bash', { command, description: 'Run a command' });

/** A hook that runs a shell command at an event. */
function hook(event: string, command: string, matcher?: string): JsonObject {
  return { [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [{ type: 'command', command }] }] };
}

/** The command of a hook that prints a decision. */
const prints = (value: JsonObject): string => `echo '${JSON.stringify(value)}'`;

/** The command of a hook that gives the model more context. */
const context = (hookEventName: string, additionalContext: string): string =>
  prints({ hookSpecificOutput: { hookEventName, additionalContext } });

const image = (bytes: Buffer): JsonObject => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
});

const text = (words: string): JsonObject => ({ type: 'text', text: words });

/** The real work of a client, by what it was made to do. */
export const scenarios: readonly Scenario[] = [
  [
    'after reading a file and running a command',
    async (claude) => {
      claude.world.write('numbers.txt', 'one\ntwo\nthree\n');
      claude.provider.script(
        'Read the numbers',
        calls('Read', { file_path: `${claude.world.folder}/numbers.txt` }),
        bash('wc -l numbers.txt'),
        says('There are three.'),
      );
      await claude.open(...FREE).only('Read the numbers.', 'And now?');
    },
  ],
  [
    'after commands that fail, print nothing, or print to both streams',
    async (claude) => {
      claude.provider.script('Try it', bash('exit 3'), bash('true'), bash('echo out; echo err >&2; exit 1'));
      await claude.open(...FREE).only('Try it.', 'Again?');
    },
  ],
  [
    'after writing and editing files, and an edit that fails',
    async (claude) => {
      const file = `${claude.world.folder}/list.md`;
      claude.world.write('other.md', 'kept\n');
      claude.provider.script(
        'Write the list',
        calls('Write', { file_path: file, content: '- apples\n- pears\n' }),
        calls('Edit', { file_path: file, old_string: '- pears', new_string: '- plums' }),
        calls('Edit', { file_path: `${claude.world.folder}/other.md`, old_string: 'nowhere', new_string: 'x' }),
        calls('NoSuchTool', { reason: 'none' }),
      );
      await claude.open(...FREE).only('Write the list.', 'Done?');
    },
  ],
  [
    'after parallel calls',
    async (claude) => {
      claude.world.write('a.txt', 'first\n');
      claude.world.write('b.txt', 'second\n');
      const read = (name: string) => ({ calls: 'Read', with: { file_path: `${claude.world.folder}/${name}` } });
      const run = { calls: 'Bash', with: { command: 'sleep 0.1; echo third', description: 'Print a word' } };
      claude.provider.script(
        'Look at all',
        { parts: [{ says: 'I look at all.' }, read('a.txt'), run, read('b.txt')] },
        { parts: [read('missing.txt'), run] },
      );
      await claude.open(...FREE).only('Look at all.', 'Which was first?');
    },
  ],
  [
    'after calls that are denied',
    async (claude) => {
      claude.settings({ permissions: { deny: ['Bash(rm:*)'] } });
      claude.provider.script('Clean up', bash('rm -rf build'), bash('echo kept > kept.txt'));
      await claude.open().only('Clean up.', 'Is it clean?');
    },
  ],
  [
    'after results that are too big',
    async (claude) => {
      claude.world.write('big.txt', Array.from({ length: 4000 }, (_, at) => `line ${at} of a long file\n`).join(''));
      claude.provider.script(
        'Print much',
        bash('seq 1 30000'),
        calls('Read', { file_path: `${claude.world.folder}/big.txt` }),
      );
      await claude.open(...FREE).only('Print much.', 'How much was it?');
    },
  ],
  [
    'with thinking before words and calls',
    async (claude) => {
      claude.provider.script(
        'Think first',
        { parts: [{ thinks: 'A command helps.' }, { says: 'I run it.' }, bash('echo thought').parts![0]!] },
        says('It is done.', { thinks: 'It worked.' }),
      );
      await claude.open(...FREE).only('Think first.', 'And then?');
    },
  ],
  [
    'with the context that hooks give beside a call',
    async (claude) => {
      claude.settings({
        hooks: {
          ...hook('PreToolUse', context('PreToolUse', 'OTTER before the call'), 'Bash'),
          ...hook('PostToolUse', context('PostToolUse', 'HERON after the call'), 'Bash'),
        },
      });
      claude.provider.script('Call it', bash('echo one'), bash('echo two'));
      const session = await claude.open(...FREE).only('Call it.', 'Once more?');
      await claude.open(...FREE, '--resume', session).only('What did the hooks say?');
      // 2.1.237 forgets the context before a call when it resumes, which no record says.
      return { wrong: claude.version === '2.1.237' ? [5] : [] };
    },
    '2.1.237',
  ],
  [
    'without what hooks only print',
    async (claude) => {
      claude.settings({
        hooks: {
          ...hook('PreToolUse', 'echo BADGER'),
          ...hook('PostToolUse', 'echo WEASEL'),
          ...hook('Stop', 'echo STOAT'),
        },
      });
      claude.provider.script('Call it', bash('echo one'));
      await claude.open(...FREE).only('Call it.', 'And?');
    },
  ],
  [
    'with what hooks print at a prompt and at the start',
    async (claude) => {
      claude.settings({
        hooks: { ...hook('SessionStart', 'echo MAGPIE'), ...hook('UserPromptSubmit', 'echo JACKDAW') },
      });
      const session = await claude.open().only('Hello.', 'And again.');
      await claude.open('--resume', session).only('Still there?');
    },
  ],
  [
    'with the context that hooks give at a prompt and at the start',
    async (claude) => {
      claude.settings({
        hooks: {
          ...hook('SessionStart', context('SessionStart', 'The branch is called main.')),
          ...hook('UserPromptSubmit', context('UserPromptSubmit', 'It is Monday.')),
        },
      });
      await claude.open().only('Hello.', 'And again.');
    },
  ],
  [
    'after a hook kept it from stopping',
    async (claude) => {
      const once = '[ -e stopped ] || { touch stopped; echo \'{"decision":"block","reason":"Run the tests too."}\'; }';
      claude.settings({ hooks: hook('Stop', once) });
      const session = await claude.open().only('Do the work.', 'What did you do?');
      await claude.open('--resume', session).only('Still?');
      // 2.1.237 sends the error of the hook only in later requests, and forgets the answer before its report on resume.
      return { wrong: claude.version === '2.1.237' ? [2, 4] : [] };
    },
    '2.1.237',
  ],
  [
    'after a hook kept it from stopping by its exit code',
    async (claude) => {
      claude.settings({ hooks: hook('Stop', '[ -e stopped ] || { touch stopped; echo "Look again." >&2; exit 2; }') });
      const session = await claude.open().only('Do the work.', 'What did you do?');
      await claude.open('--resume', session).only('Still?');
      return { wrong: claude.version === '2.1.237' ? [4] : [] };
    },
    '2.1.237',
  ],
  [
    'after hooks refused calls and reported about them',
    async (claude) => {
      const deny = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'Not today.' };
      claude.settings({
        hooks: {
          PreToolUse: [
            { matcher: 'Bash', hooks: [{ type: 'command', command: prints({ hookSpecificOutput: deny }) }] },
            { matcher: 'Read', hooks: [{ type: 'command', command: 'echo "No reading." >&2; exit 2' }] },
          ],
          ...hook('PostToolUse', 'echo "Format it." >&2; exit 2', 'Write'),
        },
      });
      claude.provider.script(
        'Try all',
        bash('echo one'),
        calls('Read', { file_path: `${claude.world.folder}/a.txt` }),
        calls('Write', { file_path: `${claude.world.folder}/b.txt`, content: 'b\n' }),
      );
      await claude.open(...FREE).only('Try all.', 'What worked?');
    },
  ],
  [
    'after a hook refused a prompt',
    async (claude) => {
      const command = 'grep -q secret && { echo "No secrets." >&2; exit 2; }; exit 0';
      claude.settings({ hooks: hook('UserPromptSubmit', command) });
      await claude.open().only('Hello.', 'My secret is out.', 'What did I say?');
    },
  ],
  [
    'with the words of the user that waited for a call',
    async (claude) => {
      const conversation = claude.open(...FREE);
      const waits = async (words: string): Promise<void> => {
        conversation.send(words);
        await claude.hasQueued(words);
      };
      claude.provider.script(
        'Take your time',
        { ...bash('echo slow'), meanwhile: () => waits('Also count the birds.') },
        { ...bash('echo slower'), meanwhile: () => waits('And the cats.') },
      );
      await conversation.only('Take your time.', 'How many?');
    },
  ],
  [
    'with the words of the user that waited for the end of a turn',
    async (claude) => {
      const conversation = claude.open(...FREE);
      const waits = async (): Promise<void> => {
        conversation.send('Also count the fish.');
        await claude.hasQueued('Also count the fish.');
      };
      claude.provider.script('Answer slowly', { ...says('Slowly.'), meanwhile: waits });
      const isDone = claude.provider.hasReceived(2);
      await conversation.say('Answer slowly.');
      await isDone;
      await conversation.only('How many?');
    },
  ],
  [
    'after it was resumed twice',
    async (claude) => {
      claude.provider.script('Begin', bash('echo begun'));
      const session = await claude.open(...FREE).only('Begin.');
      await claude.open(...FREE, '--resume', session).only('Continue.');
      await claude.open(...FREE, '--resume', session).only('Finish.', 'Really?');
    },
  ],
  [
    'after it was killed in the middle of a call and resumed',
    async (claude) => {
      claude.provider.script('Wait long', bash('echo $$ > started; sleep 20'));
      const conversation = claude.open(...FREE);
      conversation.send('Wait long.');
      await claude.hasCalled('sleep 20');
      await conversation.client.kill();
      await claude.open(...FREE, '--resume', conversation.sessionId).only('What happened?', 'And now?');
      // This version goes on before an answer that has nothing but calls without a result.
      return { elsewhere: claude.version === '2.1.237' ? [1] : [] };
    },
    '2.1.237',
  ],
  [
    'after it was killed within parallel calls and resumed',
    async (claude) => {
      const run = (command: string) => ({ calls: 'Bash', with: { command, description: 'Run a command' } });
      claude.provider.script('Wait for both', { parts: [{ says: 'Both.' }, run('echo quick'), run('sleep 21')] });
      const conversation = claude.open(...FREE);
      conversation.send('Wait for both.');
      await claude.hasCalled('sleep 21');
      await conversation.client.kill();
      await claude.open(...FREE, '--resume', conversation.sessionId).only('What happened?', 'And now?');
    },
  ],
  [
    'after /compact',
    async (claude) => {
      claude.provider.script('Begin', bash('echo begun'));
      await claude.open(...FREE).only('Begin.', 'Continue.', '/compact keep the numbers', 'What is left?', 'More?');
    },
  ],
  [
    'after /compact in a session that was resumed',
    async (claude) => {
      const session = await claude.open().only('Begin.', 'Continue.');
      await claude.open('--resume', session).only('/compact', 'What is left?');
      await claude.open('--resume', session).only('Still?');
    },
  ],
  [
    'after a compaction because the window was full',
    async (claude) => {
      claude.provider.script('Fill it', { ...bash('echo full'), promptTokens: 195_000 });
      claude.provider.script('Go on', says('I go on.'));
      await claude.open(...FREE).only('Begin.', 'Fill it.', 'Go on.', 'And on.');
    },
  ],
  [
    'of a fork',
    async (claude) => {
      claude.provider.script('Begin', bash('echo begun'));
      const session = await claude.open(...FREE).only('Begin.', 'Continue.');
      await claude.open(...FREE, '--resume', session, '--fork-session').only('Another way.', 'Further.');
      await claude.open(...FREE, '--resume', session).only('The old way.');
    },
  ],
  [
    'after it went back to an earlier answer',
    async (claude) => {
      const session = await claude.open(...FREE).only('Begin.', 'Go left.', 'Go on.');
      const first = claude.answer('Answer to request 1.');
      await claude.open(...FREE, '--resume', session, '--resume-session-at', first).only('Go right.', 'Further.');
      return { elsewhere: [2, 3] };
    },
  ],
  [
    'after the user interrupted a call',
    async (claude) => {
      claude.provider.script('Wait', bash('sleep 22'));
      const conversation = claude.open(...FREE);
      const from = conversation.client.events.length;
      conversation.send('Wait.');
      await claude.hasCalled('sleep 22');
      conversation.interrupt();
      await conversation.client.next(({ type }) => type === 'result', from);
      await conversation.only('Why did you stop?', 'I see.');
    },
  ],
  [
    'after the user interrupted an answer',
    async (claude) => {
      const conversation = claude.open(...FREE);
      claude.provider.script('Talk', { ...says('This is the beginning of'), isEndless: true });
      const from = conversation.client.events.length;
      conversation.send('Talk.');
      await claude.provider.hasReceived(1);
      await delay(300);
      conversation.interrupt();
      await conversation.client.next(({ type }) => type === 'result', from);
      await conversation.only('Shorter.', 'Good.');
    },
  ],
  [
    'of a subagent and of the one that started it',
    async (claude) => {
      claude.world.write('deep.txt', 'deep\n');
      claude.provider.script('Look into the depths', bash('cat deep.txt'), says('It says deep.'));
      claude.provider.script(
        'Send somebody',
        calls('Agent', {
          description: 'Look deep',
          prompt: 'Look into the depths.',
          subagent_type: 'general-purpose',
          run_in_background: false,
        }),
      );
      await claude.open(...FREE).only('Send somebody.', 'What is it?');
    },
  ],
  [
    'with images of the user',
    async (claude) => {
      await claude
        .open()
        .only(
          [text('What is this?'), image(png(20, 10))],
          [image(png(8, 8, [0, 0, 255])), image(png(9, 9, [0, 255, 0])), text('And these?')],
          'Which was first?',
        );
    },
  ],
  [
    'with an image that a tool read, and one that is too large',
    async (claude) => {
      claude.world.write('small.png', png(30, 30));
      claude.world.write('large.png', png(5000, 3000));
      claude.provider.script(
        'Look at the pictures',
        calls('Read', { file_path: `${claude.world.folder}/small.png` }),
        calls('Read', { file_path: `${claude.world.folder}/large.png` }),
      );
      await claude.open(...FREE).only('Look at the pictures.', 'What did you see?');
    },
  ],
  [
    'after failures that were tried again',
    async (claude) => {
      claude.provider.script('Try', fails(529), bash('echo tried'), fails(429), says('It worked.'));
      const session = await claude.open(...FREE).only('Try.', 'Well?');
      await claude.open(...FREE, '--resume', session).only('Still?');
      // 2.1.237 forgets the answers before late reports when it resumes, which no record says.
      return { wrong: claude.version === '2.1.237' ? [6] : [] };
    },
    '2.1.237',
  ],
  [
    'after a request that the provider refused',
    async (claude) => {
      claude.provider.script('Ask wrongly', fails(400));
      const session = await claude.open(...FREE).only('Begin.', 'Ask wrongly.', 'Ask rightly.', 'Thanks.');
      await claude.open(...FREE, '--resume', session).only('Still?');
    },
  ],
  [
    'after the provider was too busy',
    async (claude) => {
      claude.provider.script('Be quick', bash('echo quick'), fails(429), fails(429), fails(429));
      await claude.openWith({ CLAUDE_CODE_MAX_RETRIES: '1' }, ...FREE).only('Be quick.', 'Be slow.', 'Thanks.');
    },
  ],
  [
    'after commands of the project',
    async (claude) => {
      claude.world.write('.claude/commands/count.md', 'Count the $ARGUMENTS of this project.\n');
      await claude.open().only('/count doors', 'And the windows?');
    },
  ],
  [
    'after commands that the client answers itself',
    async (claude) => {
      await claude.open().only('Begin.', '/cost', 'Continue.', '/context', 'Further.');
    },
  ],
  [
    'with files that the user mentions, and the instructions of a project',
    async (claude) => {
      claude.world.write('CLAUDE.md', 'Always answer in one word.\n');
      claude.world.write('src/deep/CLAUDE.md', 'This folder is old.\n');
      claude.world.write('src/deep/code.txt', 'code\n');
      claude.world.write('note.txt', 'noted\n');
      claude.provider.script('Read the code', calls('Read', { file_path: `${claude.world.folder}/src/deep/code.txt` }));
      await claude.open(...FREE).only('Look at @note.txt please.', 'Read the code.', 'What next?');
    },
  ],
  [
    'after a file changed that it had read',
    async (claude) => {
      claude.world.write('plan.txt', 'one\n');
      claude.provider.script('Read the plan', calls('Read', { file_path: `${claude.world.folder}/plan.txt` }));
      const conversation = claude.open(...FREE);
      await conversation.say('Read the plan.');
      claude.world.write('plan.txt', 'one\ntwo\n');
      await conversation.only('What changed?', 'I see.');
    },
  ],
  [
    'after a change of the model',
    async (claude) => {
      const session = await claude.open().only('Begin.');
      await claude.open('--model', 'claude-opus-4-5', '--resume', session).only('Continue.', 'Further.');
    },
  ],
  [
    'after /clear',
    async (claude) => {
      await claude.open().only('Begin.', '/clear', 'Begin again.', 'Continue.');
    },
  ],
];
