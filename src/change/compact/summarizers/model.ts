import { cut, oneLine } from '#analysis/facts/text.js';
import { CtxError } from '#base/errors.js';
import type { JsonObject } from '#base/json.js';
import { defineSummarizer, type SummaryWorld } from './define.js';
import { accessOf, MODEL_FLAGS } from './model-access.js';
import type { Answer, ModelAccess } from './model-client.js';
import { joined, promptsFor, SYSTEM_PROMPT } from './prompts.js';

export default defineSummarizer({
  name: 'model',
  summary: 'Ask a model at a server that speaks the Anthropic Messages or an OpenAI-compatible protocol',
  flags: MODEL_FLAGS,
  async summarize(task, world, given) {
    const access = accessOf(world, given);
    const { history, prefix } = promptsFor(task);
    const first = history === null ? null : await ask(access, world, history);
    const second = prefix === null ? null : await ask(access, world, prefix);
    const usages = [first, second].flatMap((answer) => (answer === null ? [] : [answer.usage]));
    return {
      text: joined(task, { history: first?.text ?? null, prefix: second?.text ?? null }),
      usage: usageOf(usages),
    };
  },
});

/** One answer that can stand as a summary. Throws a CtxError for every other one, as Pi does. */
async function ask(access: ModelAccess, world: SummaryWorld, prompt: string): Promise<Answer> {
  const { askModel } = await import('./model-client.js');
  const answer = await askModel(access, {
    system: SYSTEM_PROMPT,
    prompt,
    signal: world.signal,
    onText: (characters) => world.progress(`${access.model}: ${characters} characters …`),
  });
  if ('failure' in answer) {
    const status = answer.status === null ? '' : ` (HTTP ${answer.status})`;
    throw refused(access, `the model gave no summary${status}: ${cut(oneLine(answer.failure), LONGEST_SAID)}`);
  }
  if (answer.calledTool || answer.finish === 'tool-calls') throw refused(access, 'the model called a tool');
  if (answer.finish === 'length') throw refused(access, 'the summary was cut by the length limit');
  if (answer.finish !== 'stop') throw refused(access, `the answer ended before the model was done (${answer.finish})`);
  if (answer.text === '') throw refused(access, 'the summary is empty');
  return answer;
}

const LONGEST_SAID = 300;

function refused({ baseUrl, model }: ModelAccess, what: string): CtxError {
  return new CtxError('input', what, { where: `${model} at ${baseUrl}`, hint: 'nothing was written; try again' });
}

/** What providers counted, in Pi's form and key order. There is no list of prices here, so it costs 0. */
function usageOf(usages: readonly Answer['usage'][]): JsonObject {
  const sum = (pick: (usage: Answer['usage']) => number | undefined): number =>
    usages.reduce((total, usage) => total + (pick(usage) ?? 0), 0);
  const cacheRead = sum(({ inputTokenDetails }) => inputTokenDetails.cacheReadTokens);
  const cacheWrite = sum(({ inputTokenDetails }) => inputTokenDetails.cacheWriteTokens);
  const input = Math.max(0, sum(({ inputTokens }) => inputTokens) - cacheRead - cacheWrite);
  const output = sum(({ outputTokens }) => outputTokens);
  const knowsReasoning = usages.some(({ outputTokenDetails }) => outputTokenDetails.reasoningTokens !== undefined);
  const reasoning = knowsReasoning ? { reasoning: sum((usage) => usage.outputTokenDetails.reasoningTokens) } : {};
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    ...reasoning,
    totalTokens: input + output + cacheRead + cacheWrite,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
}
