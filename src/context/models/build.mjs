// Writes models.json from the list of models of Pi's package @earendil-works/pi-ai, which Pi, installed below test/pi, bundles.
//
//   npm run models
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const dataFile = fileURLToPath(new URL('models.json', import.meta.url));

/** Companies that sell models of their own. Their figures come first where a session names a provider that the list lacks. */
const VENDORS = 'anthropic openai google deepseek mistral xai meta moonshotai zai minimax xiaomi nvidia'.split(' ');

/** The text of models.json. */
export async function dataText() {
  const { MODELS, PI_AI_VERSION } = await import('../../../test/pi/pi-ai.mjs');
  const providers = Object.entries(MODELS)
    .filter(([, models]) => models.length > 0)
    .toSorted(([one], [other]) => rank(one) - rank(other) || (one < other ? -1 : 1));
  const lists = providers.map(([provider, models]) => {
    const lines = linesOf(models).map((line) => `\n      ${JSON.stringify(line)}`);
    return `\n    ${JSON.stringify(provider)}: [${lines.join()}\n    ]`;
  });
  return `{\n  "source": "@earendil-works/pi-ai ${PI_AI_VERSION}",\n  "models": {${lists.join()}\n  }\n}\n`;
}

function rank(provider) {
  const at = VENDORS.indexOf(provider);
  return at === -1 ? VENDORS.length : at;
}

function linesOf(models) {
  const facts = new Set(models.map(factsOf));
  return [...facts].map((same) =>
    [same, ...models.filter((one) => factsOf(one) === same).map(({ id }) => id)].join(' '),
  );
}

/** Abilities: r thinks, a is told an effort and not a number of tokens. `-` is none. An effort without a value is refused. */
function factsOf({ contextWindow, maxTokens, reasoning, compat, thinkingLevelMap = {}, cost }) {
  const abilities = `${reasoning ? 'r' : ''}${compat?.forceAdaptiveThinking ? 'a' : ''}`;
  const efforts = Object.entries(thinkingLevelMap).map(([level, effort]) => `${level}=${effort ?? ''}`);
  return `${contextWindow} ${maxTokens} ${abilities || '-'} ${efforts.join(',') || '-'} ${pricesOf(cost)}`;
}

/**
 * Dollars for a million tokens: input/output/cacheRead/cacheWrite, then the same after `,above:` for longer prompts. Pi
 * writes 0 both for what is free and for a price that it does not know, so a model without any price has `-`.
 */
function pricesOf({ tiers = [], ...base }) {
  if (base.input === 0 && base.output === 0) return '-';
  const kinds = ({ input, output, cacheRead, cacheWrite }) => [input, output, cacheRead, cacheWrite].join('/');
  const longer = tiers.toSorted((one, other) => one.inputTokensAbove - other.inputTokensAbove);
  return [kinds(base), ...longer.map((tier) => `${tier.inputTokensAbove}:${kinds(tier)}`)].join(',');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(dataFile, await dataText());
