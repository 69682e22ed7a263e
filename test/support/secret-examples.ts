import { Buffer } from 'node:buffer';
import type { SecretPattern } from '#analysis/secrets/define.js';
import { secretPatterns } from '#analysis/secrets/find-secrets.js';
import { exampleForms } from '#analysis/secrets/patterns/forms.js';
import { SHAPES } from '#analysis/secrets/patterns/gitleaks.js';
import { ALNUM, BASE64, BASE64URL, HEX } from '#analysis/secrets/token-patterns.js';
import { upstreamRules } from '../../scripts/gitleaks/build.mjs';
import { translated } from '../../scripts/gitleaks/translate.mjs';
import { fromTemplate } from './secret-kinds.js';

/** A number of random characters of a class, `A-Za-z0-9`. */
export type Dice = (characters: string, length: number) => string;

export interface SecretExample {
  readonly text: string;
  readonly secret: string;
}

interface Sample {
  /** A text with one secret, another one at each call, so that no file contains something like a secret. */
  example(dice: Dice): SecretExample;
  /** Similar texts without a secret. */
  readonly counterexamples?: readonly string[];
}

/** The examples of patterns that are more than a prefix and characters, by their kind and in their order. */
const SAMPLES: Readonly<Record<string, readonly Sample[]>> = {
  'Asana token': [
    {
      example: (dice) => around('asana: ', `2/${dice('1-9', 16)}/${dice('1-9', 16)}:${dice(HEX, 32)}`),
      counterexamples: ['asana: 2/1201/1202', 'the asana task 1/1201234567890123'],
    },
  ],
  'Slack webhook': [
    {
      example: (dice) =>
        around('', `https://hooks.slack.com/services/T${dice('A-Z0-9', 10)}/B${dice('A-Z0-9', 10)}/${dice(ALNUM, 24)}`),
    },
  ],
  'netrc password': [
    {
      example: (dice) =>
        around('machine weather.net login ada password ', dice('a-z', 4) + dice('0-9', 3) + dice(ALNUM, 9)),
      counterexamples: ['the machine weather.net has a login and a password', 'machine a.net login ada password $PW1'],
    },
  ],
  'pgpass password': [
    {
      example: (dice) => around('db.weather.net:5432:maps:ada:', dice('a-z', 4) + dice('0-9', 3) + dice(ALNUM, 9)),
      counterexamples: ['localhost:5432:maps:ada:password', 'db:5432:maps'],
    },
  ],
  'password hash': [
    {
      example: (dice) => around('ada:', `$6$${dice(ALNUM, 12)}$${dice(ALNUM, 86)}`, ':19700:0:99999:7:::'),
      counterexamples: ['cost $5$ and $6$', '$2y$10$short'],
    },
  ],
  'password in XML': [
    {
      example: (dice) =>
        around('<server><password>', dice('a-z', 4) + dice('0-9', 3) + dice(ALNUM, 9), '</password></server>'),
      counterexamples: ['<password>${env.PASSWORD_1}</password>', '<password>secret</password>'],
    },
    {
      example: (dice) =>
        around('<add key="ClearTextPassword" value="', dice('a-z', 4) + dice('0-9', 3) + dice(ALNUM, 9), '" />'),
      counterexamples: ['<add key="ClearTextPassword" value="%PASSWORD1%" />'],
    },
  ],
  'private key in base64': [
    {
      example: (dice) => around('client-key-data: ', `LS0tLS1CRUdJTiBQ${dice(BASE64, 400)}`),
      counterexamples: ['client-key-data: REDACTED', 'client-certificate-data: LS0tLS1CRUdJTiBD'],
    },
  ],
  'PuTTY private key': [
    {
      example(dice) {
        const secret = [64, 64, 20].map((length) => dice(BASE64, length)).join('\n');
        return { text: `Private-Lines: 3\n${secret}\nPrivate-MAC: 0`, secret };
      },
      counterexamples: ['Private-Lines: 3', 'Private-Lines: 1\n...'],
    },
  ],
  'private key': [
    {
      example(dice) {
        const lines = Array.from({ length: 6 }, (_, at) => (at === 0 ? 'MIIE' : '') + dice(BASE64, at === 0 ? 60 : 64));
        const secret = ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----'].join('\n');
        return { text: `the key:\n${secret}\n`, secret };
      },
      counterexamples: [
        '-----BEGIN PUBLIC KEY-----',
        '-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----',
        `-----BEGIN PRIVATE KEY-----\n${'x'.repeat(300)}\n-----END PRIVATE KEY-----`,
        'if (pem.startsWith("-----BEGIN RSA PRIVATE KEY-----")) return pem;',
      ],
    },
  ],
  'AWS secret access key': [
    {
      example(dice) {
        const secret = dice(BASE64, 40);
        return { text: `aws_secret_access_key = ${secret}`, secret };
      },
      counterexamples: [
        'aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
        'AWS_SECRET_ACCESS_KEY=$KEY',
      ],
    },
  ],
  'Azure storage key': [
    {
      example(dice) {
        const secret = `${dice(BASE64, 86)}==`;
        return {
          text: `DefaultEndpointsProtocol=https;AccountName=weather;AccountKey=${secret};EndpointSuffix=core.windows.net`,
          secret,
        };
      },
      counterexamples: ['AccountKey=…', `AccountKey=${'A'.repeat(86)}==`],
    },
  ],
  'Azure client secret': [
    {
      example(dice) {
        const secret = `${dice(ALNUM, 3)}8Q~${dice(ALNUM, 34)}`;
        return { text: `AZURE_CLIENT=${secret}`, secret };
      },
      counterexamples: ['8Q~ stands in the middle'],
    },
  ],
  'Azure key': [
    {
      example(dice) {
        const secret = `${dice(ALNUM, 52)}JQQJ99${dice('A-L', 1)}${dice(ALNUM, 25)}`;
        return { text: `key1: ${secret}`, secret };
      },
      counterexamples: ['JQQJ99BAACYeBjF'],
    },
  ],
  'Azure shared access signature': [
    {
      example(dice) {
        const secret = `${dice(ALNUM, 43)}%3D`;
        return {
          text: `https://weather.blob.core.windows.net/maps?sv=2025-01-05&se=2027-01-01&sp=r&sig=${secret}`,
          secret,
        };
      },
      counterexamples: ['?sig=none', '&sig=%3D'],
    },
  ],
  'Django secret key': [
    {
      example(dice) {
        const secret = `django-insecure-${dice('a-z0-9!@^*=_', 50)}`;
        return { text: `SECRET_KEY = '${secret}'`, secret };
      },
      counterexamples: ["SECRET_KEY = 'django-insecure-key'"],
    },
  ],
  'npm registry token': [
    {
      example(dice) {
        const secret = `${dice(HEX, 8)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 12)}`;
        return { text: `//registry.example.net/:_authToken=${secret}`, secret };
      },
      counterexamples: ['_authToken=${NPM_TOKEN}', '_authToken=YOUR_TOKEN_FOR_THIS_REGISTRY'],
    },
  ],
  'Braintree access token': [
    {
      example(dice) {
        const secret = `access_token$production$${dice('a-z0-9', 16)}$${dice(HEX, 32)}`;
        return { text: `braintree ${secret}`, secret };
      },
      counterexamples: ['access_token$production$id$secret'],
    },
  ],
  'Mailchimp API key': [
    {
      example(dice) {
        const secret = `${dice(HEX, 32)}-us1`;
        return { text: `mail: ${secret}`, secret };
      },
      counterexamples: ['api-us1', `${'0'.repeat(32)}-us1`],
    },
  ],
  'Firebase server key': [
    {
      example(dice) {
        const secret = `AAAA${dice(BASE64URL, 7)}:APA91b${dice(BASE64URL, 134)}`;
        return { text: `push: ${secret}`, secret };
      },
      counterexamples: ['AAAA:APA91b'],
    },
  ],
  'Mapbox secret token': [
    {
      example(dice) {
        const secret = `sk.eyJ1Ijoi${dice(ALNUM, 60)}.${dice(BASE64URL, 22)}`;
        return { text: `maps: ${secret}`, secret };
      },
      counterexamples: ['pk.eyJ1Ijoi for browsers', 'sk.eyJ1Ijoi...'],
    },
  ],
  'encrypted JSON Web Token': [
    {
      example(dice) {
        const header = encoded({ alg: 'dir', enc: 'A256GCM' });
        const secret = `${header}..${dice(BASE64URL, 16)}.${dice(BASE64URL, 60)}.${dice(BASE64URL, 22)}`;
        return { text: `jwe ${secret}`, secret };
      },
      counterexamples: [`${encoded({ alg: 'dir', enc: 'A256GCM' })}..iv.text.tag`],
    },
  ],
  'one-time password key': [
    {
      example(dice) {
        const secret = dice('A-Z2-7', 32);
        return { text: `otpauth://totp/weather:ada?secret=${secret}&issuer=weather`, secret };
      },
      counterexamples: ['otpauth://totp/weather:ada?secret=YOUR_SECRET'],
    },
    {
      example: (dice) => around('otpauth-migration://offline?data=', dice(BASE64, 80)),
      counterexamples: ['otpauth-migration://offline?data=…'],
    },
  ],
  'seed phrase': [
    {
      example(dice) {
        const secret = Array.from({ length: 12 }, () => dice('b-d', 5)).join(' ');
        return { text: `mnemonic: ${secret}`, secret };
      },
      counterexamples: ['the seed phrase: twelve words that the wallet has made and that you should never give away'],
    },
  ],
  'Resend key': [
    {
      example(dice) {
        const secret = `re_${dice(ALNUM, 8)}_${dice(ALNUM, 24)}`;
        return { text: `mail with ${secret}`, secret };
      },
      counterexamples: ['re_xxxxxxxx_xxxxxxxxxxxxxxxxxxxxxxxx', 'const re_match_all = 1'],
    },
  ],
  'SendGrid API token': [
    {
      example(dice) {
        const secret = `SG.${dice(BASE64URL, 22)}.${dice(BASE64URL, 43)}`;
        return { text: `mail: ${secret}`, secret };
      },
      counterexamples: ['SG.1.2', 'MSG.ABC'],
    },
  ],
  'Telegram bot token': [
    {
      example(dice) {
        const secret = `${dice('1-9', 10)}:AA${dice(BASE64URL, 33)}`;
        return { text: `https://api.telegram.org/bot${secret}/getMe`, secret };
      },
      counterexamples: ['12:AAA', '1234567890:AA and so on'],
    },
  ],
  'Discord bot token': [
    {
      example(dice) {
        const secret = `${Buffer.from(`1${dice('0-9', 17)}`).toString('base64')}.G${dice(ALNUM, 5)}.${dice(BASE64URL, 38)}`;
        return { text: `discord: ${secret}`, secret };
      },
      counterexamples: ['discord.js', 'Discord: MyClassNameThatIsRatherLong.member.anotherMemberWithALongName'],
    },
  ],
  'Discord webhook': [
    {
      example(dice) {
        const secret = `1${dice('0-9', 17)}/${dice(BASE64URL, 68)}`;
        return { text: `https://discord.com/api/webhooks/${secret}`, secret };
      },
      counterexamples: ['https://discord.com/api/webhooks/ID/TOKEN'],
    },
  ],
  'Teams webhook': [
    {
      example(dice) {
        const id = (): string => `${dice(HEX, 8)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 4)}-${dice(HEX, 12)}`;
        const secret = `${id()}@${id()}/IncomingWebhook/${dice(HEX, 32)}/${id()}`;
        return { text: `https://weather.webhook.office.com/webhookb2/${secret}`, secret };
      },
      counterexamples: ['https://weather.webhook.office.com/webhookb2/…'],
    },
  ],
  'JSON Web Token': [
    {
      example(dice) {
        const secret = `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: dice(HEX, 12), exp: 1_800_000_000 })}.${dice(BASE64URL, 43)}`;
        return { text: `cookie: session=${secret}; path=/`, secret };
      },
      counterexamples: [
        'eyJhbGciOiJIUzI1NiJ9',
        `${encoded({ alg: 'HS256', typ: 'JWT' })}.${encoded({ sub: '1234567890', name: 'John Doe' })}.${'A'.repeat(43)}`,
        `${encoded({ alg: 'none' })}.${encoded({ sub: 'ada' })}.${'A'.repeat(43)}`,
      ],
    },
  ],
  'bearer token': [
    {
      example(dice) {
        const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 37)}`;
        return { text: `curl -H 'Authorization: Bearer ${secret}' https://api.example.net`, secret };
      },
      counterexamples: [
        'Authorization: Bearer $TOKEN',
        'a bearer of-rather-long-words-and-names',
        'Bearer YOUR_ACCESS_TOKEN_1234',
      ],
    },
  ],
  'basic authorization': [
    {
      example(dice) {
        const secret = Buffer.from(`ada:${dice(ALNUM, 12)}`).toString('base64');
        return { text: `Authorization: Basic ${secret}`, secret };
      },
      counterexamples: [
        'Authorization: Basic dXNlcjpwYXNz',
        'Authorization: Basic credentials',
        'a basic understanding',
      ],
    },
  ],
  authorization: [
    {
      example(dice) {
        const secret = dice(HEX, 40);
        return { text: `Authorization: Token ${secret}`, secret };
      },
      counterexamples: ['Authorization: Token YOUR_TOKEN_GOES_HERE_1', 'authorization: the-name-of-a-header is needed'],
    },
  ],
  'user and password in base64': [
    {
      example(dice) {
        const secret = Buffer.from(`ada:${dice(ALNUM, 12)}`).toString('base64');
        return { text: `{"auths":{"registry.weather.net":{"auth":"${secret}"}}}`, secret };
      },
      counterexamples: ['{"auth":"dXNlcjpwYXNz"}', '{"auth":"configuration"}'],
    },
  ],
  cookie: [
    {
      example(dice) {
        const secret = dice(HEX, 32);
        return { text: `Cookie: theme=dark; session=${secret}; page=1`, secret };
      },
      counterexamples: ['Set-Cookie: theme=dark; Path=/; Max-Age=86400', 'Cookie: session=$SESSION', 'cookie: a=b'],
    },
    {
      example(dice) {
        const secret = `s%3A${dice(BASE64URL, 32)}.${dice(ALNUM, 43)}`;
        return { text: `curl -b connect.sid=${secret} https://weather.net`, secret };
      },
      counterexamples: ['connect.sid=session', 'connect.sid=s%3A...'],
    },
  ],
  'password in a URL': [
    {
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
    },
    {
      example(dice) {
        const secret = `${dice('A-Z', 1)}${dice('0-9', 2)}${dice(ALNUM, 13)}`;
        return { text: `jdbc:oracle:thin:ada/${secret}@db.weather.net:1521:maps`, secret };
      },
      counterexamples: ['jdbc:oracle:thin:scott/tiger@localhost:1521:x', 'jdbc:oracle:thin:@localhost:1521:x'],
    },
  ],
  'value of a secret': [
    {
      example(dice) {
        const secret = `${dice('a-z', 2)}${dice('0-9', 2)}${dice(ALNUM, 10)}`;
        return { text: `{"user": "ada", "password": "${secret}"}`, secret };
      },
      counterexamples: [
        'const secretName = "weather-prod-1"',
        '{"totalTokens": 1234567890, "maxTokens":8192000}',
        'password: "correct horse battery staple"',
        'tokenizer: "o200k_base_v2_2024"',
        'api_key="your-api-key-123456"',
      ],
    },
    {
      example(dice) {
        const secret = `${dice('A-Z', 2)}${dice('0-9', 2)}${dice(ALNUM, 16)}`;
        return { text: `export WEATHER_API_KEY=${secret}`, secret };
      },
      counterexamples: [
        'password: process.env.DB_PASSWORD1',
        'apiKey = getKey2("weather")',
        'token: string',
        'API_KEY=your-api-key-123456',
        'PASSWORD=hunters',
      ],
    },
  ],
  password: [
    {
      example(dice) {
        const secret = `${dice('A-Z', 1)}${dice('a-z', 6)}${dice('1-9', 4)}`;
        return { text: `password=${secret}`, secret };
      },
      counterexamples: [
        'password=password1234',
        'password: undefined',
        'PASSWORD=your-password-12',
        'password = field2',
      ],
    },
    {
      example(dice) {
        const secret = `${dice('a-z', 4)}${dice('0-9', 1)}${dice(ALNUM, 2)}`;
        return { text: `{"user": "ada", "password": "${secret}"}`, secret };
      },
      counterexamples: [
        '{"password": "test123"}',
        '{"password": "sha256"}',
        '{"password": "at least 8"}',
        '{"password": "${PASS1}"}',
        '{"password": "hidden"}',
        'if (password === "s3") return;',
      ],
    },
    {
      example(dice) {
        const secret = `${dice('a-z', 6)}${dice('0-9', 1)}`;
        return { text: `host=db password=${secret}`, secret };
      },
      counterexamples: [
        'connect(user=user1, password=pass2)',
        'password=arg1',
        'PWD=/srv/app2',
        'password=$PASS1',
        'login(password=getpw2())',
        'password = other2',
        'OLDPWD=srv2024',
      ],
    },
    {
      example(dice) {
        const secret = `${dice('a-z', 5)}${dice('0-9', 2)}`;
        return { text: `  PASSWORD: ${secret}`, secret };
      },
      counterexamples: [
        'Password: 12 characters',
        'password: string2',
        '{ password: second2 }',
        'password: argon2',
        'The password: none',
      ],
    },
  ],
  'value in a false placeholder': [
    {
      example: (dice) =>
        around('old log: [REDACTED:', `${dice('a-z', 3)}${dice('0-9', 2)}${dice('a-z0-9', 27)}`, ':1]'),
      counterexamples: ['[REDACTED:1password-service-account-token:3]', '[REDACTED:prod-db-2-password-of-weather:12]'],
    },
  ],
  'key of a service': [
    {
      example(dice) {
        const secret = dice(ALNUM, 32);
        return { text: `ALGOLIA_ADMIN_KEY=${secret}`, secret };
      },
      counterexamples: [
        'ALGOLIA_ADMIN_KEY=your_key_goes_here',
        "import algolia from './algolia.js';",
        'algolia_key = configuration.keys.of.algolia',
      ],
    },
  ],
};

/** Those of values that only their surroundings tell, as `fromTemplate` reads them; the rest of a list has no secret. */
const SURROUNDED: Readonly<Record<string, readonly (readonly [template: string, ...counterexamples: string[]])[]>> = {
  'signature of an address': [
    ['https://s3.weather.net/maps?X-Amz-Expires=60&X-Amz-Signature=«{x64}»', 'X-Amz-Signature=<signature>'],
    ['https://s3.weather.net/maps?Expires=60&Signature=«{a26}%3D»', '?Signature=none'],
  ],
  'key in an address': [
    [
      'https://weather.azurewebsites.net/api/maps?code=«{a53}==»',
      'https://weather.azurewebsites.net/api/maps?code=none',
    ],
  ],
  'Facebook app token': [['FB_TOKEN «{d16}|{u26}a»', 'facebook: 1234567890123456|name']],
  'password of a tool': [
    [
      'sqlcmd -S db -U ada -P «{l5}{d3}{a6}» -i maps.sql',
      'sqlcmd -S db -U ada -P $PASSWORD1',
      'keytool -list -keystore a1234567',
    ],
  ],
  'password of a proxy': [['curl --proxy-user ada:«{l5}{d3}{a6}» https://a.net', 'curl --proxy-user ada:$PASSWORD1']],
  'key of a tool': [['wandb login «{x40}»', 'wandb login $WANDB_KEY1', 'wandb login --relogin']],
  'password of this user': [
    ["echo '«{l5}{d3}{a6}»' | sudo -S apt update", 'echo $PASSWORD1 | sudo -S apt', 'sudo -S apt1234'],
  ],
  'id of a key of Google Cloud': [['"private_key_id": "«{x40}»"', '"private_key_id": "your-key-id"']],
  'Vault unseal key': [
    ['Unseal Key 2: «{b43}=»', 'Unseal Key 1: (hidden)'],
    ['"unseal_keys_b64": ["«{b43}=»"]', '"unseal_keys_b64": []'],
  ],
  'Slack workflow': [
    ['https://hooks.slack.com/triggers/T{U10}/{d13}/«{x32}»', 'https://hooks.slack.com/triggers/T0/1/your-key'],
  ],
  webhook: [
    [
      'https://hooks.zapier.com/hooks/catch/{d7}/«{l7}»/',
      'https://hooks.zapier.com/hooks/catch/1234567/…',
      'https://hook.eu1.make.com/your-hook-goes-here',
    ],
  ],
  'SAML answer': [['SAMLResponse="«{b200}»"', 'SAMLResponse is posted']],
  'SAML signature': [
    [
      '<saml:Assertion ID="a1"><ds:SignatureValue>«{b86}==»</ds:SignatureValue></saml:Assertion>',
      '<ds:SignatureValue>…</ds:SignatureValue>',
    ],
  ],
  'Bitcoin key': [['wif: «5J{B49}»', 'a wif: 5Jabc', 'bitcoin address 1BoatSLRHtKNngkdXEeobR76b53LETtpyT']],
  'Bitwarden access token': [
    ['BWS_ACCESS_TOKEN=«0.{x8}-{x4}-{x4}-{x4}-{x12}.{a30}:{b22}==»', 'BWS_ACCESS_TOKEN=0.48c78342-1635-48a6'],
  ],
  'Honeycomb team key': [['x-honeycomb-team: «a7{a20}»', 'x-honeycomb-team: YOUR_API_KEY_OF_THE_TEAM']],
  'constant of PHP': [["define('DB_PASSWORD', '«{l5}{d3}{a6}»');", "define('DB_PASSWORD', 'password_here');"]],
  'password of a connection': [
    [
      'Driver={SQL};Server=db.weather.net;Uid=ada;PWD=«{l5}{d3}{a6}»;',
      'PWD=/home/ada/maps2;',
      'Uid=ada;PWD=$PASSWORD1;',
    ],
  ],
  'JSON Web Key': [
    ['{"kty":"EC","crv":"P-256","x":"wind","d":"«{u43}»"}', '{"kty":"EC","x":"abc","y":"def"}', '{"d": "M0 0L10 10"}'],
  ],
  'password of MongoDB': [
    ['mongosh -u ada -p «{l5}{d3}{a6}» maps', 'mongosh -u ada -p $PASSWORD1', 'mongosh -u ada -p'],
  ],
  'password in SQL': [
    [
      "CREATE USER ada IDENTIFIED BY '«{l5}{d3}{a6}»';",
      "CREATE USER ada IDENTIFIED BY '${PASSWORD1}';",
      "ALTER ROLE ada WITH PASSWORD 'secret'",
      'it is identified by a number of 12 digits',
    ],
  ],
  'password of a Redis server': [
    ['requirepass «{l5}{d3}{a6}»', 'requirepass ${REDIS_PASSWORD1}', 'requirepass foobared'],
  ],
  'password of a wireless network': [
    ['wpa_passphrase maps «{l5}{d3}{a6}»', 'wpa_passphrase ssid passphrase', 'psk="your-psk-1"'],
  ],
  'WireGuard key': [['wg set wg0 private-key «{b43}=»', 'wg set wg0 private-key /etc/wireguard/key1']],
  'password of PowerShell': [
    ['ConvertTo-SecureString "«{l5}{d3}{a6}»" -AsPlainText', 'ConvertTo-SecureString $password1 -AsPlainText'],
  ],
  'password of an archive': [
    ['unzip -P «{l5}{d3}{a6}» maps.zip', 'unzip -P $PASSWORD1 maps.zip', 'zip -r maps1.zip maps2'],
  ],
  'password of LDAP': [
    [
      'ldapsearch -x -D cn=ada -w «{l5}{d3}{a6}» uid=ada',
      'ldapsearch -x -D cn=ada -W uid=ada1234',
      'ldapsearch -w $PW123456',
    ],
  ],
  'password of a Windows share': [
    [
      'smbclient //files/maps -U ada%«{l5}{d3}{a6}»',
      'smbclient //files/maps -U ada',
      'net use Z: //files/maps /user:ada1',
    ],
  ],
  'password of a user': [
    ["echo 'ada:«{l5}{d3}{a6}»' | chpasswd", 'echo "ada:$PASSWORD1" | chpasswd', 'chpasswd < users'],
  ],
  'token of ngrok': [['ngrok config add-authtoken «2{a26}_{a21}»', 'ngrok config add-authtoken $NGROK_TOKEN']],
  'password of a message broker': [
    ['mosquitto_sub -u ada -P «{l5}{d3}{a6}» -t maps', 'mosquitto_sub -u ada -P $PASSWORD1'],
  ],
  'password of a web server': [['htpasswd -bc users ada «{l5}{d3}{a6}»', 'htpasswd -c users ada1234']],
};

/** Values that look like tokens, by the kind that they are not. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  'AWS access key id': 'AKIAIOSFODNN7EXAMPLE',
  'GitHub token': `ghp_${'x'.repeat(36)}`,
  'GitHub fine-grained token': 'github_pat_11ABCDEFG',
  'GitLab token': 'glpat-xxxxxxxxxxxxxxxxxxxx',
  'npm token': 'npm_config_registry_of_the_whole_company',
  'Slack token': 'xoxb-your-token-for-all-of-the-team',
  'Slack webhook': 'https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX',
  'OpenAI API key': 'sk-T3BlbkFJ',
  'Anthropic API key': 'sk-ant-api03-...',
  'Groq API key': 'gsk_your_key',
  'Hugging Face token': `hf_${'x'.repeat(34)}`,
  'Linear API key': 'lin_api_key',
  'Notion token': 'ntn_12345',
  'Grafana token': 'glc_context_for_the_whole_window_of_it',
  '1Password service account token': 'ops_eyJ',
  'Vault token': 'hvs.CAESI',
  'Vercel token': 'vcp_short',
  'Databricks token': `dapi${'0'.repeat(32)}`,
  'Docker token': `dckr_pat_${'x'.repeat(27)}`,
  'Figma token': 'figd_yours',
  'Shopify token': `shpat_${'x'.repeat(32)}`,
};

const COMMANDS: Readonly<Record<string, string>> = {
  'password of curl': 'curl -u ada:',
  'password of a database': 'mysql -u ada -p',
  'password of a host': 'sshpass -p ',
  'password of Redis': 'redis-cli -h cache -a ',
  'password of a key': 'openssl rsa -in a -passin pass:',
  'password of a registry': 'docker login -u ada -p ',
  'value of a secret option': 'weatherctl login --password ',
};

/** The example of one of the patterns. */
export function sampleOf(pattern: SecretPattern): Required<Sample> {
  const sample = samples.get(pattern) ?? makeSample(pattern);
  samples.set(pattern, sample);
  return sample;
}

/** Each is drawn from hundreds of times, and rules are long to read. */
const samples = new Map<SecretPattern, Required<Sample>>();

function makeSample(pattern: SecretPattern): Required<Sample> {
  const alike = secretPatterns.filter(({ kind }) => kind === pattern.kind);
  const own = SAMPLES[pattern.kind]?.[alike.indexOf(pattern)] ?? ofSurroundings(pattern.kind, alike.indexOf(pattern));
  const sample = own ?? ofCommand(pattern.kind) ?? ofTemplate(templateOf(pattern));
  const lookalike = LOOKALIKES[pattern.kind];
  return {
    example: sample.example,
    counterexamples: [...(sample.counterexamples ?? []), ...(lookalike === undefined ? [] : [lookalike])],
  };
}

function ofSurroundings(kind: string, at: number): Sample | null {
  const [template, ...counterexamples] = SURROUNDED[kind]?.[at] ?? [];
  return template === undefined ? null : { example: fromTemplate(template), counterexamples };
}

function ofCommand(kind: string): Sample | null {
  const before = COMMANDS[kind];
  if (before === undefined) return null;
  return {
    example(dice) {
      const secret = `${dice('A-Z', 2)}${dice('0-9', 2)}${dice(ALNUM, 10)}`;
      return { text: before + secret, secret };
    },
    counterexamples: [`${before}$PASSWORD1`, `${before}<password1>`, `${before}secret`],
  };
}

const upstream = new Map((await upstreamRules()).map(({ id, regex }) => [id, regex]));
const shapes = new Map(SHAPES.map(({ id, kind }) => [kind, id]));

/** The format of a token: classes of characters, each with a count. */
function templateOf(pattern: SecretPattern): string {
  const {
    kind,
    anchors: [anchor = ''],
  } = pattern;
  const form = exampleForms.get(pattern);
  if (form !== undefined) return form;
  const id = shapes.get(kind);
  return id === undefined ? anchor.replace(/^\\b/, '') : exampleOfRule(id);
}

/** The format of the values that a rule of gitleaks finds. */
export function exampleOfRule(id: string): string {
  return translated(upstream.get(id) ?? '').example;
}

function ofTemplate(template: string): Sample {
  return {
    example(dice) {
      const secret = filled(template, dice);
      return { text: secret, secret };
    },
    counterexamples: [filled(template, (_characters, length) => 'x'.repeat(length)), template.replace(/\[.*/, '…')],
  };
}

/** Generates a value of a format. */
export function filled(template: string, dice: Dice): string {
  return template.replaceAll(/\[((?:[^\]\\]|\\.)+)\]\{(\d+)\}/g, (_all, characters: string, length: string) =>
    dice(characters, Number(length)),
  );
}

function around(before: string, secret: string, after = ''): SecretExample {
  return { text: before + secret + after, secret };
}

function encoded(claims: object): string {
  return Buffer.from(JSON.stringify(claims)).toString('base64url');
}
