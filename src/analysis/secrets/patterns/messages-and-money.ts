import { Buffer } from 'node:buffer';
import { type SecretPattern, shaped } from '../define.js';
import { BASE64, BASE64URL, HEX, isMadeUp, tokens } from '../looks-random.js';

/** Keys of messaging and payment services. */
const patterns: readonly SecretPattern[] = [
  ...tokens([
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
  shaped({
    kind: 'Braintree access token',
    anchors: ['access_token$production$', 'access_token$sandbox$'],
    pattern: /access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}/g,
  }),
  shaped({
    kind: 'Mailchimp API key',
    anchors: ['-us[0-9]{1}'],
    pattern: /(?<![A-Za-z0-9_-])[a-f0-9]{32}-us\d{1,2}(?![A-Za-z0-9])/g,
    isSecret: (key) => !isMadeUp(key),
  }),
  shaped({
    kind: 'Firebase server key',
    anchors: [':APA91b[A-Za-z0-9_-]{134}'],
    pattern: /(?<![A-Za-z0-9_-])AAAA[A-Za-z0-9_-]{7}:APA91b[A-Za-z0-9_-]{134}(?![A-Za-z0-9_-])/g,
  }),
  shaped({
    kind: 'Mapbox secret token',
    anchors: ['sk.eyJ1Ijoi', 'tk.eyJ1Ijoi'].map((start) => `${start}[A-Za-z0-9_-]{20}`),
    pattern: /(?<![A-Za-z0-9_])[st]k\.eyJ1Ijoi[A-Za-z0-9_-]{20,200}\.[A-Za-z0-9_-]{20,30}(?![A-Za-z0-9_-])/g,
    isSecret: (token) => !isMadeUp(token),
  }),
  shaped({
    kind: 'one-time password key',
    anchors: ['otpauth://[a-z]{4}'],
    pattern: /otpauth:\/\/[^\s"'?]{1,300}\?(?:[^\s"'?]{1,200}&)?secret=(?<secret>[A-Z2-7]{16,128})/dgi,
    isSecret: (key) => !isMadeUp(key),
  }),
  shaped({
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
  shaped({
    kind: 'Resend key',
    anchors: ['re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}'],
    pattern: /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)re_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}(?![A-Za-z0-9_-])/g,
    isSecret: (key) => !isMadeUp(key) && /\d/.test(key),
  }),
  shaped({
    kind: 'SendGrid key',
    anchors: ['SG.[A-Za-z0-9_-]{22}.[A-Za-z0-9_-]{43}'],
    pattern: /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])/g,
    isSecret: (key) => !isMadeUp(key),
  }),
  shaped({
    kind: 'Telegram bot token',
    anchors: [':AA[A-Za-z0-9_-]{33}'],
    pattern: /(?<!\d)\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g,
  }),
  shaped({
    kind: 'Discord bot token',
    // It begins with the number of its bot in base64, which is not an anchor: so only where Discord is named.
    anchors: ['iscor', 'ISCOR'],
    pattern:
      /(?<![A-Za-z0-9_]|[A-Za-z0-9_]-)(?<bot>[MNO][A-Za-z0-9_-]{22,26})\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![A-Za-z0-9_-])/g,
    isSecret: (token, { bot = '' }) =>
      !isMadeUp(token) && /^\d{17,20}$/.test(Buffer.from(bot, 'base64').toString('latin1')),
  }),
  shaped({
    kind: 'Discord webhook',
    anchors: ['/api/webhooks/[0-9]{17}'],
    pattern: /discord(?:app)?\.com\/api\/webhooks\/(?<secret>\d{17,20}\/[A-Za-z0-9_-]{60,80})/dg,
    isSecret: (token) => !isMadeUp(token),
  }),
  shaped({
    kind: 'Teams webhook',
    anchors: ['/webhookb2/[a-f0-9-]{36}'],
    pattern:
      /[a-z0-9]{1,60}\.webhook\.office\.com\/webhookb2\/(?<secret>[a-f0-9-]{36}@[a-f0-9-]{36}\/IncomingWebhook\/[a-f0-9]{32}\/[a-f0-9-]{36})/dg,
  }),
];

export default patterns;
