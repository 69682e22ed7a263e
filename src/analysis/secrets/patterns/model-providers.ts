import { type SecretPattern } from '../define.js';
import { ALNUM, BASE64URL, HEX, SMALL, tokens } from '../token.js';

/** Keys of model providers, and of search and reading services for agents. */
const patterns: readonly SecretPattern[] = tokens([
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
  ['Cerebras API key', 'csk-', SMALL, 40, 60],
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

export default patterns;
