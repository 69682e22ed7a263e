import { type SecretPattern, shaped } from '../define.js';
import { isMadeUp } from '../looks-random.js';
import { ALNUM, BASE64, BASE64URL, HEX, SMALL, tokens } from '../token.js';

/** Tokens of code hosts, package registries, build and monitoring services. */
const patterns: readonly SecretPattern[] = [
  ...tokens([
    ['GitLab runner token', 'glrt-', BASE64URL, 20, 128],
    ['GitLab deploy token', 'gldt-', BASE64URL, 20, 128],
    ['GitLab CI job token', 'glcbt-', 'A-Za-z0-9_-', 20, 128],
    ['Bitbucket app password', 'ATBB', ALNUM, 32],
    ['Atlassian API token', 'ATATT3', 'A-Za-z0-9_=-', 180, 250],
    ['PyPI token', 'pypi-AgE', BASE64URL, 80, 300],
    ['NuGet key', 'oy2', SMALL, 43],
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
  shaped({
    kind: 'Django secret key',
    anchors: ['django-insecure-[^\\s"\'\\\\]{40}'],
    pattern: /django-insecure-[^\s"'\\<]{40,60}/g,
    isSecret: (key) => !isMadeUp(key),
    example(dice) {
      const secret = `django-insecure-${dice('a-z0-9!@^*=_', 50)}`;
      return { text: `SECRET_KEY = '${secret}'`, secret };
    },
    counterexamples: ["SECRET_KEY = 'django-insecure-key'"],
  }),
  shaped({
    kind: 'npm registry token',
    anchors: ['_authToken=[A-Za-z0-9+/=_-]{20}'],
    pattern: /_authToken=(?<secret>[A-Za-z0-9+/=_-]{20,400})/dg,
    isSecret: (token) => !isMadeUp(token) && /\d/.test(token),
    example(dice) {
      const secret = `${dice(HEX, 8)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 12)}`;
      return { text: `//registry.example.net/:_authToken=${secret}`, secret };
    },
    counterexamples: ['_authToken=${NPM_TOKEN}', '_authToken=YOUR_TOKEN_FOR_THIS_REGISTRY'],
  }),
];

export default patterns;
