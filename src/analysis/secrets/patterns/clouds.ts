import { type SecretPattern, shaped } from '../define.js';
import { isMadeUp } from '../looks-random.js';
import { ALNUM, BASE64, BASE64URL, HEX, SMALL, tokens } from '../token.js';

/** Keys of providers of machines, databases and networks. */
const patterns: readonly SecretPattern[] = [
  ...tokens([
    // The first four letters are followed by BedrockAPIKey in base64.
    ['Amazon Bedrock API key', 'ABSKQmVkcm9ja0FQSUtleS', `${BASE64}=`, 80, 260],
    ['Google OAuth client secret', 'GOCSPX-', BASE64URL, 28],
    ['Google OAuth access token', 'ya29.', BASE64URL, 60, 400],
    ['Google OAuth refresh token', '1//0', BASE64URL, 40, 120],
    ['Netlify token', 'nfp_', ALNUM, 36],
    ['Heroku API key', 'HRKU-', BASE64URL, 36, 64],
    ['Supabase token', 'sbp_', HEX, 40],
    ['Supabase secret key', 'sb_secret_', BASE64URL, 31],
    ['Neon API key', 'napi_', SMALL, 64],
    ['Doppler token', 'dp.pt.', ALNUM, 40, 44],
    ['Doppler service token', 'dp.st.', 'A-Za-z0-9_.-', 40, 80],
    ['Tailscale auth key', 'tskey-auth-', 'A-Za-z0-9-', 20, 80],
    ['Tailscale API key', 'tskey-api-', 'A-Za-z0-9-', 20, 80],
  ]),
  shaped({
    kind: 'AWS secret access key',
    anchors: ['ccess_key', 'ccess_Key', 'ccessKey', 'ccesskey', 'CCESS_KEY', 'CCESSKEY'].map(
      (name) => `${name}["'\\\\\\] :=>]{1,40}[A-Za-z0-9/+]{40}`,
    ),
    pattern:
      /secret_?access_?key(?:\\{0,16}["'])?\]? {0,8}(?:=>|[:=]) {0,8}(?:\\{0,16}["'])?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/dgi,
    isSecret: (key) => !isMadeUp(key) && /\d/.test(key),
    example(dice) {
      const secret = dice(BASE64, 40);
      return { text: `aws_secret_access_key = ${secret}`, secret };
    },
    // The example of Amazon's own manual.
    counterexamples: ['aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY', 'AWS_SECRET_ACCESS_KEY=$KEY'],
  }),
  shaped({
    kind: 'Azure storage key',
    anchors: ['AccountKey=[A-Za-z0-9+/]{86}=='],
    pattern: /AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)/dg,
    isSecret: (key) => !isMadeUp(key),
    example(dice) {
      const secret = `${dice(BASE64, 86)}==`;
      return {
        text: `DefaultEndpointsProtocol=https;AccountName=weather;AccountKey=${secret};EndpointSuffix=core.windows.net`,
        secret,
      };
    },
    // The key that every copy of the storage emulator has is not secret, and too well known to be split here.
    counterexamples: ['AccountKey=…', `AccountKey=${'A'.repeat(86)}==`],
  }),
  shaped({
    kind: 'Azure client secret',
    anchors: ['7Q~[A-Za-z0-9~_.-]{31}', '8Q~[A-Za-z0-9~_.-]{31}'],
    pattern: /(?<![A-Za-z0-9~_.-])[A-Za-z0-9~_.-]{3}[78]Q~[A-Za-z0-9~_.-]{31,34}(?![A-Za-z0-9~_.-])/g,
    example(dice) {
      const secret = `${dice(ALNUM, 3)}8Q~${dice(ALNUM, 34)}`;
      return { text: `AZURE_CLIENT=${secret}`, secret };
    },
    counterexamples: ['8Q~ stands in the middle'],
  }),
  shaped({
    kind: 'Azure key',
    anchors: ['JQQJ99[A-Z]{1}[A-Za-z0-9]{24}'],
    pattern: /(?<![A-Za-z0-9])[A-Za-z0-9]{52}JQQJ99[A-Z][A-Za-z0-9]{24,30}(?:==)?(?![A-Za-z0-9])/g,
    example(dice) {
      const secret = `${dice(ALNUM, 52)}JQQJ99${dice('A-L', 1)}${dice(ALNUM, 25)}`;
      return { text: `key1: ${secret}`, secret };
    },
    counterexamples: ['JQQJ99BAACYeBjF'],
  }),
  shaped({
    kind: 'Azure shared access signature',
    anchors: ['sig=[A-Za-z0-9%]{43}'],
    pattern: /[?&]sig=(?<secret>[A-Za-z0-9%]{43,80}(?:%3[Dd]|=))/dg,
    example(dice) {
      const secret = `${dice(ALNUM, 43)}%3D`;
      return {
        text: `https://weather.blob.core.windows.net/maps?sv=2025-01-05&se=2027-01-01&sp=r&sig=${secret}`,
        secret,
      };
    },
    counterexamples: ['?sig=none', '&sig=%3D'],
  }),
];

export default patterns;
