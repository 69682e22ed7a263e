// Writes the rules of gitleaks to src/analysis/secrets/patterns/gitleaks.json. For newer ones, put its
// config/gitleaks.toml and its LICENSE in here, and the date of its commit below.
//
//   npm run secrets
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { NOT_TAKEN } from './not-taken.mjs';
import { translated } from './translate.mjs';

/** Of commit b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b. */
const VERSION = '2026.7.22';

const GENERATED = fileURLToPath(new URL('../../src/analysis/secrets/patterns/gitleaks.json', import.meta.url));

/** All rules of the file of gitleaks. */
export async function upstreamRules() {
  const { rules } = parse(await readFile(new URL('gitleaks.toml', import.meta.url), 'utf8'));
  return rules;
}

/** What the generated file holds. */
export async function rows() {
  const left = new Set(Object.values(NOT_TAKEN).flat());
  const tokens = [];
  const named = [];
  for (const rule of await upstreamRules()) {
    if (left.delete(rule.id)) continue;
    const { names, example: _, ...more } = translated(rule.regex);
    const { id, entropy = 0 } = rule;
    if (names) named.push({ id, kind: kindOf(rule), names, ...more, entropy });
    else tokens.push({ id, kind: kindOf(rule), ...more, entropy });
  }
  if (left.size > 0) throw new Error(`gitleaks has no rules ${[...left].join(', ')}`);
  return { SHAPES: tokens, NAMED: named };
}

function textOf({ SHAPES, NAMED }) {
  const list = (all) => all.map((row) => `\n    ${JSON.stringify(row)}`).join();
  return `{\n  "version": "${VERSION}",\n  "SHAPES": [${list(SHAPES)}\n  ],\n  "NAMED": [${list(NAMED)}\n  ]\n}\n`;
}

/** `digitalocean-access-token` as people write it: with the capitals of its description, \`DigitalOcean access token`. */
function kindOf({ id, description }) {
  const written = new Map((description.match(/[A-Za-z0-9]+/g) ?? []).map((word) => [word.toLowerCase(), word]));
  const words = id.split('-').map((word) => (COMMON.has(word) ? word : (SPELLINGS[word] ?? written.get(word) ?? word)));
  const [first = '', ...others] = words;
  return [first[0].toUpperCase() + first.slice(1), ...others].join(' ');
}

const COMMON = new Set(
  'access account agent app application authentication batch bearer browser bundle bot cicd client cloud config cookie deploy encryption feature feed flag global identity incoming insert job key kubernetes legacy license lived long mail networking org organization page personal private public reference refresh registration routable runner secret service session short signing test token trigger url user webhook'.split(
    ' ',
  ),
);
const SPELLINGS = {
  api: 'API',
  pat: 'personal access token',
  oauth: 'OAuth',
  personnal: 'personal',
  ptt: 'pipeline trigger token',
  rrt: 'runner registration token',
  tf: 'Terraform',
  hashicorp: 'HashiCorp',
  digitalocean: 'DigitalOcean',
  gitlab: 'GitLab',
  jfrog: 'JFrog',
  privateai: 'Private AI',
  twilio: 'Twilio',
  cicd: 'CI',
  scim: 'SCIM',
  aws: 'AWS',
  launchdarkly: 'LaunchDarkly',
  readme: 'ReadMe',
  rubygems: 'RubyGems',
  planetscale: 'PlanetScale',
  messagebird: 'MessageBird',
  gocardless: 'GoCardless',
  newrelic: 'New Relic',
  hubspot: 'HubSpot',
  linkedin: 'LinkedIn',
  maxmind: 'MaxMind',
  easypost: 'EasyPost',
  flyio: 'Fly.io',
  frameio: 'Frame.io',
  huggingface: 'Hugging Face',
  nytimes: 'New York Times',
  rapidapi: 'RapidAPI',
  travisci: 'Travis CI',
  droneci: 'Drone CI',
  sumologic: 'Sumo Logic',
  sendinblue: 'Brevo',
  openshift: 'OpenShift',
  settlemint: 'SettleMint',
  clickhouse: 'ClickHouse',
};

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(GENERATED, textOf(await rows()));
