import { type SecretPattern, shaped } from '../define.js';
import { ALNUM, isMadeUp, isPassword, isTemplate, isWeak } from '../looks-random.js';

/** The password in the URL of a database, a queue, a proxy or a page. */
const patterns: readonly SecretPattern[] = [
  shaped({
    means: 'url-password',
    kind: 'password in a URL',
    anchors: ['://[^\\s:@/?#"\'`<>\\\\]{0,100}:[^\\s@/?#"\'`<>\\\\]{6,200}@'],
    pattern:
      /(?<![a-z0-9.-]|[a-z0-9]\+)[a-z][a-z0-9+.-]{1,24}:\/\/(?<user>[^\s:@/?#"'`<>\\]{0,100}):(?<secret>[^\s@/?#"'`<>\\]{6,200})@(?<host>[A-Za-z0-9_.-]{1,200}|\[)/dg,
    isSecret: (password, { user, host = '' }) =>
      password !== user &&
      !isWeak(password) &&
      !isTemplate(password) &&
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
  shaped({
    means: 'url-password',
    kind: 'password in a URL',
    anchors: ['jdbc:oracle:[a-z0-9]{1,10}:[^\\s/:@%]{1,64}/'],
    pattern: /jdbc:oracle:\w{1,10}:[^\s/:@]{1,64}\/(?<secret>[^\s@/"']{6,100})@/dg,
    isSecret: isPassword,
    example(dice) {
      const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 13)}`;
      return { text: `jdbc:oracle:thin:ada/${secret}@db.weather.net:1521:maps`, secret };
    },
    counterexamples: ['jdbc:oracle:thin:scott/tiger@localhost:1521:x', 'jdbc:oracle:thin:@localhost:1521:x'],
  }),
];

export default patterns;

const ON_THIS_MACHINE =
  /^(?:localhost|127\.|0\.0\.0\.0|host\.docker|\[|.*(?:^|\.)example(?:\.|$)|.*\.(?:test|invalid|localhost)$|host(?:name)?$|server$)/i;
