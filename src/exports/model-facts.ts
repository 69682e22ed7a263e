/** The version in the name of a model of Anthropic: 405 for 4.5; null where there is none. */
function claudeVersion(model: string): number | null {
  const name = /claude-(?:(?:opus|sonnet|haiku|fable)-)?(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(model);
  return name ? Number(name[1]) * 100 + Number(name[2] ?? 0) : null;
}

/** Whether it is told how much effort to make, and not how many tokens to think. */
export function thinksByEffort(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= FIRST_BY_EFFORT;
}

/** Whether it can think before it answers; a model of an unknown name can. */
export function canThink(model: string): boolean {
  return (claudeVersion(model) ?? FIRST_TO_THINK) >= FIRST_TO_THINK;
}

/** Whether its name says that it can think, asked by an API that many others are asked by. */
export function isKnownToThink(model: string): boolean {
  return (claudeVersion(model) ?? 0) >= FIRST_TO_THINK || /(?:^|\/)(?:o\d|gpt-(?:[5-9]|oss))/.test(model);
}

const FIRST_TO_THINK = 307;
const FIRST_BY_EFFORT = 406;

/** What Anthropic calls a level of thinking, for models that take one. */
export function claudeEffort(model: string, level: string): string {
  switch (level) {
    case 'minimal':
    case 'low':
      return 'low';
    case 'medium':
    case 'max':
      return level;
    case 'xhigh':
      return claudeVersion(model) === FIRST_BY_EFFORT ? 'high' : level;
    default:
      return 'high';
  }
}

/** Tokens for thinking, by level: Pi's usual ones. */
export function thinkingBudget(level: string): number {
  return BUDGETS.get(level) ?? MOST_THINKING;
}

const MOST_THINKING = 16_384;
const BUDGETS: ReadonlyMap<string, number> = new Map([
  ['minimal', 1024],
  ['low', 2048],
  ['medium', 8192],
]);

/** Whether a model of OpenAI thinks before it answers, and so calls the system prompt that of a developer. */
export function isReasoningModel(model: string): boolean {
  return !/^(?:[\w.-]+\/)?(?:gpt-[34]|gpt-5-chat|chatgpt-4o)/.test(model);
}

/** The least that a model thinks is little, but for the first ones of the fifth version. */
export function openAiEffort(model: string, level: string): string {
  return level === 'minimal' && /(?:^|\/)(?:gpt-(?:5\.|[6-9]|oss)|o\d)/.test(model) ? 'low' : level;
}

/** Whether it can be told not to think. */
export function canThinkNothing(model: string): boolean {
  return /^gpt-(?:5\.[1-9]|[6-9])/.test(model) && !/-(?:pro|spark|cyber|astra)|^gpt-6\.1-sol/.test(model);
}
