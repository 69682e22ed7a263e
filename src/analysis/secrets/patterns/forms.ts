import escapeStringRegexp from 'escape-string-regexp';
import { definePattern, type SecretPattern } from '../define.js';
import { looksRandom } from '../looks-random.js';
import { isRandomEnough, NOT_IN_NAME, NOT_IN_WORD } from '../token-patterns.js';

/**
 * Tokens with a form of their own, one a line. `{a20}` is 20 characters of a class of CLASSES, `{a20,40}` between 20
 * and 40. `(eu|us)` is one of some texts, and `(-eu)?` may be left out. A backslash makes the next character itself. A
 * tilde at the end: the beginning is also that of names, so the rest must look random. An exclamation mark: no other
 * text begins so.
 */
const FORMS = String.raw`
AWS session token = (IQoJb3JpZ2luX2Vj|FwoGZXIvYXdz|FQoGZXIvYXdz){e60,2400}
Azure function key = {a1}{u39,43}AzFu{u5}{Q1}==
Azure search key = {a42}AzSe{a6}
Azure cache key = {b33}AzCa{b6}=
Azure service key = {b76}(APIM|ACDb|+ABa|+AMC|+ASt){b5}{Q1}==
Azure messaging key = {b33}(AIoT|+ASb|+AEh|+ARm){b5}=
Azure registry key = {b42}+ACR{b6}
Azure Event Grid key = {a76}AZEG{a4}
Cloudflare token = (cfut_|cfat_|cfk_|cfoat_|cfort_){u36,80}
Vercel Blob token = vercel_blob_rw_{a16}_{a24,40}
Render API key = rnd_{a28,40}
GitHub stateless token = (ghs_|ghu_)({n1,12}_)?eyJ{u20,900}.eyJ{u20,2000}.{u20,1400}
GitLab routable token = (glpat-|glrt-|glrtr-|glptt-|gldt-|glcbt-|glsoat-|glft-|glagent-|glffct-|glimt-|gloas-|glwt-){u20,300}(.{l2})?.{l7,12}
GitLab runner token = (glrtr-|glwt-){u20,300}
Bitbucket access token = ATCTT3xFf{i120,260}
Atlassian API token = ATSTT3{i120,260}
crates.io token = cio{a32}
CircleCI project token = CCIPRJ_{a20,24}_{x40}
Snyk token = snyk_(uat|sat|oat).{x8}.{d40,400}
Sourcegraph license token = slk_{x64}
OpenAI session key = sess-{a40} ~
OpenAI ephemeral key = ek_{x32,64}
Gemini API key = AQ.{u48,60}
Fireworks API key = fw_{a22,30} ~
Jina API key = jina_{u60,72}
Weights and Biases key = wandb_v1_{u70,90}
E2B API key = (e2b_|sk_e2b_){x40}
Browserbase key = bb_(live|test)_{u24,40}
Helicone key = (sk|pk)-helicone-(eu-)?{k28,60}
LiteLLM key = sk-{u22} ~
Cursor key = (key_|crsr_){x64}
RunPod key = rpa_{U36,56}
Factory key = fk-{u40,90}
Composio key = (ak_|uak_|oak_){u20,24} ~
Context7 key = ctx7sk-{h32,40}
MiniMax key = sk-(api|cp)-{u60,160}
Moonshot key = sk-kimi-{a48,80}
Mem0 key = m0-{a40}
Apify token = apify_api_{a36,40}
Razorpay key = rzp_(live|test)_{a14}
Flutterwave secret key = FLWSECK(_TEST)?-{h32,48}-X
Flutterwave encryption key = FLWSECK_TEST{x12}
Mollie key = (live|test)_{a30} ~
GoCardless token = (live|sandbox)_{u40} ~
Polar token = polar_(oat|pat|whs|ci|cs|rgt|at_u|at_o|rt_u|rt_o)_{a32,60}
Paddle key = pdl_(live|sdbx)_apikey_{l26}_{a22}_{a3}
Paddle webhook secret = pdl_ntfset_{l26}_{a32}
WorkOS key = sk_(live|test)_a2V5X{e40,120}
Stripe key = (sk|rk)_(live|test)_{a24,120}
Stripe organisation key = sk_org_(live|test)_{a24,120}
Brevo SMTP key = xsmtpsib-{x64}-{a16}
Facebook token = EAA{a90,300}
Instagram token = IGQ{u90,260}
Twitter bearer token = AAAAAAAAAAAAAAAAAAAA{A1,3}{t60,120}
Linear OAuth token = (lin_oauth_|lin_wh_){a32,80}
Notion token = (secret_|ntn_){a40,50}
Figma token = (figu_|figo_|figdr_|figur_|figor_){u36,200}
Trello token = ATTA{a60,76}
ClickUp token = pk_{n6,10}_{U32}
HubSpot token = pat-(na1|na2|na3|eu1|ap1)-{h36}
Honeycomb key = (hcaik_|hcbik_|hcxik_|hcalk_|hcblk_|hcxlk_|hcamk_|hcxmk_){l58,80}
LaunchDarkly key = (api|mob|rel)-{x8}-{x4}-4{x3}-{x4}-{x12}
Lob key = (live|test)_{x35} ~
Inngest signing key = signkey-(prod|test|branch|dev)-{x60,70}
Trigger.dev key = tr_(dev|prod|stg|pat|preview)_{a20,44}
Datadog key = (ddapp_|ddpat_){a30,60}
New Relic license key = {l36}NRAL
New Relic key = (NRII-|NRRA-|NRBR-|NRSP-|NRJS-|NRIQ-|NRAA-){u24,44}
Salesforce token = 00D{a12,15}!{y60,140}
Salesforce refresh token = 5Aep861{y60,120}
Slack rotated token = xoxe.xox(b|p)-{n1}-{a100,240}
Convex deploy key = (prod|dev|preview|project):{p3,80}\|{e40,400}
Mailersend token = mlsn.{x60,70}
Tinybird token = p.eyJ{u20,200}.{u40,60}
PostHog key = (phx_|phs_){u40,56}
Supabase token = (sbp_oauth_|sbp_v0_){x40}
Doppler token = dp.(ct|sa|scim|audit|said).{y40,80}
Aiven token = AVNS_{u15,30}
Vault token = (hvs.|hvb.|hvr.){u24,300}
Tailscale key = tskey-(client|scim|webhook)-{A20,80}
Netlify token = (nfc_|nfo_|nfu_|nfb_){a36,44}
Shopify token = (shpua_|shprt_){x32}
Asana token = {n1}/{n13,20}(/{n13,20})?:{x32} ~
Bitcoin extended key = (xprv|yprv|zprv|tprv|uprv|vprv){B107,108}
Sentry token = (sntrys_eyJ|sntryu_){i60,400}
PowerShell secure string = 01000000d08c9ddf0115d1118c7a00c04fc297eb{x100,4000} !
SAML assertion = (PHNhbWxwOlJlc3BvbnNl|PHNhbWwycDpSZXNwb25zZ|PHNhbWw6QXNzZXJ0aW9u|PHNhbWwyOkFzc2VydGlvb){e100,40000}
`;

const CLASSES: Readonly<Record<string, string>> = {
  a: 'A-Za-z0-9',
  A: 'A-Za-z0-9-',
  b: 'A-Za-z0-9+/',
  B: '1-9A-HJ-NP-Za-km-z',
  d: 'A-Za-z0-9._-',
  e: 'A-Za-z0-9+/=_-',
  h: 'a-f0-9-',
  i: 'A-Za-z0-9=_-',
  k: 'a-z0-9-',
  l: 'a-z0-9',
  n: '0-9',
  p: 'a-z0-9:-',
  Q: 'AQgw',
  t: 'A-Za-z0-9%',
  u: 'A-Za-z0-9_-',
  U: 'A-Z0-9',
  x: 'a-f0-9',
  y: 'A-Za-z0-9_.-',
};

/** A part of a form: characters of a class, or themselves. */
interface Piece {
  /** null: `text` is written as it is. */
  readonly characters: string | null;
  readonly text: string;
  readonly least: number;
  readonly most: number;
}

/** A form without brackets: one of the ways to read it. */
type Way = readonly Piece[];

interface Form {
  readonly kind: string;
  /** The sign at the end. */
  readonly sign: string | undefined;
  readonly ways: readonly Way[];
}

function parseForm(row: string): Form {
  const [, kind = '', form = '', sign] = /^(.*?) = (.*?)(?: ([~!]))?$/.exec(row) ?? [];
  return { kind, ways: listWays(form), sign };
}

const TOKEN =
  /\{(?<name>\w)(?<least>\d+)(?:,(?<most>\d+))?\}|\((?<choices>[^()]*)\)(?<optional>\?)?|\\(?<itself>.)|(?<plain>[^{(\\]+)/g;

/** Every choice doubles the ways, and there are few. */
function listWays(form: string): readonly Way[] {
  let ways: readonly Way[] = [[]];
  for (const { groups = {} } of form.matchAll(TOKEN)) {
    const next = listPieces(groups);
    ways = ways.flatMap((way) => next.map((more) => [...way, ...more]));
  }
  return ways;
}

function listPieces(groups: Readonly<Record<string, string | undefined>>): readonly Way[] {
  const { name, least = '1', most = least, choices, optional, itself, plain } = groups;
  if (choices !== undefined) {
    const ways = choices.split('|').flatMap((choice) => listWays(choice));
    return optional === undefined ? ways : [...ways, []];
  }
  if (name === undefined) return [[{ characters: null, text: itself ?? plain ?? '', least: 1, most: 1 }]];
  return [[{ characters: CLASSES[name] ?? name, text: '', least: Number(least), most: Number(most) }]];
}

function buildRegex(way: Way): string {
  const parts = way.map(({ characters, text, least, most }) =>
    characters === null ? escapeStringRegexp(text) : `[${characters}]{${least},${most}}`,
  );
  const end = way.at(-1)?.characters;
  // A longer text is another kind of token.
  return parts.join('') + (end ? `(?![${end}])` : '');
}

/** The text that is looked for first, with the characters after it; see `TextFinder`. */
function buildAnchor(way: Way): string {
  const at = way.findIndex(
    ({ characters, text }, index) => characters === null && readTextFrom(way, index).length >= 3 && text !== '',
  );
  const text = readTextFrom(way, at);
  const behind = way.slice(at).find(({ characters }) => characters !== null);
  const rest = behind ? `[${behind.characters}]{${behind.least}}` : '';
  return (at === 0 && /^\w/.test(text) ? '\\b' : '') + text + rest;
}

/** The text from a piece to the next class. */
function readTextFrom(way: Way, at: number): string {
  const behind = way.slice(at);
  const end = behind.findIndex(({ characters }) => characters !== null);
  return behind
    .slice(0, end === -1 ? behind.length : end)
    .map(({ text }) => text)
    .join('');
}

function buildPattern({ kind, ways, sign }: Form): SecretPattern {
  const hasAnchor = ways.every((way) =>
    way.some(({ characters }, at) => characters === null && readTextFrom(way, at).length >= 3),
  );
  const isLong = ways.every(
    (way) =>
      way.reduce((sum, { text, least, characters }) => sum + (characters === null ? text.length : least), 0) >= LONG,
  );
  const isSigned = ways.every(([first]) => first?.characters === null && /_$|.{6}/.test(first.text));
  return definePattern({
    kind,
    // A token of digits and signs is one only where its service is named.
    anchors: hasAnchor ? [...new Set(ways.map(buildAnchor))] : listNames(kind),
    pattern: new RegExp(`${isLong && isSigned ? NOT_IN_NAME : NOT_IN_WORD}(?:${ways.map(buildRegex).join('|')})`, 'g'),
    isSecret: (token) => sign === '!' || isRandom(dropBeginning(token, ways), sign === '~'),
  });
}

function isRandom(rest: string, mustLookRandom: boolean): boolean {
  return mustLookRandom ? looksRandom(rest, 12) : isRandomEnough(rest);
}

function dropBeginning(token: string, ways: readonly Way[]): string {
  const beginning = ways.map((way) => readTextFrom(way, 0)).find((text) => token.startsWith(text));
  return token.slice(beginning?.length).replace(/^A+/, '');
}

/** So long that no word and no id with a hyphen before it is one. */
const LONG = 36;

/** `asana`, without the first letter, which may be a large one. */
function listNames(kind: string): readonly string[] {
  const [service = ''] = kind.toLowerCase().split(' ');
  return [service.slice(1), service.slice(1).toUpperCase()];
}

const rows = FORMS.trim().split('\n').map(parseForm);

/** Tokens that are recognised by their form. */
export const tokenForms: readonly SecretPattern[] = rows.map(buildPattern);

/** The shortest token of each of these patterns, with a class and a count for what is random in it: `ghp_[A-Z]{36}`. */
export const exampleForms: ReadonlyMap<SecretPattern, string> = new Map(
  tokenForms.map((pattern, at) => [pattern, buildExample(rows[at]?.ways[0] ?? [])]),
);

function buildExample(way: Way): string {
  return way.map(({ characters, text, least }) => (characters === null ? text : `[${characters}]{${least}}`)).join('');
}
