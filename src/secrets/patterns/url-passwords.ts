import { type SecretPattern, shaped } from '../define.js';
import { isMadeUp } from '../made-up.js';
import { ALNUM } from '../token.js';

/** The password in the address of a data base, a queue, a proxy or a page. */
const patterns: readonly SecretPattern[] = [
  shaped({
    means: 'url-password',
    kind: 'password in an address',
    anchors: ['://[^\\s:@/?#"\'`<>\\\\]{0,100}:[^\\s@/?#"\'`<>\\\\]{6,200}@'],
    pattern:
      /(?<![a-z0-9+.-])[a-z][a-z0-9+.-]{1,24}:\/\/(?<user>[^\s:@/?#"'`<>\\]{0,100}):(?<secret>[^\s@/?#"'`<>\\]{6,200})@(?<host>[A-Za-z0-9_.-]{1,200}|\[)/dg,
    isSecret: (password, { user, host = '' }) =>
      password !== user &&
      !WEAK.test(password) &&
      !TEMPLATE.test(password) &&
      !ON_THIS_MACHINE.test(host) &&
      !isMadeUp(password),
    example(dice) {
      const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 13)}`;
      return { text: `DATABASE=postgresql://weather:${secret}@db.weather.net:5432/maps?sslmode=require`, secret };
    },
    counterexamples: [
      'postgres://postgres:postgres@localhost:5432/app',
      'postgres://user:password@db.example.com/app',
      'redis://:${REDIS_PASSWORD}@redis:6379',
      'https://git@github.com:22/a/b',
      'mysql://root:s3cretpw1@127.0.0.1/x',
    ],
  }),
];

export default patterns;

const WEAK =
  /^(?:my|the|some|db|your)?[-_]?(?:pass(?:word|wd)?|pwd|secret|postgres|mysql|mongo|redis|rabbit|root|admin|guest|user|test|demo|docker|minio|changeit|letmein|qwerty)[-_]?(?:pass(?:word|wd)?|pw|word|user|db)?\d{0,4}!?$/i;
const TEMPLATE = /[${}()[\]*]|%[A-Z(]|^[A-Z_]+$/;
const ON_THIS_MACHINE =
  /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|\[|.*(?:^|\.)example(?:\.|$)|.*\.(?:test|invalid|localhost)$|host(?:name)?$|server$)/i;
