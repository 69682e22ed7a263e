import { definePattern, type FoundSecret, type SecretPattern } from '../define.js';
import { isMadeUp, looksRandom, measureEntropy } from '../looks-random.js';
import { isPassword } from '../passwords.js';

/** The surroundings of a value that has no form of its own. */
interface ContextRow {
  readonly kind: string;
  /** See `TextFinder`. */
  readonly anchors: readonly string[];
  /** The pattern, with a group `secret`. */
  readonly pattern: RegExp;
  readonly isSecret: (value: string) => boolean;
}

const isKey = (value: string): boolean => !isMadeUp(value) && /\d/.test(value);
const isLongPassword = (value: string): boolean => isPassword(value) && value.length >= 8;

/** Keys in addresses, headers, answers of tools and files. */
const KEYS: readonly ContextRow[] = [
  {
    kind: 'signature of an address',
    anchors: ['X-Amz-Signature=[a-f0-9]{64}', 'X-Goog-Signature=[a-f0-9]{128}'],
    pattern: /X-(?:Amz|Goog)-Signature=(?<secret>[a-f0-9]{64,1024})(?![a-f0-9])/dg,
    isSecret: isKey,
  },
  {
    kind: 'signature of an address',
    anchors: ['Signature=[A-Za-z0-9%+/]{26}'],
    pattern: /[?&]Signature=(?<secret>[A-Za-z0-9%+/]{26,60}(?:%3[Dd]|=))/dg,
    isSecret: isKey,
  },
  {
    kind: 'key in an address',
    anchors: ['.azurewebsites.net/api/[A-Za-z]{1}', 'api.trello.com/[0-9]{1}'],
    // An address may hold more than one.
    pattern:
      /(?<=[?&](?:code|key|token)=)(?<=(?:\.azurewebsites\.net\/api\/|api\.trello\.com\/)[^\s"']{1,600})(?<secret>[\w%-]{32,100}={0,2})/dg,
    isSecret: isKey,
  },
  {
    kind: 'Facebook app token',
    anchors: ['acebook', 'ACEBOOK', 'ccess_token', 'CCESS_TOKEN', 'FB_'],
    pattern: /(?<![\w|])(?<secret>\d{15,17}(?:\||%7C)[A-Za-z0-9_-]{27})(?![\w-])/dg,
    isSecret: isKey,
  },
  {
    kind: 'id of a key of Google Cloud',
    anchors: ['private_key_id["\'\\\\ ]{0,40}[:=]{1}'],
    pattern: /private_key_id["'\\]{0,40}\s{0,4}[:=]\s{0,4}["'\\]{0,40}(?<secret>[a-f0-9]{40})(?![a-f0-9])/dg,
    isSecret: isKey,
  },
  {
    kind: 'Vault unseal key',
    anchors: ['nseal Key [0-9]{1}', 'nseal key [0-9]{1}', 'ecovery Key [0-9]{1}'],
    pattern:
      /(?:unseal|recovery) key \d{1,2}: {1,4}(?<secret>[A-Za-z0-9+/]{43,64}={0,2}|[a-f0-9]{64,68})(?![A-Za-z0-9+/=])/dgi,
    isSecret: isKey,
  },
  {
    kind: 'Slack workflow',
    anchors: ['hooks.slack.com/workflows/T[A-Z0-9]{1}', 'hooks.slack.com/triggers/[TE]{1}[A-Z0-9]{1}'],
    pattern:
      /hooks\.slack\.com\/(?:workflows|triggers)\/[\w]{1,40}(?:\/\w{1,40}){1,2}\/(?<secret>[A-Za-z0-9]{20,64})/dg,
    isSecret: isKey,
  },
  {
    kind: 'webhook',
    anchors: [
      'hooks.zapier.com/hooks/[a-z]{1}',
      '.make.com/[a-z0-9]{20}',
      'maker.ifttt.com/trigger/[A-Za-z0-9_-]{1}',
      'open-apis/bot/v2/hook/[a-f0-9-]{30}',
      'cgi-bin/webhook/send?key=[a-f0-9-]{30}',
    ],
    pattern:
      /(?:hooks\.zapier\.com\/hooks\/(?:catch|standard)\/\d{1,12}\/|hook\.(?:[a-z0-9]{1,10}\.)?make\.com\/|maker\.ifttt\.com\/trigger\/[\w-]{1,80}\/(?:json\/)?with\/key\/|open-apis\/bot\/v2\/hook\/|cgi-bin\/webhook\/send\?key=)(?<secret>[\w-]{6,64})/dg,
    isSecret: (value) => /^\w[\w-]*$/.test(value) && !isMadeUp(value),
  },
  {
    kind: 'SAML answer',
    anchors: ['SAMLResponse["\'=: ]{1,8}[A-Za-z0-9+/]{60}'],
    pattern: /SAMLResponse["']?\s{0,2}[=:]\s{0,2}["']?(?<secret>[A-Za-z0-9+/]{60,60000}={0,2})/dg,
    isSecret: isKey,
  },
  {
    kind: 'Bitcoin key',
    anchors: ['wif', 'WIF', 'rivate', 'RIVATE', 'itcoin', 'ITCOIN', 'rivkey', 'RIVKEY'],
    pattern: /(?<![A-Za-z0-9])(?:5[HJK][1-9A-HJ-NP-Za-km-z]{49}|[KL][1-9A-HJ-NP-Za-km-z]{51})(?![A-Za-z0-9])/g,
    isSecret: (value) => looksRandom(value),
  },
  {
    kind: 'Bitwarden access token',
    anchors: ['BWS_', 'bws ', 'itwarden', 'ITWARDEN', 'access-token', 'ccess_token', 'CCESS_TOKEN'],
    pattern: /(?<![\w.])0\.[a-f0-9]{8}(?:-[a-f0-9]{4}){3}-[a-f0-9]{12}\.[A-Za-z0-9]{30}:[A-Za-z0-9+/]{22}==/g,
    isSecret: isKey,
  },
  {
    kind: 'Honeycomb team key',
    anchors: ['oneycomb', 'ONEYCOMB'],
    pattern:
      /honeycomb[-_](?:team|api[-_]key|key)["'\\]{0,8}\s{0,2}[:=]\s{0,2}["'\\]{0,8}(?<secret>[A-Za-z0-9]{22,32})(?![A-Za-z0-9])/dgi,
    isSecret: (value) => looksRandom(value),
  },
  {
    kind: 'one-time password key',
    anchors: ['otpauth-migration://offline?data=[A-Za-z0-9%+/]{20}', 'otpauth-migration'],
    pattern: /otpauth-migration:\/\/offline\?data=(?<secret>[A-Za-z0-9%+/_-]{20,4000}={0,2})/dg,
    isSecret: isKey,
  },
  {
    kind: 'constant of PHP',
    anchors: ['define(["\'\\\\ ]{1,18}[A-Z_]{3}'],
    pattern:
      /define\(\s{0,4}["'\\]{1,18}[A-Z_]{0,40}(?:PASSWORD|PASSWD|_PASS|SECRET|_KEY|_SALT|TOKEN)["'\\]{1,18}\s{0,4},\s{0,4}\\{0,16}["'](?<secret>[^"'\n]{6,120}?)\\{0,16}["']/dg,
    isSecret: (value) => isPassword(value) || (value.length >= 30 && measureEntropy(value) >= 4 && !isMadeUp(value)),
  },
  {
    kind: 'password of a connection',
    anchors: ['PWD=[^\\s;]{6}', 'pwd=[^\\s;]{6}', 'Pwd=[^\\s;]{6}'],
    pattern: /(?<=;\s{0,4})pwd=\{?(?<secret>[^\s;{}"'`\\]{6,100})(?=[;}"'`\\\s]|$)/dgi,
    isSecret: isPassword,
  },
];

/** Keys in lists and objects: a part of a text, and the secrets in it. */
const PARTS: readonly (ContextRow & { readonly part: RegExp; readonly mustHold?: string })[] = [
  {
    kind: 'Vault unseal key',
    anchors: ['unseal_keys_', 'recovery_keys_'],
    part: /(?:unseal|recovery)_keys_(?:b64|hex)["'\\]{0,8}\s{0,4}[:=]\s{0,4}(?<part>\[[^\]]{0,2000})/dg,
    pattern: /["'](?<secret>[A-Za-z0-9+/]{43,68}={0,2})(?=\\{0,8}["'])/dg,
    isSecret: isKey,
  },
  {
    kind: 'SAML signature',
    anchors: ['Assertion'],
    part: /(?<part><(?:\w{1,10}:)?Assertion\s(?:(?!<(?:\w{1,10}:)?Assertion\s)[^]){0,20000})/dg,
    pattern: /SignatureValue>\s{0,20}(?<secret>[A-Za-z0-9+/]{40,1400}={0,2})/dg,
    isSecret: isKey,
  },
  {
    kind: 'JSON Web Key',
    anchors: ['kty["\'\\\\]{1,17}'],
    part: /(?<part>\{[^{}]{0,8000})/dg,
    mustHold: 'kty',
    // The private ones of its numbers.
    pattern:
      /["'](?:d|p|q|dp|dq|qi|k)\\{0,16}["']\s{0,4}:\s{0,4}\\{0,16}["'](?<secret>[A-Za-z0-9_-]{20,1400})(?=\\{0,16}["'])/dg,
    isSecret: isKey,
  },
];

function* findInParts(
  { kind, part, mustHold, pattern, isSecret }: (typeof PARTS)[number],
  text: string,
): Generator<FoundSecret> {
  for (const { indices } of text.matchAll(part)) {
    const [from, to] = indices?.groups?.part ?? [0, 0];
    const held = text.slice(from, to);
    if (mustHold !== undefined && !held.includes(mustHold)) continue;
    for (const { indices: own } of held.matchAll(pattern)) {
      const [start, end] = own?.groups?.secret ?? [0, 0];
      if (isSecret(held.slice(start, end))) yield { kind, start: from + start, end: from + end };
    }
  }
}

/** An argument of a command, or of a statement of a database. */
const PASSWORD = '(?<secret>[^\\s"\'`\\\\;,<>|-][^\\s"\'`\\\\;<>|]{5,200})';
const QUOTE = '\\\\{0,16}["\']?';
/** The words of a command up to an option. */
const WORDS = '(?:[^\\n|;&]{0,200}?\\s)??';

interface CommandRow {
  readonly kind: string;
  /** The beginnings of its name. */
  readonly names: readonly string[];
  /** The source of a regular expression for all that is before the password. */
  readonly before: string;
  readonly after?: string;
  /** The command may be written in capital letters. */
  readonly isAnyCase?: boolean;
}

const COMMANDS: readonly CommandRow[] = [
  {
    kind: 'password of MongoDB',
    names: ['mongosh ', 'mongo -', 'mongo "', 'mongodump ', 'mongorestore ', 'mongoexport ', 'mongoimport '],
    before: `(?<!\\w|\\w-)mongo(?:sh|dump|restore|export|import|stat|top)?\\s${WORDS}(?:-p|--password)[ =]{1,4}${QUOTE}`,
  },
  {
    kind: 'password in SQL',
    isAnyCase: true,
    names: ['DENTIFIED ', 'dentified ', 'PASSWORD ', 'assword '],
    before: `(?:identified {1,4}(?:with {1,4}[\\w"'\`]{1,60} {1,4})?(?:by|as) {1,4}(?:password {1,4})?|(?:with|login|encrypted|role|user|set) {1,4}[\\w"' ]{0,80}?password {0,4}=? {0,4}N?|set password for [^\\n=]{1,80}= {0,4}(?:password\\( {0,2})?)\\\\{0,16}["']`,
  },
  {
    kind: 'password of a Redis server',
    isAnyCase: true,
    names: ['requirepass ', 'masterauth ', 'SETUSER ', 'setuser '],
    before: `(?:(?<!\\w)(?:requirepass|masterauth) {1,4}${QUOTE}|setuser {1,4}\\S{1,60} [^\\n]{0,100}?>)`,
  },
  {
    kind: 'password of a wireless network',
    isAnyCase: true,
    names: ['psk=', 'psk ', 'psk"', 'psk:', 'PSK=', 'PSK:', 'wpa_passphrase', 'nmcli ', 'Key Content', 'WiFi.begin('],
    before: `(?:(?<![A-Za-z])(?:wpa[-_])?psk["']?(?: {0,2}[=:] {0,2}| )${QUOTE}|wpa_passphrase(?: {1,4}[^\\s"']{1,64} {1,4}|=)${QUOTE}|nmcli ${WORDS}password {1,4}${QUOTE}|key content {1,30}: |wifi\\.begin\\(\\\\{0,16}"[^"\\n]{1,40}", {0,4}\\\\{0,16}")`,
  },
  {
    kind: 'WireGuard key',
    names: ['private-key ', 'preshared-key '],
    before: `(?<!\\w|\\w-)(?:private-key|preshared-key) {1,4}(?=[A-Za-z0-9+/]{43}=)`,
  },
  {
    kind: 'password of PowerShell',
    isAnyCase: true,
    names: ['ConvertTo-SecureString ', 'onvertto-securestring ', 'etworkCredential(', 'PSCredential('],
    before: `(?:convertto-securestring {1,4}(?:-\\w{1,20} {1,4}){0,4}\\(?|(?:networkcredential|pscredential)\\({0,2}["'][^"'\\n]{1,60}["'], {0,4})${QUOTE}`,
  },
  {
    kind: 'password of an archive',
    names: ['zip -', 'zip ', '7z a', '7z x', '7za ', 'rar a', 'rar x'],
    before: `(?<!\\w|\\w-)(?:(?:un)?zip\\s${WORDS}-P {0,2}|(?:7z|7za|7zr|rar|unrar)\\s${WORDS}-h?p)${QUOTE}`,
  },
  {
    kind: 'password of LDAP',
    names: ['ldapsearch', 'ldapmodify', 'ldapadd', 'ldapdelete', 'ldapwhoami', 'ldappasswd'],
    before: `ldap(?:search|modify|add|delete|whoami|passwd|modrdn|compare)\\s${WORDS}-[wsy] {0,2}${QUOTE}`,
  },
  {
    kind: 'password of a Windows share',
    isAnyCase: true,
    names: ['smbclient', 'rpcclient', 'smbget ', 'smbmap ', 'net use ', 'NET USE ', 'net user ', 'NET USER '],
    before: `(?:(?:smbclient|rpcclient|smbget|smbmap|net|winexe)\\s${WORDS}(?:-U|--user)[ =]{1,2}${QUOTE}[^\\s%"']{1,60}%|net use {1,4}(?:[A-Za-z*]:? {1,4})?[\\\\/]\\S{1,100} {1,4}${QUOTE}(?!/)|net use [^\\n]{0,160}?/user:\\S{1,60} {1,4}${QUOTE}(?!/)|net user {1,4}[\\w.-]{1,60} {1,4}${QUOTE}(?!/))`,
  },
  {
    kind: 'token of ngrok',
    names: ['authtoken '],
    before: `authtoken {1,4}${QUOTE}(?=[\\w-]{30})`,
  },
  {
    kind: 'password of a tool',
    names: [
      'sqlcmd ',
      'ipmitool ',
      'cqlsh ',
      'cypher-shell ',
      'evil-winrm ',
      'influx ',
      'az login',
      'keytool ',
      'jarsigner ',
      'snmpwalk ',
      'snmpget ',
      'xfreerdp ',
      'cmdkey ',
      'lftp ',
      'sqlplus ',
      'http -a',
      'https -a',
      'bcp ',
    ],
    before: `(?<!\\w|\\w-)(?:(?:sqlcmd|ipmitool|bcp)\\s${WORDS}-P {0,2}|(?:cqlsh|cypher-shell|evil-winrm|influx|az login)\\s${WORDS}(?:-p|-password) {1,4}|(?<=(?:keytool|jarsigner|apksigner)\\s[^\\n|;&]{0,300})-(?:store|key)pass {1,4}|snmp\\w{1,12}\\s${WORDS}-[AX] {1,4}|(?:xfreerdp|cmdkey)\\s${WORDS}/p(?:ass)?:|lftp\\s${WORDS}-u {1,4}[^\\s,]{1,60},|sqlplus {1,4}(?:-\\w {1,4})?\\w{1,40}/|https? -a {1,4}[\\w.@-]{1,60}:)${QUOTE}`,
  },
  {
    kind: 'password of a proxy',
    names: ['--proxy-user'],
    before: `--proxy-user[ =]{1,2}${QUOTE}[\\w.@%+-]{1,100}:`,
  },
  {
    kind: 'key of a tool',
    names: ['operator unseal ', 'wandb login ', 'aws configure set '],
    before: `(?:vault operator unseal|wandb login|aws configure set aws_\\w{1,30}) {1,4}${QUOTE}(?=[A-Za-z0-9+/=]{40})`,
  },
  {
    kind: 'password of this user',
    names: ['sudo -S', 'passwd --stdin', 'sudo -kS'],
    before: `(?<!\\w)(?:echo|printf) {1,4}(?:-\\w {1,4})?${QUOTE}`,
    after: `(?=\\\\{0,16}["']?\\s{0,4}\\|\\s{0,4}(?:sudo {1,2}(?:-\\w{1,4} {1,2}){0,3}-\\w{0,3}S|(?:sudo )?passwd --stdin))`,
  },
  {
    kind: 'password of a user',
    names: ['chpasswd'],
    before: `(?<![\\w/.-])[a-z_][\\w.-]{0,40}:`,
    after: `(?=\\\\{0,16}["']?\\s{0,4}\\|\\s{0,4}(?:sudo )?chpasswd)`,
  },
  {
    kind: 'password of a message broker',
    names: ['mosquitto_'],
    before: `mosquitto_(?:pub|sub|rr|passwd)\\s${WORDS}(?:-P|--pw|-b \\S{1,80} \\S{1,60}) {1,4}${QUOTE}`,
  },
  {
    kind: 'password of a web server',
    names: ['htpasswd -'],
    before: `htpasswd {1,4}-\\w{0,6}b\\w{0,6} {1,4}(?:-\\w{1,4} {1,4}){0,3}(?:[^\\s-]\\S{0,80} {1,4})?\\S{1,60} {1,4}${QUOTE}`,
  },
];

/** Values that only their surroundings tell: addresses, headers, commands, statements of databases. */
export const contextSecrets: readonly SecretPattern[] = [
  ...KEYS.map((row) => definePattern({ secretClass: 'assigned-secret', ...row })),
  ...PARTS.map((row): SecretPattern => ({
    secretClass: 'assigned-secret',
    kind: row.kind,
    anchors: row.anchors,
    find: (text) => findInParts(row, text),
  })),
  ...COMMANDS.map(({ kind, names, before, after = '', isAnyCase = false }) =>
    definePattern({
      secretClass: 'assigned-secret',
      kind,
      anchors: names,
      pattern: new RegExp(`${before}${PASSWORD}${after}`, isAnyCase ? 'dgi' : 'dg'),
      isSecret: kind.includes('wireless') ? isLongPassword : isPassword,
    }),
  ),
];
