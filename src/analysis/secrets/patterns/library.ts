import type { SecretPattern } from '../define.js';
import { ALNUM, BASE64URL, HEX } from '../looks-random.js';
import { libraryPattern, type LibraryPattern } from '../secretlint.js';

/** The secrets that secretlint finds. It is loaded when a text contains an anchor. */
const RULES: readonly LibraryPattern[] = [
  {
    rule: 'aws',
    kind: 'AWS access key id',
    anchors: ['AKIA[A-Z2-7]{16}', 'ASIA[A-Z2-7]{16}'],
    messages: ['AWSAccessKeyID'],
    // It also finds the ids of users, groups and roles.
    shape: /^A[KS]IA[A-Z2-7]{16}$/,
    example: (dice) => `AKIA${dice('A-Z2-7', 16)}`,
    // The example of Amazon's own manual.
    counterexample: 'AKIAIOSFODNN7EXAMPLE',
  },
  {
    rule: 'github',
    kind: 'GitHub token',
    anchors: ['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((name) => `${name}_[A-Za-z0-9_]{36}`),
    shape: /^gh._/,
    example: (dice) => `ghp_${dice(ALNUM, 36)}`,
    counterexample: `ghp_${'x'.repeat(36)}`,
  },
  {
    rule: 'github',
    kind: 'GitHub fine-grained token',
    anchors: ['github_pat_[A-Za-z0-9_]{82}'],
    shape: /^github_pat_/,
    example: (dice) => `github_pat_${dice(ALNUM, 22)}_${dice(ALNUM, 59)}`,
    counterexample: 'github_pat_11ABCDEFG',
  },
  {
    rule: 'gitlab',
    kind: 'GitLab token',
    anchors: ['glpat-[A-Za-z0-9_-]{20}'],
    example: (dice) => `glpat-${dice(BASE64URL, 20)}`,
    counterexample: 'glpat-xxxxxxxxxxxxxxxxxxxx',
  },
  {
    rule: 'npm',
    kind: 'npm token',
    anchors: ['npm_[A-Za-z0-9]{36}'],
    messages: ['NPM_ACCESS_TOKEN'],
    // It also matches npm_config_….
    shape: /^npm_[A-Za-z0-9]*\d[A-Za-z0-9]*$/,
    example: (dice) => `npm_${dice(ALNUM, 36)}`,
    counterexample: 'npm_config_registry_of_the_whole_company',
  },
  {
    rule: 'slack',
    kind: 'Slack token',
    anchors: ['xoxb', 'xoxp', 'xapp', 'xoxa', 'xoxo', 'xoxr'].map((name) => `${name}-[A-Za-z0-9-]{20}`),
    messages: ['SLACK_TOKEN'],
    example: (dice) => `xoxb-${dice('1-9', 12)}-${dice('1-9', 12)}-${dice(ALNUM, 24)}`,
    counterexample: 'xoxb-your-token-for-all-of-the-team',
  },
  {
    rule: 'slack',
    kind: 'Slack webhook',
    anchors: ['hooks.slack.com/services/T[A-Za-z0-9]{1}'],
    messages: ['IncomingWebhook'],
    example: (dice) =>
      `https://hooks.slack.com/services/T${dice('A-Z0-9', 10)}/B${dice('A-Z0-9', 10)}/${dice(ALNUM, 24)}`,
    counterexample: 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  },
  {
    rule: 'openai',
    kind: 'OpenAI API key',
    anchors: ['T3BlbkFJ[A-Za-z0-9_-]{20}'],
    example: (dice) => `sk-proj-${dice(BASE64URL, 74)}T3BlbkFJ${dice(ALNUM, 74)}`,
    counterexample: 'sk-T3BlbkFJ',
  },
  {
    rule: 'anthropic',
    kind: 'Anthropic API key',
    anchors: ['sk-ant-api0[0-9]{1}-[A-Za-z0-9_-]{90}'],
    example: (dice) => `sk-ant-api03-${dice(ALNUM, 1)}${dice(BASE64URL, 92)}AA`,
    counterexample: 'sk-ant-api03-...',
  },
  {
    rule: 'groq',
    kind: 'Groq API key',
    anchors: ['gsk_[A-Za-z0-9]{52}'],
    example: (dice) => `gsk_${dice(ALNUM, 52)}`,
    counterexample: 'gsk_your_key',
  },
  {
    rule: 'huggingface',
    kind: 'Hugging Face token',
    anchors: ['hf_[A-Za-z]{34}'],
    example: (dice) => `hf_${dice('A-Za-z', 34)}`,
    counterexample: `hf_${'x'.repeat(34)}`,
  },
  {
    rule: 'linear',
    kind: 'Linear API key',
    anchors: ['lin_api_[A-Za-z0-9_]{32}'],
    example: (dice) => `lin_api_${dice(ALNUM, 40)}`,
    counterexample: 'lin_api_key',
  },
  {
    rule: 'notion',
    kind: 'Notion token',
    anchors: ['ntn_[0-9]{11}[A-Za-z0-9]{35}'],
    example: (dice) => `ntn_${dice('1-9', 11)}${dice(ALNUM, 35)}`,
    counterexample: 'ntn_12345',
  },
  {
    rule: 'grafana',
    kind: 'Grafana token',
    anchors: ['glc_[A-Za-z0-9+/]{32}', 'glsa_[A-Za-z0-9]{32}'],
    shape: /\d/,
    example: (dice) => `glsa_${dice(ALNUM, 32)}_${dice(HEX, 8)}`,
    counterexample: 'glc_context_for_the_whole_window_of_it',
  },
  {
    rule: '1password',
    kind: '1Password service account token',
    anchors: ['ops_ey[A-Za-z0-9+/=]{100}'],
    // A multiple of three characters, followed by the closing brace.
    example: (dice) => `ops_${btoa(`{"muk":"${dice(ALNUM, 90)}"}`)}`,
    counterexample: 'ops_eyJ',
  },
  {
    rule: 'hashicorp-vault',
    kind: 'Vault token',
    anchors: ['hvs.[A-Za-z0-9_-]{90}', 'hvb.[A-Za-z0-9_-]{138}', 'hvr.[A-Za-z0-9_-]{90}'],
    example: (dice) => `hvs.${dice(BASE64URL, 92)}`,
    counterexample: 'hvs.CAESI',
  },
  {
    rule: 'vercel',
    kind: 'Vercel token',
    anchors: ['vcp', 'vci', 'vca', 'vcr', 'vck'].map((name) => `${name}_[A-Za-z0-9]{20}`),
    example: (dice) => `vck_${dice(ALNUM, 56)}`,
    counterexample: 'vcp_short',
  },
  {
    rule: 'databricks',
    kind: 'Databricks token',
    anchors: ['dapi[A-Fa-f0-9]{32}'],
    example: (dice) => `dapi${dice(HEX, 32)}`,
    counterexample: `dapi${'0'.repeat(32)}`,
  },
  {
    rule: 'docker',
    kind: 'Docker token',
    anchors: ['dckr_pat_[A-Za-z0-9_-]{27}'],
    example: (dice) => `dckr_pat_${dice(BASE64URL, 27)}`,
    counterexample: `dckr_pat_${'x'.repeat(27)}`,
  },
  {
    rule: 'figma',
    kind: 'Figma token',
    anchors: ['figd_[A-Za-z0-9_-]{40}'],
    example: (dice) => `figd_${dice(BASE64URL, 40)}`,
    counterexample: 'figd_yours',
  },
  {
    rule: 'shopify',
    kind: 'Shopify token',
    anchors: ['shppa', 'shpca', 'shpat', 'shpss'].map((name) => `${name}_[A-Za-z0-9]{32}`),
    example: (dice) => `shpat_${dice(HEX, 32)}`,
    counterexample: `shpat_${'x'.repeat(32)}`,
  },
];

const patterns: readonly SecretPattern[] = RULES.map(libraryPattern);

export default patterns;
