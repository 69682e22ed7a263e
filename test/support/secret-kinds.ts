import { Buffer } from 'node:buffer';
import type { Dice, SecretExample } from './secret-examples.js';

/**
 * Kinds of secrets as tools and files write them, one a line: the name, then the text. `{a20}` is 20 random characters
 * of a class of CLASSES, and the secret is between « and »; without these it is all of the text. No line holds what
 * looks like a secret, so a scanner of sources has nothing to report.
 */
const TEMPLATES = `
aws-access-key-id aws_access_key_id = «AKIA{A16}»
aws-temporary-key-id AWS_ACCESS_KEY_ID=«ASIA{A16}»
aws-secret-key aws_secret_access_key = «{b40}»
aws-session-token AWS_SESSION_TOKEN=«IQoJb3JpZ2luX2Vj{b300}»
aws-session-token-ini aws_session_token = «FwoGZXIvYXdzE{b280}»
aws-bedrock ABSKQmVkcm9ja0FQSUtleS{b112}
gcp-api-key AIza{u35}
gcp-oauth-secret GOCSPX-{u28}
gcp-access-token ya29.{u120}
gcp-refresh-token 1//0{u60}
azure-storage-key AccountName=weather;AccountKey=«{b86}==»;EndpointSuffix=core.windows.net
azure-sas https://weather.blob.core.windows.net/maps?sv=2025-01-05&sp=r&sig=«{a43}%3D»
azure-client-secret client: «{a3}8Q~{a34}»
azure-devops-pat «{a52}JQQJ99BAACAAAAAAAAAAAS{a4}AZDO{a4}»
digitalocean-pat dop_v1_{x64}
digitalocean-oauth doo_v1_{x64}
digitalocean-refresh dor_v1_{x64}
alibaba-key-id LTAI{a20}
alibaba-secret alibaba_secret = "«{l30}»"
netlify nfp_{a36}
fly fo1_{u43}
fly-macaroon FlyV1 «fm2_{b300}»
fly-macaroon-1 FLY_API_TOKEN=«fm1r_{b160}»
heroku HRKU-{u36}
heroku-v2 HRKU-AA{u58}
supabase sbp_{x40}
supabase-secret sb_secret_{u31}
planetscale-token pscale_tkn_{a43}
planetscale-password pscale_pw_{a43}
planetscale-oauth pscale_oauth_{a43}
neon napi_{l64}
pulumi pul-{x40}
doppler dp.pt.{a43}
doppler-service dp.st.prd.{a43}
tailscale tskey-auth-{a12}CNTRL-{a32}
tailscale-api tskey-api-{a12}CNTRL-{a32}
cloudflare-api cloudflare_api_token = "«{u40}»"
cloudflare-origin v1.0-{x24}-{x146}
age AGE-SECRET-KEY-1{Q58}
terraform-cloud {a14}.atlasv1.{a67}
github-pat ghp_{a36}
github-oauth gho_{a36}
github-user ghu_{a36}
github-server ghs_{a36}
github-refresh ghr_{a36}
github-fine github_pat_{a22}_{a59}
gitlab-pat glpat-{u20}
gitlab-pat-routable glpat-{u30}.{l9}
gitlab-runner glrt-{u20}
gitlab-deploy gldt-{u20}
gitlab-trigger glptt-{x40}
gitlab-ci glcbt-{a2}_{a20}
gitlab-oauth gloas-{x64}
gitlab-feed glft-{u20}
gitlab-agent glagent-{u50}
gitlab-scim glsoat-{u20}
gitlab-registration GR1348941{u20}
bitbucket ATBB{a32}
atlassian ATATT3{a190}
pypi pypi-AgEIcHlwaS5vcmc{u140}
rubygems rubygems_{x48}
nuget-key oy2{l43}
artifactory AKCp{a69}
artifactory-reference cmVmd{a59}
docker-pat dckr_pat_{u27}
sentry-user sntryu_{x64}
sonarqube squ_{x40}
circleci CCIPAT_{a22}_{x40}
buildkite bkua_{x40}
postman PMAK-{x24}-{x34}
newrelic NRAK-{U27}
posthog phx_{a43}
prefect pnu_{a36}
sourcegraph sgp_{x16}_{x40}
contentful CFPAT-{u43}
npm npm_{a36}
npmrc-auth //registry.example.net/:_authToken=«{x8}-{x4}-{x4}-{x4}-{x12}»
npmrc-password //registry.example.net/:_password="«{b32}»"
clojars CLOJARS_{l60}
dynatrace dt0c01.{U24}.{U64}
duffel duffel_live_{u43}
easypost EZAK{a54}
frameio fio-u-{u64}
infracost ico-{a32}
readme rdme_{l70}
shippo shippo_live_{x40}
typeform tfp_{u44}_{a14}
openshift sha256~{u43}
octopus API-{U26}
maxmind {a6}_{a29}_mmk
grafana glsa_{a32}_{x8}
grafana-cloud glc_{b80}
vault hvs.{u95}
vault-batch hvb.{u150}
databricks dapi{x32}
figma figd_{u40}
linear lin_api_{a40}
notion ntn_{d11}{a35}
vercel vck_{a56}
harness pat.{a22}.{a24}.{a20}
1password-secret A3-{U6}-{U11}-{U5}-{U5}-{U5}
launchdarkly sdk-{x8}-{x4}-{x4}-{x4}-{x12}
anthropic sk-ant-api03-{u93}AA
anthropic-oauth sk-ant-oat01-{u95}
openai-project sk-proj-{u74}T3BlbkFJ{u74}
openai-old sk-{a48}
openrouter sk-or-v1-{x64}
xai xai-{a80}
groq gsk_{a52}
perplexity pplx-{a48}
replicate r8_{a37}
huggingface hf_{n34}
cerebras csk-{l48}
nvidia nvapi-{u64}
together tgp_v1_{u43}
llamacloud llx-{a48}
elevenlabs sk_{x48}
langsmith lsv2_pt_{x32}_{x10}
tavily tvly-dev-{a32}
firecrawl fc-{x32}
jina jina_{a65}
brave BSA{u28}
pinecone pcsk_{a6}_{a56}
cohere COHERE_API_KEY=«{a40}»
mistral MISTRAL_API_KEY=«{a32}»
deepseek sk-{x32}
wandb WANDB_API_KEY=«{x40}»
wandb-netrc machine api.wandb.ai login user password «{x40}»
stripe-live sk_live_{a24}
stripe-test sk_test_{a24}
stripe-restricted rk_live_{a99}
stripe-webhook whsec_{b32}
square sq0atp-{u22}
square-new EAAA{u60}
square-secret sq0csp-{u43}
plaid access-production-{x8}-{x4}-{x4}-{x4}-{x12}
braintree access_token{D1}production{D1}{l16}{D1}{x32}
shopify shpat_{x32}
paypal-secret PAYPAL_CLIENT_SECRET=«E{u79}»
slack-bot xoxb-{d12}-{d12}-{a24}
slack-user xoxp-{d12}-{d12}-{d12}-{x32}
slack-app xapp-1-A{U10}-{d13}-{x64}
slack-webhook https://hooks.slack.com/services/T{U10}/B{U10}/{a24}
sendgrid SG.{u22}.{u43}
mailgun key-{x32}
mailchimp {x32}-us{d2}
brevo xkeysib-{x64}-{a16}
resend re_{a8}_{a24}
telegram https://api.telegram.org/bot«{d10}:AA{u33}»/getMe
discord-webhook https://discord.com/api/webhooks/«1{d17}/{u68}»
teams-webhook https://weather.webhook.office.com/webhookb2/«{x8}-{x4}-{x4}-{x4}-{x12}@{x8}-{x4}-{x4}-{x4}-{x12}/IncomingWebhook/{x32}/{x8}-{x4}-{x4}-{x4}-{x12}»
twilio-sk SK{x32}
twilio-auth TWILIO_AUTH_TOKEN=«{x32}»
ngrok NGROK_AUTHTOKEN=«2{a26}_{a21}»
ngrok-config authtoken: «2{a26}_{a21}»
mapbox-sk sk.eyJ1Ijoi{a60}.{u22}
airtable pat{a14}.{x64}
airtable-old AIRTABLE_API_KEY=«key{a14}»
algolia ALGOLIA_ADMIN_KEY=«{x32}»
algolia-config algolia: { adminApiKey: "«{x32}»" }
fcm FCM_KEY=«AAAA{u7}:APA91b{u134}»
jenkins curl -u admin:«11{x32}» https://ci.weather.net/job/maps/build
jenkins-token JENKINS_API_TOKEN=«11{x32}»
datadog DD_API_KEY=«{x32}»
datadog-app datadog_app_key: «{x40}»
okta OKTA_API_TOKEN=«00{u40}»
snyk SNYK_TOKEN=«{x8}-{x4}-{x4}-{x4}-{x12}»
twitch TWITCH_CLIENT_SECRET=«{l30}»
zendesk zendesk_secret_key = "«{l40}»"
dropbox sl.{u140}
facebook EAAC{a180}
asana asana_client_secret: "«{l32}»"
telegram-env TELEGRAM_BOT_TOKEN=«{d10}:AA{u33}»
maven-settings <server><id>weather</id><username>ada</username><password>«{a14}»</password></server>
nuget-config <add key="ClearTextPassword" value="«{a16}»" />
gradle signing.password=«{a14}»
gradle-properties mavenPassword=«{l6}{d4}{a6}»
pypirc password = «{l4}{d3}{a9}»
netrc machine weather.net login ada password «{l5}{d3}{a6}»
pgpass db.weather.net:5432:maps:ada:«{l5}{d3}{a6}»
cookie-header Cookie: session=«{x32}»; theme=dark
set-cookie Set-Cookie: sid=«{a40}»; Path=/; HttpOnly
connect.sid connect.sid=s%3A«{u32}.{a43}»
curl-u curl -u ada:«{l5}{d3}{a6}» https://api.weather.net/maps
curl-user curl --user 'ada:«{l5}{d3}{a6}»' https://api.weather.net/maps
curl-header curl -H "X-Api-Key: «{a32}»" https://api.weather.net/maps
bearer curl -H "Authorization: Bearer «{a40}»" https://api.weather.net/maps
auth-token-header Authorization: Token «{x40}»
kubeconfig-client-key     client-key-data: «LS0tLS1CRUdJTi{b400}»
kubeconfig-token     token: «{l6}{d2}{a32}»
k8s-secret-yaml   password: «{l4}{d2}{b14}»
mysql-p mysql -h db.weather.net -u ada -p«{l5}{d3}{a6}» maps
mysql-password mysql --user=ada --password=«{l5}{d3}{a6}» maps
sshpass sshpass -p '«{l5}{d3}{a6}»' ssh ada@weather.net
redis-cli-a redis-cli -h cache.weather.net -a «{l5}{d3}{a6}» ping
openssl-pass openssl enc -aes-256-cbc -in a -out b -pass pass:«{l5}{d3}{a6}»
password-flag weatherctl login --username ada --password «{l5}{d3}{a6}»
token-flag weatherctl deploy --token «{a24}»
docker-login docker login -u ada -p «{l5}{d3}{a6}» registry.weather.net
pgpassword-env PGPASSWORD=«{l5}{d3}{a6}» psql -h db.weather.net maps
human-password password=«hunter{d7}»
human-password-quoted password: "«Sommer{d4}!»"
human-password-env DB_PASSWORD=«Winter{d4}Storm»
env-password-quoted MYSQL_PASSWORD="«{l6}{d2}{l4}»"
env-secret-key SECRET_KEY=«{l6}{d2}{a30}»
django-secret SECRET_KEY = '«django-insecure-{s44}»'
json-password {"user": "ada", "password": "«{l5}{d3}{a6}»"}
yaml-password password: «{l5}{d3}{a6}»
tf-var TF_VAR_db_password=«{l5}{d3}{a6}»
tfvars db_password = "«{l5}{d3}{a6}»"
jdbc-url jdbc:postgresql://db.weather.net/maps?user=ada&password=«{l5}{d3}{a6}»
jdbc-oracle jdbc:oracle:thin:ada/«{l5}{d3}{a6}»@db.weather.net:1521:maps
postgres-url postgresql://weather:«{a14}»@db.weather.net:5432/maps
mongodb-srv mongodb+srv://ada:«{a14}»@cluster0.weather.mongodb.net/maps
redis-url redis://:«{a16}»@cache.weather.net:6379/0
amqp-url amqps://ada:«{a16}»@queue.weather.net/maps
git-url https://ada:«{a20}»@git.weather.net/maps.git
smtp-url smtp://mail%40weather.net:«{a14}»@smtp.weather.net:587
odbc Server=db.weather.net;Database=maps;User Id=ada;Password=«{l5}{d3}{a6}»;
htpasswd ada:«{D1}apr1{D1}{a8}{D1}{a22}»
htpasswd-bcrypt ada:«{D1}2y{D1}10{D1}{a53}»
shadow ada:«{D1}6{D1}{a12}{D1}{a86}»:19700:0:99999:7:::
wireguard PrivateKey = «{b43}=»
mnemonic seed phrase: «{w12}»
otp otpauth://totp/weather:ada?secret=«{O32}»&issuer=weather
client-secret client_secret=«{a32}»
api-key-json {"apiKey": "«{a32}»"}
aws-session-json {"AccessKeyId": "key", "SessionToken": "«IQoJb3JpZ2luX2Vj{b500}»", "Expiration": "2027-01-01T00:00:00Z"}
aws-session-secret {"SecretAccessKey": "«{b40}»", "Expiration": "2027-01-01T00:00:00Z"}
aws-presigned https://weather.s3.amazonaws.com/maps.zip?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Expires=3600&X-Amz-Signature=«{x64}»
gcp-key-id "private_key_id": "«{x40}»"
gcs-signed https://storage.googleapis.com/weather/maps.zip?X-Goog-Expires=3600&X-Goog-Signature=«{x256}»
azure-event-grid aeg-sas-key: «{b43}=»
azure-event-grid-new AZURE_GRID=«{a76}AZEG{a4}»
azure-function https://weather.azurewebsites.net/api/maps?code=«{u44}AzFu{u5}Q==»
azure-function-header x-functions-key: «{u44}AzFu{u5}A==»
azure-servicebus Endpoint=sb://weather.servicebus.windows.net/;SharedAccessKeyName=all;SharedAccessKey=«{b33}+ASb{b5}=»
azure-cosmos AccountEndpoint=https://weather.documents.azure.com:443/;AccountKey=«{b76}ACDb{b5}A==»;
azure-search «{a42}AzSe{a6}»
cloudflare-global X-Auth-Key: «{x37}»
cloudflare-global-env CLOUDFLARE_API_KEY=«{x37}»
cloudflare-user cfut_{a48}
cloudflare-account cfat_{a48}
ngrok-command ngrok config add-authtoken «2{a26}_{a21}»
vault-unseal Unseal Key 3: «{b43}=»
vault-unseal-json {"unseal_keys_b64": ["«{b43}=»"]}
vault-short hvs.{a24}
docker-identity {"auths":{"weather.azurecr.io":{"identitytoken":"«{x8}-{x4}-{x4}-{x4}-{x12}»"}}}
slack-workflow https://hooks.slack.com/workflows/T{U10}/A{U10}/{d18}/«{a24}»
slack-trigger https://hooks.slack.com/triggers/T{U10}/{d13}/«{x32}»
slack-rotated xoxe.xoxb-1-{a160}
teams-flow https://prod-12.westeurope.logic.azure.com:443/workflows/{x32}/triggers/manual/paths/invoke?api-version=2016-06-01&sp=%2Ftriggers%2Fmanual%2Frun&sv=1.0&sig=«{u43}»
twitter-bearer Authorization: Bearer «AAAAAAAAAAAAAAAAAAAAA{a20}%2B{a50}%3D{a20}»
asana-pat asana: «2/{d16}/{d16}:{x32}»
asana-bearer curl -H "Authorization: Bearer «1/{d16}:{x32}»" https://app.asana.com/api/1.0/users/me
salesforce 00D{a15}!{a96}
datadog-app-env DD_APP_KEY=«{x40}»
datadog-app-header DD-APPLICATION-KEY: «{x40}»
newrelic-license NEW_RELIC_LICENSE_KEY=«{x36}NRAL»
newrelic-ingest eu01xx{x30}NRAL
zapier https://hooks.zapier.com/hooks/catch/{d7}/«{l7}»/
make-hook https://hook.eu1.make.com/«{l32}»
google-chat https://chat.googleapis.com/v1/spaces/AAAA{a7}/messages?key=AIza{u35}&token=«{u43}»
convex prod:brave-otter-{d3}|{b120}
odbc-pwd Driver={PostgreSQL};Server=db.weather.net;Uid=ada;PWD=«{l5}{d3}{a6}»;
mongosh mongosh --host db.weather.net -u ada -p «{l5}{d3}{a6}» --authenticationDatabase admin
mongodump mongodump -u ada -p «{l5}{d3}{a6}» --out maps
identified-by CREATE USER 'ada'@'%' IDENTIFIED BY '«{l5}{d3}{a6}»';
identified-with ALTER USER ada IDENTIFIED WITH mysql_native_password BY '«{l5}{d3}{a6}»';
with-password CREATE ROLE ada WITH LOGIN PASSWORD '«{l5}{d3}{a6}»';
with-password-mssql CREATE LOGIN ada WITH PASSWORD = N'«{l5}{d3}{a6}»';
redis-acl ACL SETUSER ada on >«{l5}{d3}{a6}» ~* +@all
redis-requirepass requirepass «{l5}{d3}{a6}»
wpa-psk network={ ssid="maps" psk="«{l5}{d3}{a6}»" }
wpa-psk-hex psk=«{x64}»
wpa-passphrase wpa_passphrase maps «{l5}{d3}{a6}»
nmcli nmcli device wifi connect maps password «{l5}{d3}{a6}»
rclone pass = «{u38}»
wireguard-preshared PresharedKey = «{b43}=»
wg-command wg set wg0 private-key «{b43}=»
ansible-become ansible_become_pass: «{l5}{d3}{a6}»
ansible-ssh ansible_ssh_pass=«{l5}{d3}{a6}»
laravel APP_KEY=base64:«{b43}=»
wordpress-db define('DB_PASSWORD', '«{l5}{d3}{a6}»');
wordpress-salt define('AUTH_KEY', '«{s64}»');
powershell ConvertTo-SecureString "«{l5}{d3}{a6}»" -AsPlainText -Force
powershell-blob 01000000d08c9ddf0115d1118c7a00c04fc297eb{x400}
zip zip -r -P «{l5}{d3}{a6}» maps.zip maps
unzip unzip -P «{l5}{d3}{a6}» maps.zip
seven-zip 7z a -p«{l5}{d3}{a6}» maps.7z maps
ldapsearch ldapsearch -x -H ldaps://ldap.weather.net -D cn=ada -w «{l5}{d3}{a6}» uid=ada
smbclient smbclient //files/maps -U ada%«{l5}{d3}{a6}»
mount-cifs mount -t cifs //files/maps /mnt -o username=ada,password=«{l5}{d3}{a6}»
net-use net use Z: \\\\files\\maps «{l5}{d3}{a6}» /user:ada
net-user net user ada «{l5}{d3}{a6}» /add
chpasswd echo 'ada:«{l5}{d3}{a6}»' | chpasswd
mosquitto mosquitto_pub -h mqtt.weather.net -u ada -P «{l5}{d3}{a6}» -t maps
wget-password wget --user=ada --password=«{l5}{d3}{a6}» https://files.weather.net/maps.zip
htpasswd-b htpasswd -b users ada «{l5}{d3}{a6}»
az-login az login --service-principal -u maps -p «{a3}8Q~{a34}» --tenant weather
saml-post SAMLResponse=«PHNhbWxwOlJlc3BvbnNl{b400}»
saml-signature <saml:Assertion Version="2.0"><ds:SignatureValue>«{b172}=»</ds:SignatureValue>
bitcoin-wif wif: «5J{B49}»
bitcoin-wif-key private key: «K{B51}»
bitcoin-xprv xprv9{B106}
ethereum-key private_key = 0x«{x64}»
jwk {"kty":"EC","crv":"P-256","x":"{u43}","y":"{u43}","d":"«{u43}»"}
jwk-oct {"kty":"oct","alg":"HS256","k":"«{u64}»"}
vercel-blob vercel_blob_rw_{a16}_{a30}
render rnd_{a32}
onepassword-service ops_eyJ{a600}
bitwarden BWS_ACCESS_TOKEN=«0.{x8}-{x4}-{x4}-{x4}-{x12}.{a30}:{b22}==»
gitlab-rotating glrtr-{u20}
gitlab-routable-dot glpat-{u27}.01.{l9}
gitlab-runner-routable glrt-{u27}.{l9}
bitbucket-access ATCTT3xFfGN0{a170}={x8}
crates cio{a32}
circleci-project CCIPRJ_{a22}_{x40}
snyk-new snyk_uat.{x8}.{u60}
openai-session sess-{a40}
openai-ephemeral ek_{x32}
gemini-new AQ.{u51}
fireworks fw_{a24}
jina-long jina_{x32}{u28}
wandb-v1 wandb_v1_{a77}
e2b e2b_{x40}
browserbase bb_live_{u27}
helicone sk-helicone-{l7}-{l7}-{l7}-{l7}
litellm LITELLM_KEY=«sk-{a22}»
cursor key_{x64}
runpod rpa_{U46}
factory fk-{u60}
composio ak_{u20}
context7 ctx7sk-{x8}-{x4}-{x4}-{x4}-{x12}
minimax sk-api-{u100}
workos sk_live_a2V5XzAx{a60}
upstash-url redis://default:«{a50}»@eu1-brave-otter-{d5}.upstash.io:6379
upstash-token UPSTASH_REDIS_REST_TOKEN=«AX{a50}==»
razorpay rzp_live_{a14}
razorpay-secret RAZORPAY_KEY_SECRET=«{a24}»
flutterwave FLWSECK-{x32}-X
mollie live_{a30}
gocardless live_{u40}
lemonsqueezy LEMONSQUEEZY_API_KEY=«{a60}»
polar polar_oat_{a43}
paddle pdl_live_apikey_{l26}_{a22}_{a3}
brevo-smtp xsmtpsib-{x64}-{a16}
facebook-app FACEBOOK_APP_SECRET=«{x32}»
linear-oauth lin_oauth_{x64}
notion-old secret_{a43}
figma-oauth figo_{u40}
trello ATTA{x64}{U8}
trello-key TRELLO_TOKEN=«{x64}»
clickup pk_{d8}_{U32}
hubspot pat-na1-{x8}-{x4}-{x4}-{x4}-{x12}
honeycomb hcaik_01{l56}
honeycomb-header x-honeycomb-team: «{a22}»
launchdarkly-api api-{x8}-{x4}-4{x3}-{x4}-{x12}
lob live_{x35}
inngest signkey-prod-{x64}
trigger tr_prod_{a24}
otp-migration otpauth-migration://offline?data=«{b80}»
otp-small otpauth://hotp/weather:ada?counter=1&secret=«{k32}»
`;

/** Random characters of a class, where the corpus is no pattern's own. */
const CLASSES: Readonly<Record<string, string>> = {
  a: 'A-Za-z0-9',
  A: 'A-Z2-7',
  U: 'A-Z0-9',
  l: 'a-z0-9',
  k: 'a-z2-7',
  n: 'A-Za-z',
  x: 'a-f0-9',
  d: '1-9',
  b: 'A-Za-z0-9+/',
  u: 'A-Za-z0-9_-',
  s: 'a-z0-9!@#%^*+=_-',
  Q: '02-9AC-HJ-NP-Z',
  B: '1-9A-HJ-NP-Za-km-z',
  O: 'A-Z2-7',
  D: '$',
};

const WORDS =
  'abandon ability above absent absorb abstract absurd accident account accuse achieve acid acoustic acquire across ' +
  'action actor actress actual adapt address adjust admit adult advance advice aerobic affair afford afraid again agent';

/** Those that no line can describe: what they hold is encoded. */
const ENCODED: Readonly<Record<string, (dice: Dice) => SecretExample>> = {
  jwt: (dice) =>
    whole(`${json({ alg: 'HS256', typ: 'JWT' })}.${json({ sub: dice('a-f0-9', 12) })}.${dice('A-Za-z0-9_-', 43)}`),
  jwe: (dice) =>
    whole(
      `${json({ alg: 'RSA-OAEP', enc: 'A256GCM' })}.${dice('A-Za-z0-9_-', 342)}.${dice('A-Za-z0-9_-', 16)}.${dice('A-Za-z0-9_-', 90)}.${dice('A-Za-z0-9_-', 22)}`,
    ),
  'jwe-direct': (dice) =>
    whole(
      `${json({ alg: 'dir', enc: 'A256GCM' })}..${dice('A-Za-z0-9_-', 16)}.${dice('A-Za-z0-9_-', 90)}.${dice('A-Za-z0-9_-', 22)}`,
    ),
  'github-stateless': (dice) =>
    whole(
      `ghs_${dice('1-9', 6)}_${json({ alg: 'RS256', typ: 'JWT' })}.${json({ iss: dice('1-9', 6), exp: 1_800_000_000 })}.${dice('A-Za-z0-9_-', 342)}`,
    ),
  'discord-unnamed': (dice) => {
    const bot = Buffer.from(`1${dice('0-4', 1)}${dice('0-9', 17)}`).toString('base64url');
    return around('BOT_TOKEN=', `${bot}.G${dice('A-Za-z0-9', 5)}.${dice('A-Za-z0-9_-', 38)}`, '');
  },
  'basic-auth': (dice) => around('Authorization: Basic ', base64(`ada:${dice('A-Za-z0-9', 12)}`), ''),
  'docker-config-auth': (dice) =>
    around('{"auths":{"registry.weather.net":{"auth":"', base64(`ada:${dice('A-Za-z0-9', 16)}`), '"}}}'),
  'private-key-pem': (dice) => pem('PRIVATE', dice),
  'private-key-rsa': (dice) => pem('RSA PRIVATE', dice),
  'private-key-openssh': (dice) => pem('OPENSSH PRIVATE', dice),
  'putty-ppk': (dice) => {
    const lines = Array.from({ length: 3 }, () => dice('A-Za-z0-9+/', 64));
    const head = 'PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: ada\n';
    return around(`${head}Private-Lines: 3\n`, lines.join('\n'), '\nPrivate-MAC: 00');
  },
  'discord-bot': (dice) => {
    const bot = Buffer.from(`1${dice('0-9', 17)}`).toString('base64');
    return around('discord: ', `${bot}.G${dice('A-Za-z0-9', 5)}.${dice('A-Za-z0-9_-', 38)}`, '');
  },
};

function whole(secret: string): SecretExample {
  return { text: secret, secret };
}

function around(before: string, secret: string, after: string): SecretExample {
  return { text: before + secret + after, secret };
}

function json(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function pem(label: string, dice: Dice): SecretExample {
  const lines = Array.from({ length: 6 }, () => dice('A-Za-z0-9+/', 64));
  return whole([`-----BEGIN ${label} KEY-----`, ...lines, `-----END ${label} KEY-----`].join('\n'));
}

/** How a line of TEMPLATES, without its name, is made up. */
export function fromTemplate(template: string): (dice: Dice) => SecretExample {
  return (dice) => {
    const filled = template
      .replaceAll(/\{w(\d+)\}/g, (_all, count: string) => words(Number(count), dice))
      .replaceAll(/\{([A-Za-z])(\d+)\}/g, (_all, name: string, length: string) =>
        dice(CLASSES[name] ?? name, Number(length)),
      );
    const [, before = '', secret = '', after = ''] = /^([^«]*)«([^»]*)»(.*)$/.exec(filled) ?? [
      undefined,
      '',
      filled,
      '',
    ];
    return around(before, secret, after);
  };
}

function words(count: number, dice: Dice): string {
  const all = WORDS.split(' ');
  return Array.from({ length: count }, () => all[Number(dice('0-9', 3)) % all.length]).join(' ');
}

/** How an example of each kind is made up. */
export const KINDS: ReadonlyMap<string, (dice: Dice) => SecretExample> = new Map([
  ...TEMPLATES.trim()
    .split('\n')
    .map((line) => {
      const space = line.indexOf(' ');
      return [line.slice(0, space), fromTemplate(line.slice(space + 1))] as const;
    }),
  ...Object.entries(ENCODED),
]);
