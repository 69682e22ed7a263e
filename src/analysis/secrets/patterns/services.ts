import { Buffer } from 'node:buffer';
import { definePattern, type SecretPattern } from '../define.js';
import { isMadeUp } from '../looks-random.js';
import { ALNUM, BASE64, BASE64URL, defineTokenPatterns, HEX, LOWER_ALNUM } from '../token-patterns.js';

/** Tokens of the services that most projects use. */
export const commonTokens: readonly SecretPattern[] = [
  definePattern({
    kind: 'AWS access key id',
    anchors: ['AKIA[A-Z2-7]{16}', 'ASIA[A-Z2-7]{16}'],
    pattern: /(?<![A-Za-z0-9_])A[KS]IA[A-Z2-7]{16}(?![A-Za-z0-9_])/g,
    isSecret: (id) => !isMadeUp(id),
  }),
  ...defineTokenPatterns([
    ['GitHub token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], ALNUM, 36],
    ['GitHub fine-grained token', 'github_pat_', 'A-Za-z0-9_', 82],
    ['GitLab token', 'glpat-', BASE64URL, 20, 128],
    ['npm token', 'npm_', ALNUM, 36],
    ['Slack token', ['xoxb-', 'xoxp-', 'xapp-', 'xoxa-', 'xoxo-', 'xoxr-'], 'A-Za-z0-9-', 20, 200],
  ]),
  definePattern({
    kind: 'Slack webhook',
    anchors: ['hooks.slack.com/services/T[A-Za-z0-9]{1}'],
    pattern: /https:\/\/hooks\.slack\.com\/services\/T[A-Za-z0-9]{1,40}\/B[A-Za-z0-9]{1,40}\/[A-Za-z0-9]{1,40}/g,
    isSecret: (address) => !isMadeUp(address),
  }),
  ...defineTokenPatterns([
    ['Groq API key', 'gsk_', ALNUM, 52],
    ['Hugging Face token', 'hf_', 'A-Za-z', 34],
    ['Linear API key', 'lin_api_', 'A-Za-z0-9_', 32, 128],
    ['Notion token', 'ntn_', ALNUM, 46],
    ['Grafana token', 'glc_', `${BASE64}=`, 32, 402],
    ['Grafana token', 'glsa_', 'A-Za-z0-9_', 41],
    ['1Password service account token', 'ops_ey', `${BASE64}=`, 100, 1300],
    ['Vault token', ['hvs.', 'hvr.'], BASE64URL, 90, 120],
    ['Vault token', 'hvb.', BASE64URL, 138, 300],
    ['Vercel token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], ALNUM, 20, 60],
    ['Databricks token', 'dapi', 'A-Fa-f0-9', 32],
    ['Docker token', 'dckr_pat_', BASE64URL, 27],
    ['Figma token', 'figd_', BASE64URL, 40, 200],
    ['Shopify token', ['shppa_', 'shpca_', 'shpat_', 'shpss_'], ALNUM, 32, 64],
  ]),
];

/** Keys of model providers, and of search and reading services for agents. */
export const modelProviderKeys: readonly SecretPattern[] = defineTokenPatterns([
  ['Anthropic API key', 'sk-ant-api03-', BASE64URL, 80, 140],
  ['Anthropic OAuth token', 'sk-ant-oat01-', BASE64URL, 40, 200],
  ['Anthropic OAuth refresh token', 'sk-ant-ort01-', BASE64URL, 40, 200],
  ['Anthropic admin key', 'sk-ant-admin01-', BASE64URL, 40, 200],
  ['Anthropic session key', 'sk-ant-sid01-', BASE64URL, 40, 200],
  ['OpenAI project key', 'sk-proj-', BASE64URL, 40, 200],
  ['OpenAI service account key', 'sk-svcacct-', BASE64URL, 40, 200],
  ['OpenAI admin key', 'sk-admin-', BASE64URL, 40, 200],
  ['OpenRouter API key', 'sk-or-v1-', HEX, 64],
  ['Langfuse secret key', 'sk-lf-', 'a-f0-9-', 36],
  ['model provider API key', 'sk-', ALNUM, 32, 64],
  ['Google API key', 'AIza', BASE64URL, 35],
  ['xAI API key', 'xai-', ALNUM, 70, 90],
  ['Perplexity API key', 'pplx-', ALNUM, 40, 64],
  ['Replicate API token', 'r8_', ALNUM, 37, 40],
  ['Cerebras API key', 'csk-', LOWER_ALNUM, 40, 60],
  ['NVIDIA API key', 'nvapi-', BASE64URL, 60, 72],
  ['Together API key', 'tgp_v1_', BASE64URL, 43],
  ['LlamaCloud API key', 'llx-', ALNUM, 48],
  ['ElevenLabs API key', 'sk_', HEX, 48],
  ['LangSmith API key', 'lsv2_pt_', 'a-f0-9_', 43],
  ['LangSmith service key', 'lsv2_sk_', 'a-f0-9_', 43],
  ['Tavily API key', 'tvly-', ALNUM, 32],
  ['Tavily API key', 'tvly-dev-', ALNUM, 32],
  ['Firecrawl API key', 'fc-', HEX, 32],
  ['Jina API key', 'jina_', ALNUM, 60, 72],
  ['Pinecone API key', 'pcsk_', 'A-Za-z0-9_', 60, 80],
  ['Brave Search API key', 'BSA', BASE64URL, 27, 28],
]);

/** Keys of providers of machines, databases and networks. */
export const cloudKeys: readonly SecretPattern[] = [
  ...defineTokenPatterns([
    // The first four letters are followed by BedrockAPIKey in base64.
    ['Amazon Bedrock API key', 'ABSKQmVkcm9ja0FQSUtleS', `${BASE64}=`, 80, 260],
    ['Google OAuth client secret', 'GOCSPX-', BASE64URL, 28],
    ['Google OAuth access token', 'ya29.', BASE64URL, 60, 400],
    ['Google OAuth refresh token', '1//0', BASE64URL, 40, 120],
    ['Netlify token', 'nfp_', ALNUM, 36],
    ['Heroku API key', 'HRKU-', BASE64URL, 36, 64],
    ['Supabase token', 'sbp_', HEX, 40],
    ['Supabase secret key', 'sb_secret_', BASE64URL, 31],
    ['Neon API key', 'napi_', LOWER_ALNUM, 64],
    ['Doppler token', 'dp.pt.', ALNUM, 40, 44],
    ['Doppler service token', 'dp.st.', 'A-Za-z0-9_.-', 40, 80],
    ['Tailscale auth key', 'tskey-auth-', 'A-Za-z0-9-', 20, 80],
    ['Tailscale API key', 'tskey-api-', 'A-Za-z0-9-', 20, 80],
  ]),
  definePattern({
    kind: 'AWS secret access key',
    anchors: ['ccess_key', 'ccess_Key', 'ccessKey', 'ccesskey', 'CCESS_KEY', 'CCESSKEY'].map(
      (name) => `${name}["'\\\\\\] :=>]{1,40}[A-Za-z0-9/+]{40}`,
    ),
    pattern:
      /secret_?access_?key(?:\\{0,16}["'])?\]? {0,8}(?:=>|[:=]) {0,8}(?:\\{0,16}["'])?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    isSecret: (key) => !isMadeUp(key) && /\d/.test(key),
  }),
  definePattern({
    kind: 'Azure storage key',
    anchors: ['AccountKey=[A-Za-z0-9+/]{86}=='],
    pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/dg,
    isSecret: (key) => !isMadeUp(key),
  }),
  definePattern({
    kind: 'Azure client secret',
    anchors: ['7Q~[A-Za-z0-9~_.-]{31}', '8Q~[A-Za-z0-9~_.-]{31}'],
    pattern: /(?<![A-Za-z0-9~_.-])[A-Za-z0-9~_.-]{3}[78]Q~[A-Za-z0-9~_.-]{31,34}(?![A-Za-z0-9~_.-])/g,
  }),
  definePattern({
    kind: 'Azure key',
    anchors: ['JQQJ99[A-Z]{1}[A-Za-z0-9]{24}'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Z][A-Za-z0-9]{24,30}(?:==)?(?![A-Za-z0-9])/g,
  }),
  definePattern({
    kind: 'Azure shared access signature',
    anchors: ['sig=[A-Za-z0-9%_-]{43}'],
    // Those of Logic Apps end without a sign.
    pattern: /[?&]sig=(?<secret>[A-Za-z0-9%_-]{43,80}=?)/dg,
    isSecret: (signature) => !isMadeUp(signature) && /\d/.test(signature),
  }),
];

/** Tokens of code hosts, package registries, build and monitoring services. */
export const developmentTokens: readonly SecretPattern[] = [
  ...defineTokenPatterns([
    ['GitLab runner token', 'glrt-', BASE64URL, 20, 128],
    ['GitLab deploy token', 'gldt-', BASE64URL, 20, 128],
    ['GitLab CI job token', 'glcbt-', 'A-Za-z0-9_-', 20, 128],
    ['Bitbucket app password', 'ATBB', ALNUM, 32],
    ['Atlassian API token', 'ATATT3', 'A-Za-z0-9_=-', 180, 250],
    ['PyPI token', 'pypi-AgE', BASE64URL, 80, 300],
    ['NuGet key', 'oy2', LOWER_ALNUM, 43],
    ['Docker organisation token', 'dckr_oat_', BASE64URL, 27, 40],
    ['Sentry organisation token', 'sntrys_eyJ', `${BASE64}=_-`, 60, 400],
    ['SonarQube token', 'squ_', HEX, 40],
    ['SonarQube project token', 'sqp_', HEX, 40],
    ['CircleCI token', 'CCIPAT_', 'A-Za-z0-9_', 60, 80],
    ['Buildkite token', 'bkua_', HEX, 40],
    ['New Relic key', 'NRAK-', 'A-Z0-9', 27],
    ['PostHog personal key', 'phx_', BASE64URL, 43, 52],
    ['Sourcegraph token', 'sgp_', 'a-f0-9_', 40, 80],
    ['Dropbox access token', 'sl.', BASE64URL, 130, 160],
    ['Dropbox access token', 'sl.u.', BASE64URL, 130, 1500],
    ['Contentful token', 'CFPAT-', BASE64URL, 43],
  ]),
  definePattern({
    kind: 'Django secret key',
    anchors: ['django-insecure-[^\\s"\'\\\\]{40}'],
    pattern: /django-insecure-[^\s"'\\<]{40,60}/g,
    isSecret: (key) => !isMadeUp(key),
  }),
  definePattern({
    kind: 'npm registry token',
    anchors: ['_authToken=[A-Za-z0-9+/=_-]{20}'],
    pattern: /_authToken=(?<secret>[A-Za-z0-9+/=_-]{20,400})/dg,
    isSecret: (token) => !isMadeUp(token) && /\d/.test(token),
  }),
];

/** Keys of messaging and payment services. */
export const messagingAndPaymentKeys: readonly SecretPattern[] = [
  ...defineTokenPatterns([
    ['Stripe webhook secret', 'whsec_', BASE64, 32, 64],
    ['Typeform token', 'tfp_', 'A-Za-z0-9_.=-', 59],
    ['Square secret', 'sq0csp-', BASE64URL, 43],
    ['Plaid access token', 'access-production-', 'a-f0-9-', 36],
    ['Slack session token', 'xoxc-', 'A-Za-z0-9-', 40, 200],
    ['Slack session cookie', 'xoxd-', 'A-Za-z0-9%/+=_-', 40, 400],
    ['Slack configuration token', 'xoxe-', 'A-Za-z0-9-', 40, 300],
    ['Mailgun key', 'key-', HEX, 32],
    ['LaunchDarkly SDK key', 'sdk-', 'a-f0-9-', 36],
  ]),
  definePattern({
    kind: 'Braintree access token',
    anchors: ['access_token$production$', 'access_token$sandbox$'],
    pattern: /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}/g,
  }),
  definePattern({
    kind: 'Mailchimp API key',
    anchors: ['-us[0-9]{1}'],
    pattern: /(?<![A-Za-z0-9_-])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g,
    isSecret: (key) => !isMadeUp(key),
  }),
  definePattern({
    kind: 'Firebase server key',
    anchors: [':APA91b[A-Za-z0-9_-]{134}'],
    pattern: /(?<![A-Za-z0-9_-])AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134}(?![A-Za-z0-9_-])/g,
  }),
  definePattern({
    kind: 'Mapbox secret token',
    anchors: ['sk.eyJ1Ijoi', 'tk.eyJ1Ijoi'].map((start) => `${start}[A-Za-z0-9_-]{20}`),
    pattern: /(?<![A-Za-z0-9_])[st]k\.eyJ1Ijoi[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{20,30}(?![A-Za-z0-9_-])/g,
    isSecret: (token) => !isMadeUp(token),
  }),
  definePattern({
    kind: 'one-time password key',
    anchors: ['otpauth://[a-z]{4}'],
    pattern: /otpauth:\/\/[^\s"'?]{1,300}\?(?:[^\s"'?]{1,200}&)?secret=(?<secret>[A-Z2-7]{16,128})/dgi,
    isSecret: (key) => !isMadeUp(key),
  }),
  definePattern({
    kind: 'seed phrase',
    anchors: ['nemonic', 'eed phrase', 'eed_phrase', 'NEMONIC', 'EED_PHRASE'].map(
      (name) =>
        `${name}["'\\\\]{0,8}[ ]{0,4}[:=]{1}[ "'\\\\]{0,12}[a-z]{3,8} [a-z]{3,8} [a-z]{3,8} [a-z]{3,8} [a-z]{3,8}`,
    ),
    pattern:
      /(?:mnemonic|seed[ _]phrase)["']? {0,4}[:=] {0,4}["']?(?<secret>[a-z]{3,8}(?:(?: [a-z]{3,8}){23}|(?: [a-z]{3,8}){20}|(?: [a-z]{3,8}){17}|(?: [a-z]{3,8}){14}|(?: [a-z]{3,8}){11}))(?![a-z])/dgi,
    // None of these is in the word list of such phrases.
    isSecret: (phrase) => !/(?<![a-z])(?:the|and|for|are|was|has|not|but|its|words|from|test)(?![a-z])/.test(phrase),
  }),
  definePattern({
    kind: 'Resend key',
    anchors: ['re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}'],
    pattern: /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9_-])/g,
    isSecret: (key) => !isMadeUp(key) && /\d/.test(key),
  }),
  definePattern({
    kind: 'Telegram bot token',
    anchors: [':AA[A-Za-z0-9_-]{33}'],
    pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  }),
  definePattern({
    kind: 'Discord bot token',
    // The token begins with the number of its bot in base64, which cannot be an anchor. So it is found only where
    // Discord is named.
    anchors: ['iscor', 'ISCOR', 'ogin(', ' Bot [MNO]{1}', 'OT_TOKEN', 'ot_token', 'otToken'],
    pattern:
      /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)(?<bot>[MNO][A-Za-z0-9_-]{22,26})\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    isSecret: (token, { bot = '' }) =>
      !isMadeUp(token) && /^\d{17,20}$/.test(Buffer.from(bot, 'base64').toString('latin1')),
  }),
  definePattern({
    kind: 'Discord webhook',
    anchors: ['/api/webhooks/[0-9]{17}'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{17,20}\/[A-Za-z0-9_-]{60,80})/dg,
    isSecret: (token) => !isMadeUp(token),
  }),
  definePattern({
    kind: 'Teams webhook',
    anchors: ['/webhookb2/[a-f0-9-]{36}', 'com/webhook/[a-f0-9-]{36}'],
    pattern:
      /(?:[a-z0-9]{1,60}\.webhook\.office\.com\/webhookb2|outlook\.office(?:365)?\.com\/webhook)\/(?<secret>[a-f0-9-]{36}@[a-f0-9-]{36}\/IncomingWebhook\/[a-f0-9]{32}\/[a-f0-9-]{36}(?:\/V2[\w-]{20,60})?)/dg,
  }),
];
