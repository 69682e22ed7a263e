/* oxlint-disable max-lines -- a generated list */

/**
 * The models of @earendil-works/pi-ai 1.5.2, by provider. A line lists the models of the same facts: context window, output limit,
 * abilities, efforts, prices, then the ids. `modelFacts` reads it; `npm run models` writes it.
 */
export const MODELS: Readonly<Record<string, string>> = {
  anthropic: `
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/1/12.5 claude-fable-5
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/0.25/12.5 claude-fable-5-1
1000000 128000 ra off=,xhigh=xhigh,max=max 8/40/0.2/10 claude-fable-5-2
200000 64000 r - 1/5/0.1/1.25 claude-haiku-4-5 claude-haiku-4-5-20251001
1000000 128000 ra minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5-5
200000 64000 r - 5/25/0.5/6.25 claude-opus-4-5 claude-opus-4-5-20251101
1000000 128000 ra max=max 5/25/0.5/6.25 claude-opus-4-6
1000000 128000 ra xhigh=xhigh,max=max 5/25/0.5/6.25 claude-opus-4-7 claude-opus-4-8 claude-opus-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/5 claude-opus-5-5
200000 64000 r - 3/15/0.3/3.75 claude-sonnet-4-5 claude-sonnet-4-5-20250929
1000000 128000 ra max=max 3/15/0.3/3.75 claude-sonnet-4-6
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.2/2.5 claude-sonnet-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5 claude-sonnet-5-5
`,
  openai: `
400000 128000 r - 5/30/0.5/0 chat-latest
8192 8192 - - 30/60/0/0 gpt-4
128000 4096 - - 10/30/0/0 gpt-4-turbo
1047576 32768 - - 2/8/0.5/0 gpt-4.1
1047576 32768 - - 0.4/1.6/0.1/0 gpt-4.1-mini
1047576 32768 - - 0.1/0.4/0.025/0 gpt-4.1-nano
128000 16384 - - 2.5/10/1.25/0 gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20
128000 4096 - - 5/15/0/0 gpt-4o-2024-05-13
128000 16384 - - 0.15/0.6/0.075/0 gpt-4o-mini
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 gpt-5
128000 16384 - off= 1.25/10/0.125/0 gpt-5-chat-latest
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0.025/0 gpt-5-mini
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.05/0.4/0.005/0 gpt-5-nano
400000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=,max= 15/120/0/0 gpt-5-pro
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 gpt-5.1
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 gpt-5.2 gpt-5.3-codex
400000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 21/168/0/0 gpt-5.2-pro
128000 32000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 gpt-5.3-codex-spark
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2.5/15/0.25/0,272000:5/22.5/0.5/0 gpt-5.4
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.75/4.5/0.075/0 gpt-5.4-mini
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.2/1.25/0.02/0 gpt-5.4-nano
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 30/180/0/0,272000:60/270/0/0 gpt-5.4-pro gpt-5.5-pro
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 5/30/0.5/0,272000:10/45/1/0 gpt-5.5
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 12.5/75/1.25/15.625 gpt-5.6-cyber
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-daybreak-blue-latest
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 12.5/75/1.25/15.625 gpt-daybreak-red-latest
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 15/60/7.5/0 o1
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 150/600/0/0 o1-pro
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/8/0.5/0 o3
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.1/4.4/0.55/0 o3-mini
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 20/80/0/0 o3-pro
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.1/4.4/0.275/0 o4-mini
`,
  google: `
1048576 65536 r - 2/12/0.2/0,200000:4/18/0.4/0 deep-research-max-preview-04-2026 deep-research-preview-04-2026
128000 64000 r - 1.25/10/0/0,200000:2.5/15/0/0 gemini-2.5-computer-use-preview-10-2025
1048576 65536 r - 0.3/2.5/0.03/0 gemini-2.5-flash
1048576 65536 r - 0.1/0.4/0.01/0 gemini-2.5-flash-lite
1048576 65536 r - 1.25/10/0.125/0,200000:2.5/15/0.25/0 gemini-2.5-pro
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.5/3/0.05/0 gemini-3-flash-preview
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/1.5/0.025/0 gemini-3.1-flash-lite gemini-3.1-flash-lite-preview gemini-flash-lite-latest
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/12/0.2/0,200000:4/18/0.4/0 gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-pro-latest
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.5/9/0.15/0 gemini-3.5-flash gemini-flash-latest
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.3/2.5/0.03/0 gemini-3.5-flash-lite
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.6-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.7-flash gemini-3.8-flash
1048576 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0 gemini-4-argon
131072 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1/5/0.1/0 gemini-robotics-er-2-preview
262144 32768 r off=,minimal=MINIMAL,low=,medium=,high=HIGH - gemma-4-26b-a4b-it gemma-4-31b-it
`,
  deepseek: `
1000000 384000 r minimal=,low=low,medium=,high=high,max=max 0.3/1.2/0.006/0 deepseek-flash
1000000 384000 r minimal=,low=,medium=,high=high,max=max 1.32/3.96/0.044/0 deepseek-v4-pro
`,
  mistral: `
256000 8192 - - 0.3/0.9/0.03/0 codestral-2508
256000 4096 - - 0.3/0.9/0.03/0 codestral-latest
1048576 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.3/1.2/0.007/0 deepseek-v4-1-flash-1017
262144 262144 - - 0.4/2/0.04/0 devstral-2512 devstral-latest devstral-medium-latest mistral-medium-2508
1048576 131072 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.14/0 glm-5-2 zai-glm-5-2
256000 256000 - - - labs-devstral-small-2512
262144 128000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= - labs-leanstral-1-5-1
262144 16384 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 2/5/0.2/0 magistral-medium-latest
262144 262144 - - 0.2/0.2/0.02/0 ministral-14b-2512
131072 262144 - - 0.1/0.1/0.01/0 ministral-3b-2512
131072 128000 - - 0.1/0.1/0.01/0 ministral-3b-latest
262144 262144 - - 0.15/0.15/0.015/0 ministral-8b-2512
262144 128000 - - 0.15/0.15/0.015/0 ministral-8b-latest
262144 262144 - - 0.5/1.5/0.05/0 mistral-large-2512 mistral-large-latest
1048576 262144 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.7/2.1/0.07/0 mistral-large-4 mistral-large-4-0-8
131072 131072 - - 0.4/2/0.04/0 mistral-medium-2505
262144 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 1.5/7.5/0.15/0 mistral-medium-2604 mistral-medium-latest
262144 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 1.5/7.5/0/0 mistral-medium-3.5
128000 16384 - - 0.1/0.3/0.01/0 mistral-small-2506
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.15/0.6/0.015/0 mistral-small-2603 mistral-small-latest
128000 128000 - - 0.15/0.15/0.015/0 open-mistral-nemo pixtral-12b
32768 32000 - - 0.1/0.4/0.01/0 voxtral-small-2507 voxtral-small-latest
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.14/0 zai-glm-5-3
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 zai-glm-5-3-flash
`,
  xai: `
1000000 30000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 grok-4.3
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.3/0,200000:4/12/0.6/0 grok-4.5
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.6 grok-4.7
`,
  meta: `
1048576 524288 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.004/0,200000:0.3/1.5/0.012/0 muse-ember-1.0
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/4.25/0.15/0 muse-spark-1.1 muse-spark-1.2
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.1/0.2/0.002/0 muse-spark-1.2-contributor muse-spark-1.3-contributor
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1.25/4.25/0.15/0 muse-spark-1.3
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/0 muse-wonder-1.0
`,
  moonshotai: `
262144 262144 r - 0.95/4/0.16/0 kimi-k2.6
262144 262144 r off= 0.95/4/0.19/0 kimi-k2.7-code
262144 262144 r off= 1.9/8/0.38/0 kimi-k2.7-code-highspeed
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 kimi-k3
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/0 kimi-k3.1-pro
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 4/20/0.2/0 kimi-k3.1-pro-highspeed
`,
  zai: `
204800 131072 r - 0.6/2.2/0.11/0 glm-4.7
200000 131072 r - 1.2/4/0.24/0 glm-5-turbo
1000000 131072 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.2
1000000 131072 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.2-highspeed
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.3
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 glm-5.3-flash
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3-highspeed
`,
  minimax: `
204800 131072 r - 0.3/1.2/0.06/0.375 MiniMax-M2.7
204800 131072 r - 0.6/2.4/0.06/0.375 MiniMax-M2.7-highspeed
1000000 524288 r - 0.3/1.2/0.06/0,512000:0.6/2.4/0.12/0 MiniMax-M3
1000000 524288 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.015/0 MiniMax-M3.1-Flash
`,
  xiaomi: `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= 0.14/0.28/0.0028/0 mimo-v2.6-flash
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= 0.435/0.87/0.0036/0 mimo-v2.6-pro
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= 4.35/8.7/0.036/0 mimo-v2.6-pro-ultraspeed
`,
  nvidia: `
1000000 384000 r minimal=,low=,medium=,high=high,max=max - deepseek-ai/deepseek-v4.1-flash
250000 32768 r - - google/diffusiongemma-26b-a4b-it
131072 16384 - - - google/gemma-3-12b-it google/gemma-3-4b-it
128000 8192 - - - meta/llama-3.2-90b-vision-instruct nvidia/llama-3.1-nemotron-70b-instruct
131072 131072 r - - meta/muse-glimmer-30b
262144 262144 r - - minimaxai/minimax-m3.1-flash moonshotai/kimi-k2.6 nvidia/nemotron-3.5-lightning-30b-a3b
65536 65536 - - - mistralai/mistral-7b-instruct-v0.3
131072 16384 r - - nvidia/cosmos-reason2-8b
128000 16384 r - - nvidia/llama-3.1-nemotron-ultra-253b-v1
256000 65536 r - - nvidia/nemotron-3-nano-omni-30b-a3b-reasoning
1000000 65536 r - - nvidia/nemotron-3-ultra-550b-a55b
1048576 8192 r - - nvidia/nemotron-3.5-super-vl-120b-a12b
131072 32768 r - - openai/gpt-oss-20b
262144 16384 r - - poolside/laguna-xs-2.1
1048576 1048576 r - - stepfun-ai/step-5-preview
1000000 131072 r - - z-ai/glm-5.3-flash
`,
  'amazon-bedrock': `
1000000 65535 r - 0.33/2.75/0.0825/0.33 amazon.nova-2-lite-v1:0 us.amazon.nova-2-lite-v1:0
300000 10000 - - 0.06/0.24/0.015/0.06 amazon.nova-lite-v1:0 us.amazon.nova-lite-v1:0
128000 10000 - - 0.035/0.14/0.00875/0.035 amazon.nova-micro-v1:0 us.amazon.nova-micro-v1:0
300000 10000 - - 0.8/3.2/0.2/0.8 amazon.nova-pro-v1:0 us.amazon.nova-pro-v1:0
1000000 128000 r off=,xhigh=xhigh,max=max 10/50/1/12.5 anthropic.claude-fable-5 global.anthropic.claude-fable-5
1000000 128000 r off=,xhigh=xhigh,max=max 10/50/0.25/12.5 anthropic.claude-fable-5-1 global.anthropic.claude-fable-5-1
1000000 128000 r off=,xhigh=xhigh,max=max 8/40/0.2/10 anthropic.claude-fable-5-2 global.anthropic.claude-fable-5-2
200000 64000 r - 1/5/0.1/1.25 anthropic.claude-haiku-4-5-20251001-v1:0 global.anthropic.claude-haiku-4-5-20251001-v1:0
1000000 128000 r xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 anthropic.claude-haiku-5-5 global.anthropic.claude-haiku-5-5
200000 32000 r - 15/75/1.5/18.75 anthropic.claude-opus-4-1-20250805-v1:0 us.anthropic.claude-opus-4-1-20250805-v1:0
200000 64000 r - 5/25/0.5/6.25 anthropic.claude-opus-4-5-20251101-v1:0 global.anthropic.claude-opus-4-5-20251101-v1:0
1000000 128000 r max=max 5.5/27.5/0.55/6.875 anthropic.claude-opus-4-6-v1 au.anthropic.claude-opus-4-6-v1 eu.anthropic.claude-opus-4-6-v1 us.anthropic.claude-opus-4-6-v1
1000000 128000 r xhigh=xhigh,max=max 5/25/0.5/6.25 anthropic.claude-opus-4-7 anthropic.claude-opus-4-8 global.anthropic.claude-opus-4-7 global.anthropic.claude-opus-4-8 global.anthropic.claude-opus-5
1000000 128000 r xhigh=xhigh,max=max 4/20/0.2/5 anthropic.claude-opus-5-5 global.anthropic.claude-opus-5-5
200000 64000 r - 3/15/0.3/3.75 anthropic.claude-sonnet-4-5-20250929-v1:0 apac.anthropic.claude-sonnet-4-20250514-v1:0 eu.anthropic.claude-sonnet-4-20250514-v1:0 global.anthropic.claude-sonnet-4-20250514-v1:0 global.anthropic.claude-sonnet-4-5-20250929-v1:0 us.anthropic.claude-sonnet-4-20250514-v1:0
1000000 128000 r max=max 3.3/16.5/0.33/4.125 anthropic.claude-sonnet-4-6 au.anthropic.claude-sonnet-4-6 eu.anthropic.claude-sonnet-4-6 jp.anthropic.claude-sonnet-4-6 us.anthropic.claude-sonnet-4-6
1000000 128000 r xhigh=xhigh,max=max 2/10/0.2/2.5 anthropic.claude-sonnet-5 global.anthropic.claude-sonnet-5
1000000 128000 r xhigh=xhigh,max=max 2/10/0.1/2.5 anthropic.claude-sonnet-5-5 global.anthropic.claude-sonnet-5-5
300000 10000 - - 0.063/0.252/0.01575/0.063 apac.amazon.nova-lite-v1:0
128000 10000 - - 0.037/0.148/0.00925/0.037 apac.amazon.nova-micro-v1:0
300000 10000 - - 0.84/3.36/0.21/0.84 apac.amazon.nova-pro-v1:0
200000 64000 r - 1.1/5.5/0.11/1.375 au.anthropic.claude-haiku-4-5-20251001-v1:0 eu.anthropic.claude-haiku-4-5-20251001-v1:0 in.anthropic.claude-haiku-4-5-20251001-v1:0 jp.anthropic.claude-haiku-4-5-20251001-v1:0 us.anthropic.claude-haiku-4-5-20251001-v1:0
1000000 128000 r xhigh=xhigh,max=max 0.11/0.55/0.011/0.1375,100000:0.55/2.75/0.055/0.6875 au.anthropic.claude-haiku-5-5 eu.anthropic.claude-haiku-5-5 jp.anthropic.claude-haiku-5-5 us.anthropic.claude-haiku-5-5
1000000 128000 r xhigh=xhigh,max=max 5.5/27.5/0.55/6.875 au.anthropic.claude-opus-4-7 au.anthropic.claude-opus-4-8 au.anthropic.claude-opus-5 eu.anthropic.claude-opus-4-7 eu.anthropic.claude-opus-4-8 eu.anthropic.claude-opus-5 in.anthropic.claude-opus-5 jp.anthropic.claude-opus-4-7 jp.anthropic.claude-opus-4-8 jp.anthropic.claude-opus-5 us.anthropic.claude-opus-4-7 us.anthropic.claude-opus-4-8 us.anthropic.claude-opus-5
1000000 128000 r xhigh=xhigh,max=max 4.4/22/0.22/5.5 au.anthropic.claude-opus-5-5 eu.anthropic.claude-opus-5-5 jp.anthropic.claude-opus-5-5 us.anthropic.claude-opus-5-5
200000 64000 r - 3.3/16.5/0.33/4.125 au.anthropic.claude-sonnet-4-5-20250929-v1:0 eu.anthropic.claude-sonnet-4-5-20250929-v1:0 jp.anthropic.claude-sonnet-4-5-20250929-v1:0 us.anthropic.claude-sonnet-4-5-20250929-v1:0
1000000 128000 r xhigh=xhigh,max=max 2.2/11/0.22/2.75 au.anthropic.claude-sonnet-5 eu.anthropic.claude-sonnet-5 in.anthropic.claude-sonnet-5 jp.anthropic.claude-sonnet-5 us.anthropic.claude-sonnet-5
1000000 128000 r xhigh=xhigh,max=max 2.2/11/0.11/2.75 au.anthropic.claude-sonnet-5-5 eu.anthropic.claude-sonnet-5-5 us.anthropic.claude-sonnet-5-5
300000 10000 - - 0.064/0.256/0.016/0.064 ca.amazon.nova-lite-v1:0
163840 81920 r - 0.58/1.68/0/0 deepseek.v3-v1:0
163840 81920 r - 0.62/1.85/0/0 deepseek.v3.2
1000000 65535 r - 0.374/3.157/0.0935/0.374 eu.amazon.nova-2-lite-v1:0
300000 10000 - - 0.069/0.276/0.01725/0.069 eu.amazon.nova-lite-v1:0
128000 10000 - - 0.04/0.16/0.01/0.04 eu.amazon.nova-micro-v1:0
300000 10000 - - 0.92/3.68/0.23/0.92 eu.amazon.nova-pro-v1:0
1000000 128000 r off=,xhigh=xhigh,max=max 11/55/1.1/13.75 eu.anthropic.claude-fable-5 us.anthropic.claude-fable-5
200000 64000 r - 5.5/27.5/0.55/6.875 eu.anthropic.claude-opus-4-5-20251101-v1:0 us.anthropic.claude-opus-4-5-20251101-v1:0
128000 8192 - - 2/6/0/0 eu.mistral.pixtral-large-2502-v1:0 mistral.pixtral-large-2502-v1:0 us.mistral.pixtral-large-2502-v1:0
1000000 65535 r - 0.3/2.5/0.075/0.3 global.amazon.nova-2-lite-v1:0
1000000 128000 r max=max 5/25/0.5/6.25 global.anthropic.claude-opus-4-6-v1
1000000 128000 r max=max 3/15/0.3/3.75 global.anthropic.claude-sonnet-4-6
1048576 128000 r - 3/15/0.3/3.75 global.moonshotai.kimi-k3
1048576 1048576 r - 4/20/0.2/5 global.moonshotai.kimi-k3.1
1050000 128000 r xhigh=xhigh 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 global.openai.gpt-5.6-luna
1050000 128000 r xhigh=xhigh 4/20/0.4/5,272000:8/30/0.8/10 global.openai.gpt-5.6-sol
1050000 128000 r xhigh=xhigh 2/12/0.2/2.5,272000:4/18/0.4/5 global.openai.gpt-5.6-terra
1050000 128000 r xhigh=xhigh 10/50/1/12.5,272000:20/75/2/25 global.openai.gpt-6-astra
1050000 128000 r xhigh=xhigh 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 global.openai.gpt-6-luna
1050000 128000 r xhigh=xhigh 2/10/0.2/2.5,272000:4/15/0.4/5 global.openai.gpt-6-sol
1050000 128000 r xhigh=xhigh 2/10/0.1/2.5,272000:4/15/0.2/5 global.openai.gpt-6.1-sol
1050000 128000 r xhigh=xhigh 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 global.openai.gpt-6.1-terra
500000 500000 r - 2/6/0.5/0 global.xai.grok-4.6 global.xai.grok-4.7
1000000 128000 r - 1.68/5.28/0.312/2.1 global.zai.glm-5.3
262144 32768 r - 0.13/0.4/0/0 google.gemma-4-26b-a4b
262144 32768 r - 0.14/0.4/0/0 google.gemma-4-31b
131072 8192 r - 0.04/0.08/0/0 google.gemma-4-e2b
1050000 128000 r xhigh=xhigh 0.22/1.32/0.022/0.275,272000:0.44/1.98/0.044/0.55 in.openai.gpt-5.6-luna openai.gpt-5.6-luna us.openai.gpt-5.6-luna
1050000 128000 r xhigh=xhigh 2.2/13.2/0.22/2.75,272000:4.4/19.8/0.44/5.5 in.openai.gpt-5.6-terra openai.gpt-5.6-terra us.openai.gpt-5.6-terra
1000000 65535 r - 0.396/3.311/0.099/0.396 jp.amazon.nova-2-lite-v1:0
128000 4096 - - 0.72/0.72/0/0 meta.llama3-1-70b-instruct-v1:0 meta.llama3-3-70b-instruct-v1:0 us.meta.llama3-1-70b-instruct-v1:0 us.meta.llama3-3-70b-instruct-v1:0
128000 4096 - - 0.22/0.22/0/0 meta.llama3-1-8b-instruct-v1:0 us.meta.llama3-1-8b-instruct-v1:0
1000000 8192 - - 0.24/0.97/0/0 meta.llama4-maverick-17b-instruct-v1:0 us.meta.llama4-maverick-17b-instruct-v1:0
10000000 8192 - - 0.17/0.66/0/0 meta.llama4-scout-17b-instruct-v1:0 us.meta.llama4-scout-17b-instruct-v1:0
204608 128000 r - 0.3/1.2/0/0 minimax.minimax-m2
196608 131072 r - 0.3/1.2/0/0 minimax.minimax-m2.1
196608 98304 r - 0.3/1.2/0/0 minimax.minimax-m2.5
262144 8192 - - 0.4/2/0/0 mistral.devstral-2-123b
128000 40000 r - 0.5/1.5/0/0 mistral.magistral-small-2509
128000 4096 - - 0.2/0.2/0/0 mistral.ministral-3-14b-instruct
256000 8192 - - 0.1/0.1/0/0 mistral.ministral-3-3b-instruct
128000 4096 - - 0.15/0.15/0/0 mistral.ministral-3-8b-instruct
262144 8192 - - 0.5/1.5/0/0 mistral.mistral-large-3-675b-instruct
32768 4096 - - 0.04/0.04/0/0 mistral.voxtral-mini-3b-2507
32768 8192 - - 0.1/0.3/0/0 mistral.voxtral-small-24b-2507
262144 16000 r - 0.6/2.5/0/0 moonshot.kimi-k2-thinking
262144 16384 r - 0.6/3/0/0 moonshotai.kimi-k2.5
131072 8192 - - 0.2/0.6/0/0 nvidia.nemotron-nano-12b-v2
262144 8192 r - 0.06/0.24/0/0 nvidia.nemotron-nano-3-30b
131072 8192 - - 0.06/0.23/0/0 nvidia.nemotron-nano-9b-v2
262144 131072 r - 0.15/0.65/0/0 nvidia.nemotron-super-3-120b
1000000 128000 r xhigh=xhigh 2.75/16.5/0.275/0 openai.gpt-5.4
1000000 128000 r xhigh=xhigh 5.5/33/0.55/0 openai.gpt-5.5
1050000 128000 r xhigh=xhigh 4.4/22/0.44/5.5,272000:8.8/33/0.88/11 openai.gpt-5.6-sol us.openai.gpt-5.6-sol
1050000 128000 r xhigh=xhigh 11/55/1.1/13.75,272000:22/82.5/2.2/27.5 openai.gpt-6-astra us.openai.gpt-6-astra
1050000 128000 r xhigh=xhigh 0.11/0.55/0.011/0.1375,272000:0.22/0.825/0.022/0.275 openai.gpt-6-luna us.openai.gpt-6-luna
1050000 128000 r xhigh=xhigh 2.2/11/0.22/2.75,272000:4.4/16.5/0.44/5.5 openai.gpt-6-sol us.openai.gpt-6-sol
1050000 128000 r xhigh=xhigh 2.2/11/0.11/2.75,272000:4.4/16.5/0.22/5.5 openai.gpt-6.1-sol us.openai.gpt-6.1-sol
1050000 128000 r xhigh=xhigh 1.1/5.5/0.055/1.375,272000:2.2/8.25/0.11/2.75 openai.gpt-6.1-terra us.openai.gpt-6.1-terra
131072 131072 r - 0.15/0.6/0/0 openai.gpt-oss-120b
131072 128000 r - 0.15/0.6/0/0 openai.gpt-oss-120b-1:0
131072 131072 r - 0.07/0.3/0/0 openai.gpt-oss-20b
131072 128000 r - 0.07/0.3/0/0 openai.gpt-oss-20b-1:0
128000 16384 r - 0.15/0.6/0/0 openai.gpt-oss-safeguard-120b
128000 16384 r - 0.07/0.2/0/0 openai.gpt-oss-safeguard-20b
262144 131072 - - 0.22/0.88/0/0 qwen.qwen3-235b-a22b-2507-v1:0
32768 16384 r - 0.15/0.6/0/0 qwen.qwen3-32b-v1:0
262144 131072 - - 0.15/0.6/0/0 qwen.qwen3-coder-30b-a3b-v1:0
131072 65536 - - 0.45/1.8/0/0 qwen.qwen3-coder-480b-a35b-v1:0
262144 65536 - - 0.5/1.2/0/0 qwen.qwen3-coder-next
262144 262000 - - 0.15/1.2/0/0 qwen.qwen3-next-80b-a3b
262144 262000 - - 0.53/2.66/0/0 qwen.qwen3-vl-235b-a22b
128000 16384 r - 0.18/0.72/0/0 us-gov.openai.gpt-oss-120b-1:0
128000 16384 r - 0.084/0.36/0/0 us-gov.openai.gpt-oss-20b-1:0
1000000 10000 - - 2.5/12.5/0.625/2.5 us.amazon.nova-premier-v1:0
1000000 128000 r off=,xhigh=xhigh,max=max 11/55/0.275/13.75 us.anthropic.claude-fable-5-1
1000000 128000 r off=,xhigh=xhigh,max=max 8.8/44/0.22/11 us.anthropic.claude-fable-5-2
1048576 128000 r - 3.3/16.5/0.33/4.125 us.moonshotai.kimi-k3
1048576 1048576 r - 4.4/22/0.22/5.5 us.moonshotai.kimi-k3.1
122880 8192 r - 2.5/10/0/0 us.writer.palmyra-x4-v1:0 writer.palmyra-x4-v1:0
1040000 8192 r - 0.6/6/0/0 us.writer.palmyra-x5-v1:0 writer.palmyra-x5-v1:0
500000 500000 r - 2.2/6.6/0.55/0 us.xai.grok-4.6 us.xai.grok-4.7 xai.grok-4.6
1000000 128000 r - 1.848/5.808/0.3432/2.31 us.zai.glm-5.3
1000000 131072 r - 1.25/2.5/0.2/0 xai.grok-4.3
202752 131072 r - 0.6/2.2/0/0 zai.glm-4.7
202752 131072 r - 0.07/0.4/0/0 zai.glm-4.7-flash
202752 131072 r - 1/3.2/0/0 zai.glm-5
`,
  'ant-ling': `
262144 65536 - - 0.06/0.25/0/0 Ling-2.6-1T
262144 65536 - - 0.01/0.02/0/0 Ling-2.6-flash
262144 65536 r off=,minimal=,low=,medium=,high=high,xhigh=xhigh 0.06/0.25/0/0 Ring-2.6-1T
`,
  azure: `
400000 128000 r - 5/30/0.5/0 chat-latest
8192 8192 - - 30/60/0/0 gpt-4
128000 4096 - - 10/30/0/0 gpt-4-turbo
1047576 32768 - - 2/8/0.5/0 gpt-4.1
1047576 32768 - - 0.4/1.6/0.1/0 gpt-4.1-mini
1047576 32768 - - 0.1/0.4/0.025/0 gpt-4.1-nano
128000 16384 - - 2.5/10/1.25/0 gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20
128000 4096 - - 5/15/0/0 gpt-4o-2024-05-13
128000 16384 - - 0.15/0.6/0.075/0 gpt-4o-mini
400000 128000 r off= 1.25/10/0.125/0 gpt-5 gpt-5.1
128000 16384 - off= 1.25/10/0.125/0 gpt-5-chat-latest
400000 128000 r off= 0.25/2/0.025/0 gpt-5-mini
400000 128000 r off= 0.05/0.4/0.005/0 gpt-5-nano
400000 128000 r off= 15/120/0/0 gpt-5-pro
400000 128000 r off=,xhigh=xhigh 1.75/14/0.175/0 gpt-5.2 gpt-5.3-codex
400000 128000 r off=,xhigh=xhigh 21/168/0/0 gpt-5.2-pro
128000 32000 r off=,xhigh=xhigh 1.75/14/0.175/0 gpt-5.3-codex-spark
1050000 128000 r off=,xhigh=xhigh 2.5/15/0.25/0,272000:5/22.5/0.5/0 gpt-5.4
400000 128000 r off=,xhigh=xhigh 0.75/4.5/0.075/0 gpt-5.4-mini
400000 128000 r off=,xhigh=xhigh 0.2/1.25/0.02/0 gpt-5.4-nano
1050000 128000 r off=,xhigh=xhigh 30/180/0/0,272000:60/270/0/0 gpt-5.4-pro
1050000 128000 r off=,xhigh=xhigh 5/30/0.5/0,272000:10/45/1/0 gpt-5.5
1050000 128000 r off=,xhigh=xhigh,minimal=,low= 30/180/0/0,272000:60/270/0/0 gpt-5.5-pro
400000 128000 r off=,xhigh=xhigh,max=max 12.5/75/1.25/15.625 gpt-5.6-cyber
1050000 128000 r off=,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
1050000 128000 r off=,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
1050000 128000 r off=,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
1050000 128000 r - 4/20/0.4/5,272000:8/30/0.8/10 gpt-daybreak-blue-latest
400000 128000 r - 12.5/75/1.25/15.625 gpt-daybreak-red-latest
200000 100000 r - 15/60/7.5/0 o1
200000 100000 r - 150/600/0/0 o1-pro
200000 100000 r - 2/8/0.5/0 o3
200000 100000 r - 1.1/4.4/0.55/0 o3-mini
200000 100000 r - 20/80/0/0 o3-pro
200000 100000 r - 1.1/4.4/0.275/0 o4-mini
1000000 384000 r minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.925/3.828/0.165/0 deepseek-v4-pro
`,
  baseten: `
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.13/0.26/0.028/0 deepseek-ai/DeepSeek-V4-Flash-0731
1048576 262144 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.32/3.96/0.132/0 deepseek-ai/DeepSeek-V4-Pro-0813
1048576 32768 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 0.3/1.2/0.007/0 deepseek-ai/DeepSeek-V4.1-Flash
1048576 262144 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 0.3/1.2/0.007/0 deepseek-ai/DeepSeek-V4.1-Flash-1017
1048576 262144 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 0.6/2.4/0.014/0 deepseek-ai/DeepSeek-V4.1-Flash-1017-Fast
1048576 32768 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 0.6/2.4/0.014/0 deepseek-ai/DeepSeek-V4.1-Flash-Fast
1048576 262144 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 moonshotai/Kimi-K3
1000000 262144 r - 2/10/0.2/0 moonshotai/Kimi-K3.1-Pro
202800 202800 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.6/2.4/0.12/0 nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B
128072 128072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.1/0 openai/gpt-oss-120b
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.14/0 zai-org/GLM-5.2
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 2.1/6.6/0.21/0 zai-org/GLM-5.2-Fast
1048576 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.14/0 zai-org/GLM-5.3
1048576 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.1/6.6/0.21/0 zai-org/GLM-5.3-Fast
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 zai-org/GLM-5.3-Flash
`,
  cerebras: `
131072 40960 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.35/0.75/0.35/0 gpt-oss-120b
131072 40960 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.99/1.49/0.99/0 qwen-3.8-27b
`,
  'cloudflare-ai-gateway': `
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/1/12.5 claude-fable-5
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/0.25/12.5 claude-fable-5-1
200000 64000 r - 1/5/0.1/1.25 claude-haiku-4-5
1000000 128000 ra xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5-5
200000 64000 r - 5/25/0.5/6.25 claude-opus-4-5
1000000 128000 ra max=max 5/25/0.5/6.25 claude-opus-4-6
1000000 128000 ra xhigh=xhigh,max=max 5/25/0.5/6.25 claude-opus-4-7 claude-opus-4-8 claude-opus-5
1000000 128000 ra xhigh=xhigh,max=max 4/20/0.2/5 claude-opus-5-5
200000 64000 r - 3/15/0.3/3.75 claude-sonnet-4-5
1000000 128000 ra max=max 3/15/0.3/3.75 claude-sonnet-4-6
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.2/2.5 claude-sonnet-5
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.1/2.5 claude-sonnet-5-5
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 0.44/1.32/0.014/0 workers-ai/@cf/deepseek-ai/deepseek-v4-flash-0731
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 1.32/3.96/0.044/0 workers-ai/@cf/deepseek-ai/deepseek-v4-pro-0813
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 0.3/1.2/0.006/0 workers-ai/@cf/deepseek-ai/deepseek-v4.1-flash-1017
256000 16384 r - 0.1/0.3/0.05/0 workers-ai/@cf/google/gemma-4-26b-a4b-it
131000 131000 - - 0.017/0.112/0/0 workers-ai/@cf/ibm-granite/granite-4.0-h-micro
24000 24000 - - 0.293/2.253/0/0 workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast
131000 16384 - - 0.27/0.85/0/0 workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct
128000 128000 - - 0.351/0.555/0/0 workers-ai/@cf/mistralai/mistral-small-3.1-24b-instruct
262144 256000 r - 0.95/4/0.16/0 workers-ai/@cf/moonshotai/kimi-k2.6
262144 262144 r - 0.95/4/0.19/0 workers-ai/@cf/moonshotai/kimi-k2.7-code
256000 256000 r - 0.5/1.5/0/0 workers-ai/@cf/nvidia/nemotron-3-120b-a12b
128000 16384 r - 0.35/0.75/0/0 workers-ai/@cf/openai/gpt-oss-120b
128000 16384 r - 0.2/0.3/0/0 workers-ai/@cf/openai/gpt-oss-20b
32768 32768 r - 0.0509/0.335/0/0 workers-ai/@cf/qwen/qwen3-30b-a3b-fp8
262144 262144 r - 0.45/3.2/0.05/0 workers-ai/@cf/qwen/qwen3.8-27b
131072 131072 r - 0.0605/0.4/0/0 workers-ai/@cf/zai-org/glm-4.7-flash
262144 256000 r - 1.4/4.4/0.26/0 workers-ai/@cf/zai-org/glm-5.2
1048576 1048576 r - 1.4/4.4/0.26/0 workers-ai/@cf/zai-org/glm-5.3
1048576 1048576 r - 0.15/0.5/0.03/0 workers-ai/@cf/zai-org/glm-5.3-flash
1047576 32768 - - 2/8/0.5/0 gpt-4.1
1047576 32768 - - 0.4/1.6/0.1/0 gpt-4.1-mini
1000000 32768 - - 0.1/0.4/0.025/0 gpt-4.1-nano
128000 16384 - - 1.25/5/0.625/0 gpt-4o
128000 16384 - - 0.075/0.3/0.0375/0 gpt-4o-mini
128000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 gpt-5
128000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0.025/0 gpt-5-mini
128000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.05/0.4/0.005/0 gpt-5-nano
128000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 gpt-5.1
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2.5/15/0.25/0 gpt-5.4
128000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.75/4.5/0.075/0 gpt-5.4-mini
128000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.2/1.25/0.02/0 gpt-5.4-nano
1000000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 30/180/0/0 gpt-5.4-pro gpt-5.5-pro
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 5/30/0/0 gpt-5.5
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/8/0.5/0 o3
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.1/4.4/0.55/0 o3-mini
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.1/4.4/0.275/0 o4-mini
`,
  'cloudflare-workers-ai': `
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 0.44/1.32/0.014/0 @cf/deepseek-ai/deepseek-v4-flash-0731
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 1.32/3.96/0.044/0 @cf/deepseek-ai/deepseek-v4-pro-0813
1048576 1048576 r minimal=,low=,medium=,high=high,max=max 0.3/1.2/0.006/0 @cf/deepseek-ai/deepseek-v4.1-flash-1017
256000 16384 r - 0.1/0.3/0.05/0 @cf/google/gemma-4-26b-a4b-it
131000 131000 - - 0.017/0.112/0/0 @cf/ibm-granite/granite-4.0-h-micro
24000 24000 - - 0.293/2.253/0/0 @cf/meta/llama-3.3-70b-instruct-fp8-fast
131000 16384 - - 0.27/0.85/0/0 @cf/meta/llama-4-scout-17b-16e-instruct
128000 128000 - - 0.351/0.555/0/0 @cf/mistralai/mistral-small-3.1-24b-instruct
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.95/4/0.16/0 @cf/moonshotai/kimi-k2.6
262144 262144 r - 0.95/4/0.19/0 @cf/moonshotai/kimi-k2.7-code
256000 256000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max= 0.5/1.5/0/0 @cf/nvidia/nemotron-3-120b-a12b
128000 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.35/0.75/0/0 @cf/openai/gpt-oss-120b
128000 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.2/0.3/0/0 @cf/openai/gpt-oss-20b
32768 32768 r - 0.0509/0.335/0/0 @cf/qwen/qwen3-30b-a3b-fp8
262144 262144 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 0.45/3.2/0.05/0 @cf/qwen/qwen3.8-27b
131072 131072 r - 0.0605/0.4/0/0 @cf/zai-org/glm-4.7-flash
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 @cf/zai-org/glm-5.2
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 @cf/zai-org/glm-5.3
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 @cf/zai-org/glm-5.3-flash
`,
  fireworks: `
1000000 384000 ra off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.3/1.2/0.006/0 accounts/fireworks/models/deepseek-v4p1-flash accounts/fireworks/models/deepseek-v4p1-flash-1017 accounts/fireworks/routers/deepseek-flash-latest
1048576 131072 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 3/15/0.3/0 accounts/fireworks/models/ember-1 accounts/fireworks/routers/kimi-latest
512000 512000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.3/1.2/0.06/0 accounts/fireworks/models/minimax-m3 accounts/fireworks/routers/minimax-latest
1000000 512000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.015/0 accounts/fireworks/models/minimax-m3p1-flash
1048576 131072 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/4.25/0.15/0 accounts/fireworks/models/muse-spark-open
262144 131072 ra off=none,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 2/6/0.25/0 accounts/fireworks/models/qwen3p8-2p4t-a95b accounts/fireworks/models/qwen3p8-max accounts/fireworks/routers/qwen-max-latest
1000000 384000 ra off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.21/0.84/0.0042/0 accounts/fireworks/routers/deepseek-v4p1-flash-1017-spot accounts/fireworks/routers/deepseek-v4p1-flash-spot
1000000 384000 ra off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.4/9.6/0.048/0 accounts/fireworks/routers/deepseek-v4p1-flash-1017-ultrafast
1048576 131072 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 4.5/22.5/0.45/0 accounts/fireworks/routers/kimi-fast-latest
1048573 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 accounts/fireworks/models/glm-5p3 accounts/fireworks/routers/glm-latest
1048573 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 accounts/fireworks/models/glm-5p3-flash accounts/fireworks/routers/glm-flash-latest
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 accounts/fireworks/models/kimi-k3
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/0 accounts/fireworks/models/kimi-k3p1-pro
1048572 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.1/6.6/0.39/0 accounts/fireworks/routers/glm-5p3-fast accounts/fireworks/routers/glm-fast-latest
1048573 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.98/3.08/0.182/0 accounts/fireworks/routers/glm-5p3-spot
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 4.5/22.5/0.45/0 accounts/fireworks/routers/kimi-k3-fast
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.1/10.5/0.21/0 accounts/fireworks/routers/kimi-k3-spot
`,
  'github-copilot': `
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/1/12.5 claude-fable-5
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/0.25/12.5 claude-fable-5.1
200000 64000 r - 1/5/0.1/1.25 claude-haiku-4.5
1000000 128000 ra xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5.5
1000000 64000 ra xhigh=xhigh,max=max,minimal=low 5/25/0.5/6.25 claude-opus-4.8 claude-opus-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/5 claude-opus-5.5
1000000 32000 ra max=max,minimal=low 3/15/0.3/3.75 claude-sonnet-4.6
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.2/2.5 claude-sonnet-5
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.1/2.5 claude-sonnet-5.5
1000000 64000 r - 0.75/3.75/0.075/0 gemini-3.8-flash
1048576 65536 r - 2/10/0.1/0 gemini-4-argon
1048576 131072 r - 3/15/0.3/0 kimi-k3
1000000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 gpt-5.3-codex
400000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.2/1.25/0.02/0 gpt-5.4-nano
1050000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,200000:0.4/1.8/0.04/0.5 gpt-5.6-luna
1050000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
1050000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
500000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.5
500000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.6 grok-4.7
256000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.2/1.2/0.02/0 mai-code-1.1-flash
`,
  'google-vertex': `
1048576 65536 r - 0.3/2.5/0.03/0 gemini-2.5-flash
1048576 65536 r - 0.1/0.4/0.01/0 gemini-2.5-flash-lite
1048576 65536 r - 1.25/10/0.125/0 gemini-2.5-pro
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.5/3/0.05/0 gemini-3-flash-preview
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/1.5/0.025/0 gemini-3.1-flash-lite
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/12/0.2/0 gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.5/9/0.15/0 gemini-3.5-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.3/2.5/0.03/0 gemini-3.5-flash-lite
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.6-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.7-flash gemini-3.8-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0 gemini-4-argon
`,
  groq: `
131072 131072 - - 0.05/0.08/0/0 llama-3.1-8b-instant
131072 32768 - - 0.59/0.79/0/0 llama-3.3-70b-versatile
131072 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.15/0.6/0.075/0 openai/gpt-oss-120b
131072 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.075/0.3/0.0375/0 openai/gpt-oss-20b openai/gpt-oss-safeguard-20b
131072 16384 r off=none,minimal=,low=,medium=,high=default,xhigh=,max= 0.6/3/0.3/0 qwen/qwen3.6-27b
131072 16384 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.8/4/0/0 qwen/qwen3.8-27b
`,
  huggingface: `
64000 32768 r - 0.7/2.5/0/0 deepseek-ai/DeepSeek-R1
163840 32768 r - 3/5/0/0 deepseek-ai/DeepSeek-R1-0528
64000 8192 - - 0.4/1.3/0/0 deepseek-ai/DeepSeek-V3
163840 163840 - - 0.27/1.12/0/0 deepseek-ai/DeepSeek-V3-0324
131072 8192 r - 0.27/1/0/0 deepseek-ai/DeepSeek-V3.1
163840 65536 r - 0.28/0.4/0/0 deepseek-ai/DeepSeek-V3.2
1048576 384000 r - 0.14/0.28/0/0 deepseek-ai/DeepSeek-V4-Flash
1048576 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max 0.14/0.28/0/0 deepseek-ai/DeepSeek-V4-Flash-0731
1048576 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.44/1.32/0/0 deepseek-ai/DeepSeek-V4-Flash-Vision-Exp
1048576 393216 r off=,minimal=,low=,medium=,high=high,xhigh=,max= 0.435/0.87/0.003625/0 deepseek-ai/DeepSeek-V4-Pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.32/3.96/0/0 deepseek-ai/DeepSeek-V4-Pro-0813
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=xhigh,max=max 0.3/1.2/0/0 deepseek-ai/DeepSeek-V4.1-Flash
1048576 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.3/1.2/0/0 deepseek-ai/DeepSeek-V4.1-Flash-1017
131072 131072 - - 0.05/0.15/0/0 google/gemma-3-12b-it
131072 131072 - - 0.08/0.16/0/0 google/gemma-3-27b-it
131072 131072 - - 0.05/0.1/0/0 google/gemma-3-4b-it
262144 32768 r - 0.13/0.4/0/0 google/gemma-4-26B-A4B-it
262144 32768 r - 0.14/0.4/0/0 google/gemma-4-31B-it
131072 4096 - - 0.06/0.06/0/0 meta-llama/Llama-3.1-8B-Instruct
131072 4096 - - 0.59/0.79/0/0 meta-llama/Llama-3.3-70B-Instruct
1000000 80000 r - 0.55/2.2/0/0 MiniMaxAI/MiniMax-M1-80k
204800 131072 r - 0.3/1.2/0/0 MiniMaxAI/MiniMax-M2 MiniMaxAI/MiniMax-M2.1
204800 131072 r - 0.3/1.2/0.03/0 MiniMaxAI/MiniMax-M2.5
204800 131072 r - 0.3/1.2/0.06/0 MiniMaxAI/MiniMax-M2.7
524288 512000 r - 0.3/1.2/0/0 MiniMaxAI/MiniMax-M3
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0/0 MiniMaxAI/MiniMax-M3.1-Flash
131072 16384 - - 1/3/0/0 moonshotai/Kimi-K2-Instruct
262144 16384 - - 1/3/0/0 moonshotai/Kimi-K2-Instruct-0905
262144 262144 r - 0.6/2.5/0.15/0 moonshotai/Kimi-K2-Thinking
262144 262144 r - 0.6/3/0.1/0 moonshotai/Kimi-K2.5
262144 262144 r - 0.95/4/0.16/0 moonshotai/Kimi-K2.6
262144 262144 r - 0.95/4/0/0 moonshotai/Kimi-K2.7-Code
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0/0 moonshotai/Kimi-K3
131072 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.25/0.69/0/0 openai/gpt-oss-120b
131072 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.1/0.5/0/0 openai/gpt-oss-20b
131072 8192 - - 0.06/0.2/0/0 Qwen/Qwen2.5-Coder-32B-Instruct
40960 16384 r - 0.2/0.8/0/0 Qwen/Qwen3-235B-A22B
262144 16384 - - 0.855/2.565/0/0 Qwen/Qwen3-235B-A22B-Instruct-2507
262144 81920 r - 0.3/3/0/0 Qwen/Qwen3-235B-A22B-Thinking-2507
40960 16384 r - 0.12/0.5/0/0 Qwen/Qwen3-30B-A3B
131072 16384 r - 0.29/0.59/0/0 Qwen/Qwen3-32B
40960 32768 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.07/0.18/0/0 Qwen/Qwen3-8B
262144 65536 - - 0.07/0.26/0/0 Qwen/Qwen3-Coder-30B-A3B-Instruct
262144 65536 - - 2/2/0/0 Qwen/Qwen3-Coder-480B-A35B-Instruct
262144 65536 - - 0.2/1.5/0/0 Qwen/Qwen3-Coder-Next
262144 32768 - - 0.25/1/0/0 Qwen/Qwen3-Next-80B-A3B-Instruct
131072 32768 - - 0.3/1.5/0/0 Qwen/Qwen3-VL-235B-A22B-Instruct
131072 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.98/3.95/0/0 Qwen/Qwen3-VL-235B-A22B-Thinking
131072 32768 - - 0.2/0.7/0/0 Qwen/Qwen3-VL-30B-A3B-Instruct
262144 65536 r - 0.4/3.2/0/0 Qwen/Qwen3.5-122B-A10B
262144 65536 r - 0.3/2.4/0/0 Qwen/Qwen3.5-27B
262144 65536 r - 0.25/2/0/0 Qwen/Qwen3.5-35B-A3B
262144 32768 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.6/3.6/0/0 Qwen/Qwen3.5-397B-A17B
262144 65536 r - 0.17/0.25/0/0 Qwen/Qwen3.5-9B
262144 65536 r - 0.47/3.19/0/0 Qwen/Qwen3.6-27B
262144 65536 r - 0.15/0.95/0/0 Qwen/Qwen3.6-35B-A3B
262144 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 2.5/6.25/0/0 Qwen/Qwen3.8-2.4T-A95B
262144 32768 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 0.4/3/0/0 Qwen/Qwen3.8-27B
262144 256000 r - 0.1/0.3/0/0 stepfun-ai/Step-3.5-Flash
262144 256000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.2/1.15/0/0 stepfun-ai/Step-3.7-Flash
262144 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.14/0.58/0/0 tencent/Hy3
1000000 64000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.834/2.501/0/0 tencent/Hy4-preview
1048576 1048576 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/4.05/0/0 thinkingmachines/Inkling
524288 1048576 r - 0.5/1.2/0/0 thinkingmachines/Inkling-Small
262144 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.4/2/0/0 XiaomiMiMo/MiMo-V2.5
1048576 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1/3/0/0 XiaomiMiMo/MiMo-V2.5-Pro
131072 98304 r - 0.13/0.85/0/0 zai-org/GLM-4.5-Air
65536 16384 r - 0.6/1.8/0/0 zai-org/GLM-4.5V
204800 131072 r - 0.55/2.2/0/0 zai-org/GLM-4.6
131072 32768 r - 0.3/0.9/0/0 zai-org/GLM-4.6V-Flash
204800 131072 r - 0.6/2.2/0.11/0 zai-org/GLM-4.7
200000 128000 r - - zai-org/GLM-4.7-Flash
202752 131072 r - 1/3.2/0.2/0 zai-org/GLM-5 zai-org/GLM-5.1
262144 131072 r - 1.4/4.4/0/0 zai-org/GLM-5.2
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0/0 zai-org/GLM-5.3
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0/0 zai-org/GLM-5.3-Flash
`,
  'kimi-coding': `
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 k3
262144 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 k3-256k
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/0 k3.1-pro
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 4/20/0.2/0 k3.1-pro-highspeed
1048576 32768 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.95/4/0.19/0 kimi-for-coding
262144 32768 r off= 1.9/8/0.38/0 kimi-for-coding-highspeed
`,
  'minimax-cn': `
204800 131072 r - 0.3137/1.2549/0.0627/0.3922 MiniMax-M2.7
204800 131072 r - 0.6275/2.5098/0.0627/0.3922 MiniMax-M2.7-highspeed
1000000 524288 r - 0.3137/1.2549/0.0627/0,512000:0.6275/2.5098/0.1255/0 MiniMax-M3
1000000 524288 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1494/0.5976/0.0149/0 MiniMax-M3.1-Flash
`,
  'moonshotai-cn': `
262144 262144 r - 0.9711/4.0337/0.1643/0 kimi-k2.6
262144 262144 r off= 0.9711/4.0337/0.1942/0 kimi-k2.7-code
262144 262144 r off= 1.9421/8.0673/0.3884/0 kimi-k2.7-code-highspeed
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 kimi-k3
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.9437/10.1671/0.1944/0 kimi-k3.1-pro
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3.8874/20.3342/0.1944/0 kimi-k3.1-pro-highspeed
`,
  'openai-codex': `
272000 128000 r xhigh=xhigh,max=max,minimal=low 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
272000 128000 r xhigh=xhigh,max=max,minimal=low 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
272000 128000 r xhigh=xhigh,max=max,minimal=low 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
272000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
272000 128000 r off=none,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
272000 128000 r off=none,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
500000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
500000 128000 r off=none,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
`,
  opencode: `
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/1/12.5 claude-fable-5
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/0.25/12.5 claude-fable-5-1
1000000 128000 ra off=,xhigh=xhigh,max=max 8/40/0.2/10 claude-fable-5-2
200000 64000 r - 1/5/0.1/1.25 claude-haiku-4-5
1000000 128000 ra xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5-5
200000 64000 r - 5/25/0.5/6.25 claude-opus-4-5
1000000 128000 ra max=max 5/25/0.5/6.25 claude-opus-4-6
1000000 128000 ra xhigh=xhigh,max=max 5/25/0.5/6.25 claude-opus-4-7 claude-opus-4-8 claude-opus-5
1000000 128000 ra xhigh=xhigh,max=max,off= 4/20/0.2/5 claude-opus-5-5
200000 64000 r - 3/15/0.3/3.75,200000:6/22.5/0.6/7.5 claude-sonnet-4-5
1000000 64000 ra max=max 3/15/0.3/3.75 claude-sonnet-4-6
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.2/2.5 claude-sonnet-5
1000000 128000 ra xhigh=xhigh,max=max,off= 2/10/0.1/2.5 claude-sonnet-5-5
262144 65536 r - 0.2/1.2/0.02/0.25 qwen3.5-plus
262144 65536 r - 0.5/3/0.05/0.625 qwen3.6-plus
1000000 131072 r - 0.15/0.47/0.016/0.2 qwen3.8-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.5/3/0.05/0 gemini-3-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/12/0.2/0,200000:4/18/0.4/0 gemini-3.1-pro
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.5/9/0.15/0 gemini-3.5-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.3/2.5/0.03/0 gemini-3.5-flash-lite
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.6-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.7-flash gemini-3.8-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0 gemini-4-argon
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max - beam-free
200000 32000 r - - big-pickle mimo-v2.6-flash-free
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max 1.74/3.48/0.145/0 deepseek-v4-pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.3/1.2/0.006/0 deepseek-v4.1-flash
200000 32000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - deepseek-v4.1-flash-free glm-5.3-flash-free
262144 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max - flint-40b-free
204800 131072 r - 1/3.2/0.2/0 glm-5
204800 131072 r - 1.4/4.4/0.26/0 glm-5.1
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.3
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 glm-5.3-flash
262144 131072 r - - iceman-free
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max - inkling-2-small-free
262144 65536 r - 0.6/3/0.1/0 kimi-k2.5
262144 65536 r - 0.95/4/0.16/0 kimi-k2.6
262144 262144 r - 0.95/4/0.19/0 kimi-k2.7-code
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/3 kimi-k3
1000000 262144 r - - longcat-2.5-free
204800 131072 r - 0.3/1.2/0.06/0 minimax-m2.5 minimax-m2.7
512000 128000 r - 0.3/1.2/0.06/0 minimax-m3
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max - minimax-m3.1-flash-free
524288 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.68/2.09/0.07/0 mistral-large-4
262144 262144 r - - nemotron-3.5-lightning-free
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= - nemotron-3.5-super-vl-free
262144 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 2/6/0.25/2.5 qwen3.8-max
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.07/8.5/0.107/0 gpt-5
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.07/8.5/0.107/0 gpt-5-codex gpt-5.1 gpt-5.1-codex
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.05/0.4/0.005/0 gpt-5-nano
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/10/0.125/0 gpt-5.1-codex-max
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0.025/0 gpt-5.1-codex-mini
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 gpt-5.2 gpt-5.2-codex gpt-5.3-codex
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2.5/15/0.25/0,272000:5/22.5/0.5/0 gpt-5.4
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.75/4.5/0.075/0 gpt-5.4-mini
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.2/1.25/0.02/0 gpt-5.4-nano
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 30/180/30/0 gpt-5.4-pro gpt-5.5-pro
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 5/30/0.5/0,272000:10/45/1/0 gpt-5.5
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/6/0.3/0,200000:4/12/0.6/0 grok-4.5
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.6 grok-4.7
256000 256000 r off=,minimal=,low=,medium= 1/2/0.2/0 grok-build-0.1
1048576 270000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.004/0 muse-ember-1.0
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/4.25/0.15/0 muse-spark-1.2 muse-spark-1.3
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/0 muse-wonder-1.0
`,
  'opencode-go': `
1000000 128000 ra xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5-5
1000000 131072 r - 0.3/1.2/0.06/0,512000:0.6/2.4/0.12/0 minimax-m3
1000000 65536 r - 0.4/1.6/0.04/0.5,256000:1.2/4.8/0.12/1.5 qwen3.7-plus
1000000 131072 r - 0.15/0.47/0.016/0.2 qwen3.8-flash
1000000 131072 r - 2/6/0.25/2.5 qwen3.8-max
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0 gemini-4-argon
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max - beam-free
1000000 384000 r minimal=,low=,medium=,high=high,max=max 0.66/1.98/0.022/0 deepseek-v4-pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.6/0.003/0 deepseek-v4.1-flash
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.3
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 glm-5.3-flash
256000 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.14/0.58/0.035/0 hy3
1048576 65536 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.834/2.501/0.042/0 hy4
1024000 64000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.834/2.501/0.042/0 hy4-preview
262144 131072 r - - iceman-contributor-free
262144 262144 r - 0.95/4/0.19/0 kimi-k2.7-code
1048576 131072 r off=,minimal=,low=,medium=,high=,xhigh=,max=max 3/15/0.3/3 kimi-k3
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/2 kimi-k3.1-pro
1000000 131072 r - 0.3/1.2/0.006/0 longcat-2.0
1000000 262144 r - - longcat-2.5-free
1000000 128000 r - 0.14/0.28/0.0028/0 mimo-v2.5
1048576 128000 r - 0.435/0.87/0.003625/0 mimo-v2.5-pro
1048576 131072 r - 0.14/0.28/0.0028/0 mimo-v2.6-flash
1048576 131072 r - 0.435/0.87/0.003625/0 mimo-v2.6-pro
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.015/0 minimax-m3.1-flash
1000000 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/2.7/0.1/0 step-5-preview
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.7
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.1/0.2/0.002/0 muse-spark-1.2-contributor muse-spark-1.3-contributor
`,
  openrouter: `
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 8/40/0.2/10 ~anthropic/claude-fable-latest anthropic/claude-fable-5.2
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 ~anthropic/claude-haiku-latest anthropic/claude-haiku-5.5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/5 ~anthropic/claude-opus-latest anthropic/claude-opus-5.5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5 ~anthropic/claude-sonnet-latest anthropic/claude-sonnet-5.5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5 anthropic/claude-fable-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/0.25/12.5 anthropic/claude-fable-5.1
200000 64000 r - 1/5/0.1/1.25 anthropic/claude-haiku-4.5
200000 32000 r - 15/75/1.5/18.75 anthropic/claude-opus-4.1
200000 64000 r - 5/25/0.5/6.25 anthropic/claude-opus-4.5
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 5/25/0.5/6.25 anthropic/claude-opus-4.6
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 5/25/0.5/6.25 anthropic/claude-opus-4.7 anthropic/claude-opus-4.8 anthropic/claude-opus-5
1000000 64000 r - 3/15/0.3/3.75,200000:6/22.5/0.6/7.5 anthropic/claude-sonnet-4.5
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 3/15/0.3/3.75 anthropic/claude-sonnet-4.6
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5 anthropic/claude-sonnet-5
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.006/0.5/0.005/0 ~deepseek/deepseek-flash-latest deepseek/deepseek-v4.1-flash deepseek/deepseek-v4.1-flash-1017
1048576 393216 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.0999/8/0.0999/0 ~deepseek/deepseek-pro-latest
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.0434/0.3/0.035/0 ~deepseek/deepseek-v4-flash-latest deepseek/deepseek-v4-flash-0731
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0.041667 ~google/gemini-flash-latest google/gemini-3.7-flash
1048576 943718 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0.1875 ~google/gemini-pro-latest google/gemini-4-argon
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.1824/9.3388/0.18/0 ~moonshotai/kimi-latest
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 ~openai/gpt-astra-latest openai/gpt-6-astra openai/gpt-6-astra-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 ~openai/gpt-luna-latest openai/gpt-6-luna openai/gpt-6-luna-pro
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.75/4.5/0.075/0 ~openai/gpt-mini-latest openai/gpt-5.4-mini
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 ~openai/gpt-sol-latest openai/gpt-6.1-sol openai/gpt-6.1-sol-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 ~openai/gpt-terra-latest openai/gpt-6.1-terra
1048576 131072 - - 0.8/3.2/0.03/0 ~unbiased/pareto-latest unbiased/pareto-26.10
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 ~x-ai/grok-latest x-ai/grok-4.6 x-ai/grok-4.7
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.0399/0.0784/0.03/0 ~z-ai/glm-flash-latest
1048576 943718 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.0699/1.4/0.0689/0 ~z-ai/glm-latest z-ai/glm-5.3
131072 32768 r off= 0.8/1.6/0.2/0 aion-labs/aion-2.0
131072 32768 r off= 3/6/0.75/0 aion-labs/aion-3.0
131072 32768 r off= 0.7/1.4/0.18/0 aion-labs/aion-3.0-mini
262144 32768 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/6/0.75/0 aion-labs/aion-3.5
262144 32768 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.7/1.4/0.18/0 aion-labs/aion-3.5-mini
1000000 65535 r - 0.3/2.5/0/0 amazon/nova-2-lite-v1
300000 5120 - - 0.06/0.24/0/0 amazon/nova-lite-v1
128000 5120 - - 0.035/0.14/0/0 amazon/nova-micro-v1
1000000 32000 - - 2.5/12.5/0.625/0 amazon/nova-premier-v1
300000 5120 - - 0.8/3.2/0/0 amazon/nova-pro-v1
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 5/25/0.5/6.25 anthropic/claude-fable-5:batch
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 5/25/0.125/6.25 anthropic/claude-fable-5.1:batch
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.1/5 anthropic/claude-fable-5.2:batch
200000 64000 r - 0.5/2.5/0.05/0.625 anthropic/claude-haiku-4.5:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.05/0.25/0.005/0.0625,100000:0.25/1.25/0.025/0.3125 anthropic/claude-haiku-5.5:batch
200000 32000 r - 7.5/37.5/0.75/9.375 anthropic/claude-opus-4.1:batch
200000 64000 r - 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.5:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.6:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.7:batch anthropic/claude-opus-4.8:batch anthropic/claude-opus-5:batch
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5 anthropic/claude-opus-5.5:batch
1000000 64000 r - 1.5/7.5/0.15/1.875,200000:3/11.25/0.3/3.75 anthropic/claude-sonnet-4.5:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max 1.5/7.5/0.15/1.875 anthropic/claude-sonnet-4.6:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.1/1.25 anthropic/claude-sonnet-5:batch
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25 anthropic/claude-sonnet-5.5:batch
2000000 30000 r - - auto
262144 32768 r - 0.25/2/0/0,128000:0.5/4/0/0 bytedance-seed/seed-1.6
262144 32768 r - 0.075/0.3/0/0,128000:0.1/0.8/0/0 bytedance-seed/seed-1.6-flash
262144 235929 r - 0.5/2.5/0/0 bytedance-seed/seed-2-1-turbo
262144 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.5/3/0/0,128000:1/6/0/0 bytedance-seed/seed-2.0-code
262144 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0/0,128000:0.5/4/0/0 bytedance-seed/seed-2.0-lite
262144 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.1/0.4/0/0,128000:0.2/0.8/0/0 bytedance-seed/seed-2.0-mini
256000 8192 - - 2.5/10/0/0 cohere/command-a
192000 64000 r - 0.3/1.5/0.15/0 cohere/command-a-plus
128000 4000 - - 0.15/0.6/0/0 cohere/command-r-08-2024
128000 4000 - - 2.5/10/0/0 cohere/command-r-plus-08-2024
128000 4000 - - 0.0375/0.15/0/0 cohere/command-r7b-12-2024
256000 64000 r - - cohere/north-mini-code:free
163840 16384 - - 0.32/0.89/0/0 deepseek/deepseek-chat
128000 115200 - - 0.29/1.14/0.11/0 deepseek/deepseek-chat-v3-0324
163840 147456 r - 0.25/0.95/0.13/0 deepseek/deepseek-chat-v3.1
163840 32768 r off= 0.5/2.15/0.35/0 deepseek/deepseek-r1-0528
163840 147456 r - 0.27/1/0/0 deepseek/deepseek-v3.1-terminus
163840 147456 r - 0.26/0.38/0.13/0 deepseek/deepseek-v3.2
163840 147456 r - 0.27/0.41/0/0 deepseek/deepseek-v3.2-exp
1048575 943717 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= 0.091/0.182/0.0182/0 deepseek/deepseek-v4-flash
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.048/0.144/0.012/0 deepseek/deepseek-v4-flash-0731:batch
1048575 943717 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.44/1.32/0.014/0 deepseek/deepseek-v4-flash-vision-exp
1024000 384000 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= 0.95526/1.91052/0.079605/0 deepseek/deepseek-v4-pro
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.111/4.44/0.097/0 deepseek/deepseek-v4-pro-0813
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.011/0.2/0.002/0 deepseek/deepseek-v4.1-flash-1017:batch
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.112/0.336/0.00336/0 deepseek/deepseek-v4.1-flash:batch
512000 460800 r - - dots-studio/dots-3-note-preview:free
262144 256000 r - 0.6/3/0.06/0 elorian/glimpse
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 fireworks/ember-1
1048576 65535 r - 0.3/2.5/0.03/0.083333 google/gemini-2.5-flash
1048576 65535 r - 0.1/0.4/0.01/0.083333 google/gemini-2.5-flash-lite
1048576 65536 r off= 1.25/10/0.125/0.375,200000:2.5/15/0.25/0.375 google/gemini-2.5-pro google/gemini-2.5-pro-preview
1048576 65536 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.5/3/0.05/0.083333 google/gemini-3-flash-preview
1048576 65536 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/1.5/0/0 google/gemini-3-flash-preview:batch
65536 32768 r off= 2/12/0.2/0.375 google/gemini-3-pro-image
1048576 65536 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/1.5/0.025/0.083333 google/gemini-3.1-flash-lite google/gemini-3.1-flash-lite-preview
1048576 65536 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.125/0.75/0.0125/0 google/gemini-3.1-flash-lite:batch
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/12/0.2/0.375,200000:4/18/0.4/0.375 google/gemini-3.1-pro-preview google/gemini-3.1-pro-preview-customtools
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/6/0/0,200000:2/9/0/0 google/gemini-3.1-pro-preview:batch
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.5/9/0.15/0.083333 google/gemini-3.5-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.3/2.5/0.03/0.083333 google/gemini-3.5-flash-lite
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.15/1.25/0.015/0 google/gemini-3.5-flash-lite:batch
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.75/4.5/0.075/0 google/gemini-3.5-flash:batch
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0.041667 google/gemini-3.6-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.375/1.875/0.0375/0.041667 google/gemini-3.6-flash:batch
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.375/1.875/0.0375/0.041667 google/gemini-3.7-flash:batch google/gemini-3.8-flash:batch
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.825/4.125/0.0825/0.041667 google/gemini-3.8-flash
1048576 943718 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/5/0.05/0.1875 google/gemini-4-argon:batch
65536 58982 r off=none,minimal=minimal,low=,medium=,high=high,xhigh=,max= 1.5/7.5/0/0 google/gemini-nano-banana-2.1
131072 16384 - - 0.05/0.15/0/0 google/gemma-3-12b-it
131072 117964 - - 0.08/0.45/0.04/0 google/gemma-3-27b-it
256000 128000 r - 0.08/0.1/0.046/0 google/gemma-4-26b-a4b-it
262144 32768 r - - google/gemma-4-26b-a4b-it:free google/gemma-4-31b-it:free
262144 16384 r - 0.2/0.4/0/0 google/gemma-4-31b-it
131072 117964 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.06/0.25/0.015/0 ibm-granite/granite-4.2-8b
262144 32768 r - 0.021/0.063/0.0042/0 inclusionai/ling-3.0-flash
131072 32768 r - 0.06/0.18/0.012/0 inclusionai/ling-3.0-flash-vl
262144 250000 r - 0.015/0.045/0.003/0 inclusionai/ling-3.0-tiny
1000000 262144 r - 0.045/0.135/0.009/0 inclusionai/ling-3.1-flash
128000 8192 r off= 0.35/0.5/0.04/0 liquid/lfm-2.5-2.6b
65536 8192 r off= - liquid/lfm-2.5-2.6b:free
128000 8192 r off= 0.05/0.7/0.025/0 liquid/lfm-2.5-24b-a2b
262144 8192 r off= 0.08/0.2/0.02/0 liquid/lfm-3-1.7b
262144 8192 r off= - liquid/lfm-3-1.7b:free
1048756 262144 r - 0.3/1.2/0.006/0 meituan/longcat-2.0
131072 16384 - - 0.02/0.04/0/0 meta-llama/llama-3.1-8b-instruct
128000 115200 - - 0.71/0.71/0.71/0 meta-llama/llama-3.3-70b-instruct
524288 32768 - - 0.35/1/0.17/0 meta-llama/llama-4-maverick
327680 16384 - - 0.1/0.3/0/0 meta-llama/llama-4-scout
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.004/0.125 meta/muse-ember
131072 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.3/1.2/0.04/0 meta/muse-glimmer-30b
131072 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.24/0.96/0.032/0 meta/muse-glimmer-30b:batch
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/4.25/0.15/0 meta/muse-spark-1.1 meta/muse-spark-1.2
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.1/0.2/0.002/0 meta/muse-spark-1.2-contributor
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1.25/4.25/0.15/0 meta/muse-spark-1.3
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.2/0.002/0 meta/muse-spark-1.3-contributor
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/4.25/0.15/0 meta/muse-spark-open
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/0 meta/muse-wonder
65536 58982 r off= 0.3/1.2/0.06/0 minimax/minimax-m2.5
196608 176947 r off= 0.21/0.84/0.042/0 minimax/minimax-m2.7
524288 512000 r - 0.3/1.2/0.06/0 minimax/minimax-m3
524288 512000 r - 0.224/0.88/0.0448/0 minimax/minimax-m3:batch
1048576 524288 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.015/0 minimax/minimax-m3.1-flash
256000 204800 - - 0.3/0.9/0.03/0 mistralai/codestral-2508
262144 209715 - - 0.4/2/0.04/0 mistralai/devstral-2512
262144 209715 - - 0.2/0.2/0.02/0 mistralai/ministral-14b-2512
131072 104857 - - 0.1/0.1/0.01/0 mistralai/ministral-3b-2512
262144 209715 - - 0.15/0.15/0.015/0 mistralai/ministral-8b-2512
128000 102400 - - 2/6/0.2/0 mistralai/mistral-large
131072 104857 - - 2/6/0.2/0 mistralai/mistral-large-2407
262144 209715 - - 0.5/1.5/0.05/0 mistralai/mistral-large-2512
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.7/2.1/0.07/0 mistralai/mistral-large-4-0
131072 104857 - - 0.4/2/0.04/0 mistralai/mistral-medium-3 mistralai/mistral-medium-3.1
262144 209715 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 1.5/7.5/0/0 mistralai/mistral-medium-3-5
262144 209715 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.75/3.75/0/0 mistralai/mistral-medium-3-5:batch
131072 16384 - - 0.029/0.03/0/0 mistralai/mistral-nemo
32768 26214 - - 0.2/0.6/0.02/0 mistralai/mistral-saba
262144 209715 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.15/0.6/0.015/0 mistralai/mistral-small-2603
128000 102400 - - 0.351/0.555/0/0 mistralai/mistral-small-3.1-24b-instruct
32768 26214 - - 0.1/0.3/0.01/0 mistralai/mistral-small-3.2-24b-instruct mistralai/voxtral-small-24b-2507
65536 52428 - - 2/6/0.2/0 mistralai/mixtral-8x22b-instruct
131072 98304 - - 0.57/2.3/0/0 moonshotai/kimi-k2
262144 98304 - - 0.6/2.5/0/0 moonshotai/kimi-k2-0905
262144 98304 r off= 0.6/2.5/0.15/0 moonshotai/kimi-k2-thinking
256000 4096 r - 0.41/2.06/0.07/0 moonshotai/kimi-k2.5
262144 235929 r - 0.65/3.41/0.15/0 moonshotai/kimi-k2.6
262144 235929 r off= 0.6/3.5/0.16/0 moonshotai/kimi-k2.7-code
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.192/16/0.182/0 moonshotai/kimi-k3
1048576 16384 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.28/11.4/0.228/0 moonshotai/kimi-k3:batch
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/0 moonshotai/kimi-k3.1-pro
262144 235929 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= 0.075/0.25/0.015/0 nex-agi/nex-n2.5-pro
262144 235929 r off=,minimal=,low=,medium=medium,high=high,xhigh=,max= 0.12/0.4/0.024/0 nex-agi/nex-n2.6
262144 235929 r - 0.06/0.24/0.012/0 nvidia/nemotron-3-nano-30b-a3b
256000 65536 r - - nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free
262144 16384 r off=none,minimal=,low=low,medium=medium,high=,xhigh=,max= 0.075/0.4/0/0 nvidia/nemotron-3-super-120b-a12b
202800 182520 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= 0.6/2.4/0.12/0 nvidia/nemotron-3-ultra-550b-a55b
1000000 65536 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= - nvidia/nemotron-3-ultra-550b-a55b:free
262144 235929 r - 0.07/0.2/0.04/0 nvidia/nemotron-3.5-lightning
1000000 65536 r - - nvidia/nemotron-3.5-lightning:free
1048576 943718 r - 0.15/0.47/0.02/0 nvidia/nemotron-3.5-super-vl
1000000 131072 r - - nvidia/nemotron-3.5-super-vl:free
4095 3685 - - 1/2/0/0 openai/gpt-3.5-turbo-0613
16385 4096 - - 3/4/0/0 openai/gpt-3.5-turbo-16k
8191 4096 - - 30/60/0/0 openai/gpt-4
128000 4096 - - 5/15/0/0 openai/gpt-4-turbo:batch openai/gpt-4o-2024-05-13
1047576 32768 - - 2/8/0.5/0 openai/gpt-4.1
1047576 32768 - - 0.4/1.6/0.1/0 openai/gpt-4.1-mini
1047576 32768 - - 0.2/0.8/0.05/0 openai/gpt-4.1-mini:batch
1047576 942818 - - 0.1/0.4/0.03/0 openai/gpt-4.1-nano
1047576 32768 - - 0.05/0.2/0.0125/0 openai/gpt-4.1-nano:batch
1047576 32768 - - 1/4/0.25/0 openai/gpt-4.1:batch
128000 16384 - - 2.5/10/1.25/0 openai/gpt-4o openai/gpt-4o-2024-08-06 openai/gpt-4o-2024-11-20
128000 16384 - - 0.15/0.6/0.075/0 openai/gpt-4o-mini openai/gpt-4o-mini-2024-07-18
128000 16384 - - 0.075/0.3/0.0375/0 openai/gpt-4o-mini:batch
128000 16384 - - 1.25/5/0.625/0 openai/gpt-4o:batch
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 openai/gpt-5
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0.025/0 openai/gpt-5-mini
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.125/1/0.0125/0 openai/gpt-5-mini:batch
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.05/0.4/0.005/0 openai/gpt-5-nano
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.025/0.2/0.0025/0 openai/gpt-5-nano:batch
400000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=,max= 15/120/0/0 openai/gpt-5-pro
400000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=,max= 7.5/60/0/0 openai/gpt-5-pro:batch
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.625/5/0.0625/0 openai/gpt-5:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.125/0 openai/gpt-5.1
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.25/10/0.13/0 openai/gpt-5.1-codex
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/10/0.125/0 openai/gpt-5.1-codex-max
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.25/2/0.03/0 openai/gpt-5.1-codex-mini
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.625/5/0.0625/0 openai/gpt-5.1:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 openai/gpt-5.2 openai/gpt-5.3-codex
128000 32000 - xhigh=xhigh 1.75/14/0.175/0 openai/gpt-5.2-chat
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.75/14/0.175/0 openai/gpt-5.2-codex
400000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 21/168/0/0 openai/gpt-5.2-pro
400000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 10.5/84/0/0 openai/gpt-5.2-pro:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.875/7/0.0875/0 openai/gpt-5.2:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2.5/15/0.25/0,272000:5/22.5/0.5/0 openai/gpt-5.4 openai/gpt-5.5:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.375/2.25/0.0375/0 openai/gpt-5.4-mini:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.2/1.25/0.02/0 openai/gpt-5.4-nano
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 0.1/0.625/0.01/0 openai/gpt-5.4-nano:batch
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 30/180/0/0,272000:60/270/0/0 openai/gpt-5.4-pro openai/gpt-5.5-pro
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= 15/90/0/0,272000:30/135/0/0 openai/gpt-5.4-pro:batch openai/gpt-5.5-pro:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.25/7.5/0.125/0,272000:2.5/11.25/0.25/0 openai/gpt-5.4:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 5/30/0.5/0,272000:10/45/1/0 openai/gpt-5.5
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 openai/gpt-5.6-luna openai/gpt-5.6-luna-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.6/0.01/0,272000:0.2/0.9/0.02/0 openai/gpt-5.6-luna-pro:batch openai/gpt-5.6-luna:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 openai/gpt-5.6-sol openai/gpt-5.6-sol-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 openai/gpt-5.6-sol-pro:batch openai/gpt-5.6-sol:batch openai/gpt-6-sol openai/gpt-6-sol-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 openai/gpt-5.6-terra openai/gpt-5.6-terra-pro
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/6/0.1/0,272000:2/9/0.2/0 openai/gpt-5.6-terra-pro:batch openai/gpt-5.6-terra:batch
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 5/25/0.5/6.25,272000:10/37.5/1/12.5 openai/gpt-6-astra-pro:batch openai/gpt-6-astra:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.05/0.25/0.005/0.0625,272000:0.1/0.375/0.01/0.125 openai/gpt-6-luna-pro:batch openai/gpt-6-luna:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.1/1.25,272000:2/7.5/0.2/2.5 openai/gpt-6-sol-pro:batch openai/gpt-6-sol:batch
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 openai/gpt-6.1-sol-pro:batch openai/gpt-6.1-sol:batch openai/gpt-6.1-terra-pro
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.5/2.5/0.025/0.625,272000:1/3.75/0.05/1.25 openai/gpt-6.1-terra-pro:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.5/2.5/0.025/0.625,272000:1/3.75/0.05/1.25 openai/gpt-6.1-terra:batch
128000 16384 - - 2.5/10/0/0 openai/gpt-audio
128000 16384 - - 0.6/2.4/0/0 openai/gpt-audio-mini
400000 128000 - - 5/30/0.5/0 openai/gpt-chat-latest
131072 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.15/0.6/0.075/0 openai/gpt-oss-120b
131072 117964 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.0296/0.136/0/0 openai/gpt-oss-120b:batch
131072 117964 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.03/0.13/0.03/0 openai/gpt-oss-20b
131072 117964 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.024/0.112/0/0 openai/gpt-oss-20b:batch
131072 65536 r off= 0.075/0.3/0.0375/0 openai/gpt-oss-safeguard-20b
200000 100000 r off= 2/8/0.5/0 openai/o3
200000 100000 r off= 0.55/2.2/0.275/0 openai/o3-mini:batch
200000 100000 r off= 20/80/0/0 openai/o3-pro
200000 100000 r off= 1/4/0.25/0 openai/o3:batch
200000 100000 r off= 0.55/2.2/0.1375/0 openai/o4-mini:batch
2000000 4096 r - - openrouter/auto openrouter/pareto-code
2000000 64000 r - - openrouter/auto-beta openrouter/auto-code
200000 4096 r - - openrouter/free
1000000 30000 r - - openrouter/fusion
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.05/0.5/0.003/0 particle-ai/particle-1
36864 8192 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= 0.15/1.5/0/0 perceptron/perceptron-mk1.5
262144 32768 r off=none,minimal=,low=,medium=medium,high=,xhigh=xhigh,max= 0.075/0.5/0.0375/0 prism-ml/ternary-bonsai-2-27b
262144 65536 r - 0.08/0.13/0.04/0 prism-ml/ternary-bonsai-2-9b
32768 16384 - - 0.36/0.4/0/0 qwen/qwen-2.5-72b-instruct
32768 29491 - - 0.1/0.2/0/0 qwen/qwen-2.5-7b-instruct
1000000 32768 - - 0.26/0.78/0.052/0.325,256000:0.78/2.34/0.156/0.975 qwen/qwen-plus
40960 36864 r - 0.1/0.22/0/0 qwen/qwen3-14b
131072 117964 - - 0.14/0.8/0.05/0 qwen/qwen3-235b-a22b-2507
128000 16384 r off= 0.45/3.5/0/0 qwen/qwen3-235b-a22b-thinking-2507
40960 16384 r - 0.12/0.5/0/0 qwen/qwen3-30b-a3b
262144 235929 - - 0.1/0.3/0.1/0 qwen/qwen3-30b-a3b-instruct-2507
40960 16384 r - 0.08/0.28/0/0 qwen/qwen3-32b
262144 65536 - - 0.3/1/0.1/0 qwen/qwen3-coder
262144 235929 - - 0.15/0.6/0/0 qwen/qwen3-coder-30b-a3b-instruct
1000000 65536 - - 0.195/0.975/0.039/0.24375,32000:0.325/1.625/0.065/0.40625,128000:0.52/2.6/0.104/0.65 qwen/qwen3-coder-flash
262144 235929 - - 0.12/0.8/0.07/0 qwen/qwen3-coder-next
262144 16384 - - 0.09/1.1/0/0 qwen/qwen3-next-80b-a3b-instruct
131072 32768 - - 0.21/1.9/0.1/0 qwen/qwen3-vl-235b-a22b-instruct
262144 16384 - - 0.15/0.6/0/0 qwen/qwen3-vl-30b-a3b-instruct
262144 235929 r off= 0.29/1/0/0 qwen/qwen3-vl-30b-a3b-thinking
262144 235929 - - 0.25/0.75/0.12/0 qwen/qwen3-vl-8b-instruct
262144 65536 r - 0.26/2.08/0/0 qwen/qwen3.5-122b-a10b
262144 81920 r - 0.26/2.6/0/0 qwen/qwen3.5-27b
262144 81920 r - 0.14/1/0.05/0 qwen/qwen3.5-35b-a3b
256000 64000 r - 0.6/3.6/0.12/0 qwen/qwen3.5-397b-a17b
262144 235929 r - 0.17/0.25/0/0 qwen/qwen3.5-9b
1000000 65536 r - 0.065/0.26/0/0 qwen/qwen3.5-flash-02-23
1000000 65536 r - 0.26/1.56/0/0,256000:0.325/1.95/0/0 qwen/qwen3.5-plus-02-15
1000000 65536 r - 0.3/1.8/0/0.375,256000:0.375/2.25/0/0.46875 qwen/qwen3.5-plus-20260420
262144 81920 r - 0.32/3.2/0/0 qwen/qwen3.6-27b
262144 235929 r - 0.1/0.9/0.025/0 qwen/qwen3.6-35b-a3b
1000000 65536 r - 0.1875/1.125/0/0.234375,256000:0.75/3/0/0.9375 qwen/qwen3.6-flash
1000000 65536 r - 0.325/1.95/0/0.40625,256000:1.3/3.9/0/1.625 qwen/qwen3.6-plus
1000000 65536 r - 0.03/0.13/0.006/0.038,32000:0.1/0.4/0.02/0.125,256000:0.2/0.8/0.04/0.25 qwen/qwen3.7-flash
1000000 131072 r - 1.475/4.425/0.295/1.84375 qwen/qwen3.7-max
1000000 131072 r - 0.32/1.28/0.064/0.4,256000:0.96/3.84/0.192/1.2 qwen/qwen3.7-plus
262144 131072 r - 0.23/0.92/0/0 qwen/qwen3.7-plus:batch
1048576 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 2/6/0.25/0 qwen/qwen3.8-2.4t-a95b
262144 235929 r off=none,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 0.15/1.875/0.0375/0 qwen/qwen3.8-27b
262144 235929 r off=none,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= 0.16/2/0.04/0 qwen/qwen3.8-27b:batch
1000000 131072 r - 0.15/0.47/0.016/0 qwen/qwen3.8-flash qwen/qwen3.8-omni-flash
1000000 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.25/0 qwen/qwen3.8-max-0902
262144 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.15/3.45/0/0 qwen/qwen3.8-max-0902:batch
1000000 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= 4/12/0.5/0 qwen/qwen3.8-max-prime
262144 235929 r off= - recursive/flint-v1.0:free
1048576 943718 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.3/1/0.04/0 reflection/beam-1.0-501b-a23b
16384 14745 - - 0.1/0.1/0/0 rekaai/reka-edge
256000 128000 - - 1/3/0/0 relace/relace-search
1048576 131072 r - 0.2/0.6/0.05/0 ricursiveai/ripple-65b-preview
1000000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=xhigh,max=max 2/6/0.25/0 sakana/fugu-max
1000000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=xhigh,max=max 5/30/0.5/0,272000:10/45/1/0 sakana/fugu-ultra sakana/fugu-ultra-v2
262144 65536 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.95/4/0.15/0 sakana/sakana-namazu
262144 65536 r off= 0.1/0.3/0/0 stepfun/step-3.5-flash
256000 230400 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.2/1.15/0.04/0 stepfun/step-3.7-flash
1000000 64000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/2.7/0.1/0 stepfun/step-5-preview
262144 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.132/0.528/0.033/0 tencent/hy3
262144 235929 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.18/0.6/0.06/0 tencent/hy3-preview
1048576 65536 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.417/1.2505/0.021/0 tencent/hy4
1048576 64000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= 0.834/2.501/0.042/0 tencent/hy4-preview
524288 471859 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max 1/4.05/0.17/0 thinkingmachines/inkling
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max - thinkingmachines/inkling-2-small:free
524288 262144 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max 0.45/1.2/0.1/0 thinkingmachines/inkling-small
524288 262144 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max 0.36/0.96/0.08/0 thinkingmachines/inkling-small:batch
1000000 64000 r - - typesafe/jev-router
262144 131072 - - 2.5/7.5/0.25/0 unbiased/pareto-26.9
524288 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.05/0.2/0.005/0 upstage/solar-mini4
524288 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.03/0 upstage/solar-pro4
2000000 1800000 r - 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 x-ai/grok-4.20
1000000 900000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 x-ai/grok-4.3
1000000 900000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= 1/2/0.16/0,200000:2/4/0.32/0 x-ai/grok-4.3:batch
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/6/0.3/0,200000:4/12/0.6/0 x-ai/grok-4.5
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 1.6/4.8/0.4/0,200000:3.2/9.6/0.8/0 x-ai/grok-4.6:batch x-ai/grok-4.7:batch
256000 230400 r off= 1/2/0.2/0,200000:2/4/0.4/0 x-ai/grok-build-0.1
1000000 65536 r - 0.4/2/0.08/0 xiaomi/mimo-v2.5
262144 235929 r - 0.48/1.8/0.096/0 xiaomi/mimo-v2.5-pro
1048576 131072 r - 0.14/0.28/0.0028/0 xiaomi/mimo-v2.6-flash
1048576 131072 r - 0.435/0.87/0.0036/0 xiaomi/mimo-v2.6-pro
1048576 131072 r - 4.35/8.7/0.036/0 xiaomi/mimo-v2.6-pro-ultraspeed
262144 235929 r - - xingchen-agi/xing4.0-29b-a4b:free
131072 98304 r - 0.6/2.2/0.11/0 z-ai/glm-4.5
131072 98304 r - 0.2/1.1/0.03/0 z-ai/glm-4.5-air
65536 16384 r - 0.6/1.8/0.11/0 z-ai/glm-4.5v
202752 131072 r - 0.5/2/0.1/0 z-ai/glm-4.6
131072 32768 r - 0.3/0.9/0.055/0 z-ai/glm-4.6v
204800 131072 r - 0.6/2.2/0.11/0 z-ai/glm-4.7
131072 117964 r - 0.0605/0.4/0/0 z-ai/glm-4.7-flash
202752 131072 r - 0.6/1.9/0.119/0 z-ai/glm-5
202752 131072 r - 1.2/4/0.24/0 z-ai/glm-5-turbo z-ai/glm-5v-turbo
202752 131072 r - 1.4/4.4/0.26/0 z-ai/glm-5.1
1048576 943718 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= 0.0062/6.8/0.0052/0 z-ai/glm-5.2
1048576 943718 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= 0.527/1.075/0.178/0 z-ai/glm-5.2:batch
1048575 943717 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 z-ai/glm-5.3-flash
1048576 943718 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.03/0.061/0.013/0 z-ai/glm-5.3-flash:batch
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.37/1.25/0.075/0 z-ai/glm-5.3-flashx z-ai/glm-5.3-flashx-legal
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 2.8/8.8/0.56/0 z-ai/glm-5.3-prime
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.45/2/0.1/0 z-ai/glm-5.3:batch
`,
  'qwen-token-plan': `
131072 65536 r - - deepseek-v3.2
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - deepseek-v4-flash deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - deepseek-v4.1-flash deepseek-v4.1-flash-1017
202752 16384 r minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5
202752 128000 r minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.1
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3
262144 98304 r - - kimi-k2.5
262144 262144 r - - kimi-k2.6 kimi-k2.7-code
196608 32768 r - - MiniMax-M2.5
1000000 65536 r - - qwen3.6-flash qwen3.6-plus qwen3.7-plus
1000000 131072 r - - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= - qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-cn': `
131072 65536 r - - deepseek-v3.2
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - deepseek-v4-flash deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - deepseek-v4.1-flash deepseek-v4.1-flash-1017
202752 16384 r minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5
202752 128000 r minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.1
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3
262144 98304 r - - kimi-k2.5
262144 262144 r - - kimi-k2.6 kimi-k2.7-code
196608 32768 r - - MiniMax-M2.5
1000000 65536 r - - qwen3.6-flash qwen3.6-plus qwen3.7-plus
1000000 131072 r - - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= - qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-individual': `
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3
1000000 65536 r - - qwen3.6-flash qwen3.7-plus
1000000 131072 r - - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= - qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-individual-cn': `
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max - glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3
1000000 65536 r - - qwen3.6-flash qwen3.7-plus
1000000 131072 r - - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= - qwen3.8-flash qwen3.8-max
`,
  radius: `
1048576 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 3/15/0.3/0 balanced kimi-k3
1000000 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.3/1.2/0.006/0 cheap deepseek-v4.1-flash
1000000 128000 r off=,xhigh=xhigh,max=max 10/50/1/12.5 claude-fable-5
1000000 128000 r off=,xhigh=xhigh,max=max 10/50/0.25/12.5 claude-fable-5-1
1000000 128000 r off=,xhigh=xhigh,max=max 8/40/0.2/10 claude-fable-5-2
200000 64000 r - 1/5/0.1/1.25 claude-haiku-4-5
1000000 128000 r minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 claude-haiku-5-5
200000 64000 r - 5/25/0.5/6.25 claude-opus-4-5
1000000 128000 r xhigh=xhigh,max=max 5/25/0.5/6.25 claude-opus-4-8 claude-opus-5
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.2/5 claude-opus-5-5
200000 64000 r - 3/15/0.3/3.75 claude-sonnet-4-5
1000000 128000 r xhigh=xhigh,max=max 2/10/0.2/2.5 claude-sonnet-5
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5 claude-sonnet-5-5
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.75/3.75/0.075/0 gemini-3.8-flash
1048576 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 2/10/0.1/0 gemini-4-argon
1048576 128000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.3
1048575 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 glm-5.3-flash
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.2/1.2/0.02/0.25,272000:0.4/1.8/0.04/0.5 gpt-5.6-luna
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 4/20/0.4/5,272000:8/30/0.8/10 gpt-5.6-sol precise
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/12/0.2/2.5,272000:4/18/0.4/5 gpt-5.6-terra
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 10/50/1/12.5,272000:20/75/2/25 gpt-6-astra
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 gpt-6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.2/2.5,272000:4/15/0.4/5 gpt-6-sol
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 2/10/0.1/2.5,272000:4/15/0.2/5 gpt-6.1-sol
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 gpt-6.1-terra
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= 2/6/0.5/0,200000:4/12/1/0 grok-4.7
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max 2/10/0.2/0 kimi-k3.1-pro
524288 131072 r - 0.3/1.2/0.06/0 minimax-m3
1000000 524288 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max 0.15/0.6/0.015/0 minimax-m3.1-flash
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= 0.7/2.1/0.07/0 mistral-large-4
262144 65536 r off=,minimal=,low=low,medium=,high=,xhigh=,max= - recursive/flint
`,
  together: `
1048576 384000 r minimal=,low=,medium=,high=high,xhigh= 1.32/3.96/0.13/0 deepseek-ai/DeepSeek-V4-Pro-0813
1048576 384000 r minimal=,low=,medium= 0.3/1.2/0.006/0 deepseek-ai/DeepSeek-V4.1-Flash
1048576 131072 r minimal=,low=,medium= 1.25/4.25/0.15/0 meta-models/Muse-Spark-Open-816B-A42B
524288 524288 r minimal=,low=,medium= 0.3/1.2/0.06/0 MiniMaxAI/MiniMax-M3
1048576 131072 r minimal=,low=,medium= 3/15/0.3/0 moonshotai/Kimi-K3
1048576 131072 r minimal=,low=,medium= 2/10/0.2/0 moonshotai/Kimi-K3.1-Pro
262144 262144 r minimal=,low=,medium= 0.15/0.5/0.02/0 nvidia/NVIDIA-Nemotron-3.5-Super-VL
131072 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= 0.15/0.6/0/0 openai/gpt-oss-120b
262144 65536 r minimal=,low=,medium= 0.17/0.25/0/0 Qwen/Qwen3.5-9B
1000000 65536 r minimal=,low=,medium= 0.5/3/0/0 Qwen/Qwen3.6-Plus
1000000 131072 r minimal=,low=,medium= 2.5/7.5/0.5/0 Qwen/Qwen3.7-Max
1048576 131072 r minimal=,low=,medium= 0.4/1.2/0.04/0 reflection/Beam-1.0-501B-A23B
524288 131072 r minimal=,low=,medium= 1/4.05/0.17/0 thinkingmachines/Inkling
1048575 164000 r minimal=,low=,medium= 1.4/4.4/0.26/0 zai-org/GLM-5.2
1048575 262144 r minimal=,low=,medium= 1.4/4.4/0.26/0 zai-org/GLM-5.3
1048575 400000 r minimal=,low=,medium= 0.15/0.5/0.03/0 zai-org/GLM-5.3-Flash
`,
  'vercel-ai-gateway': `
40960 16384 r - 0.12/0.24/0/0 alibaba/qwen-3-14b
262144 16384 - - 0.22/0.88/0/0 alibaba/qwen-3-235b
40960 16384 r - 0.12/0.5/0/0 alibaba/qwen-3-30b
128000 8192 r - 0.15/0.6/0/0 alibaba/qwen-3-32b
262144 32768 - - 0.22/1.8/0.022/0 alibaba/qwen3-coder
262144 8192 - - 0.15/0.6/0/0 alibaba/qwen3-coder-30b-a3b
256000 256000 - - 0.5/1.2/0/0 alibaba/qwen3-coder-next
256000 65536 r - 1.2/6/0.24/0,32000:2.4/12/0.48/0,128000:3/15/0.6/0 alibaba/qwen3-max-thinking
262114 262114 - - 0.15/1.2/0/0 alibaba/qwen3-next-80b-a3b-instruct
262144 262144 r - 0.15/1.2/0/0 alibaba/qwen3-next-80b-a3b-thinking
262144 262144 - - 0.2/0.88/0.11/0 alibaba/qwen3-vl-instruct
1000000 64000 r - 0.1/0.4/0.01/0.125 alibaba/qwen3.5-flash
1000000 64000 r - 0.4/2.4/0.04/0.5,256000:0.5/3/0.05/0.625 alibaba/qwen3.5-plus
256000 256000 r - 0.6/3.6/0/0 alibaba/qwen3.6-27b
1000000 64000 r - 0.5/3/0.05/0.625,255999:2/6/0.2/2.5 alibaba/qwen3.6-plus
991000 64000 r - 0.03/0.13/0.006/0.038,31999:0.1/0.4/0.02/0.125,255999:0.2/0.8/0.04/0.25 alibaba/qwen3.7-flash
991000 64000 r - 2.5/7.5/0.5/3.125 alibaba/qwen3.7-max
1000000 64000 r - 0.4/1.6/0.08/0.5,255999:1.2/4.8/0.24/1.5 alibaba/qwen3.7-plus
262144 128000 r - 2/6/0.25/0 alibaba/qwen3.8-2.4t-a95b alibaba/qwen3.8-max
262144 262144 r - 0.06/2.3/0.059/0 alibaba/qwen3.8-27b
991000 128000 r - 0.15/0.47/0.016/0.2 alibaba/qwen3.8-flash
991000 128000 r - 2/6/0.25/2.5 alibaba/qwen3.8-max-0902
1000000 131072 r - 4/12/0.5/5 alibaba/qwen3.8-max-prime
1000000 131072 r - 0.15/0.47/0.016/0 alibaba/qwen3.8-omni-flash
1000000 1000000 r - 0.33/2.75/0.0825/0 amazon/nova-2-lite
300000 8192 - - 0.06/0.24/0.015/0 amazon/nova-lite
128000 8192 - - 0.035/0.14/0.0087/0 amazon/nova-micro
300000 8192 - - 0.8/3.2/0.2/0 amazon/nova-pro
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/1/12.5 anthropic/claude-fable-5
1000000 128000 ra off=,xhigh=xhigh,max=max 5/25/0.5/6.25 anthropic/claude-fable-5-batch
1000000 128000 ra off=,xhigh=xhigh,max=max 10/50/0.25/12.5 anthropic/claude-fable-5.1
1000000 128000 ra off=,xhigh=xhigh,max=max 5/25/0.125/6.25 anthropic/claude-fable-5.1-batch
1000000 128000 ra off=,xhigh=xhigh,max=max 8/40/0.2/10 anthropic/claude-fable-5.2
1000000 128000 ra off=,xhigh=xhigh,max=max 4/20/0.1/5 anthropic/claude-fable-5.2-batch
1000000 128000 ra off=,xhigh=xhigh,max=max 16/80/0.4/20 anthropic/claude-fable-5.2-fast
200000 64000 r - 1/5/0.1/1.25 anthropic/claude-haiku-4.5
200000 64000 r - 0.5/2.5/0.05/0.625 anthropic/claude-haiku-4.5-batch
1000000 128000 ra xhigh=xhigh,max=max 0.1/0.5/0.01/0.125,100000:0.5/2.5/0.05/0.625 anthropic/claude-haiku-5.5
1000000 128000 ra xhigh=xhigh,max=max 0.05/0.25/0.005/0.0625,100000:0.25/1.25/0.025/0.3125 anthropic/claude-haiku-5.5-batch
200000 64000 r - 5/25/0.5/6.25 anthropic/claude-opus-4.5
200000 64000 r - 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.5-batch
1000000 128000 ra max=max 5/25/0.5/6.25 anthropic/claude-opus-4.6
1000000 128000 ra max=max 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.6-batch
1000000 128000 ra xhigh=xhigh,max=max 5/25/0.5/6.25 anthropic/claude-opus-4.7 anthropic/claude-opus-4.8 anthropic/claude-opus-5
1000000 128000 ra xhigh=xhigh,max=max 2.5/12.5/0.25/3.125 anthropic/claude-opus-4.7-batch anthropic/claude-opus-4.8-batch anthropic/claude-opus-5-batch
1000000 128000 ra xhigh=xhigh,max=max 10/50/1/12.5 anthropic/claude-opus-4.8-fast anthropic/claude-opus-5-fast
1000000 128000 ra xhigh=xhigh,max=max 4/20/0.2/5 anthropic/claude-opus-5.5
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.1/2.5 anthropic/claude-opus-5.5-batch anthropic/claude-sonnet-5.5
1000000 128000 ra xhigh=xhigh,max=max 8/40/0.4/10 anthropic/claude-opus-5.5-fast
1000000 64000 r - 3/15/0.3/3.75,200000:6/22.5/0.6/7.5 anthropic/claude-sonnet-4.5
1000000 64000 r - 1.5/7.5/0.15/1.875,200000:3/11.25/0.3/3.75 anthropic/claude-sonnet-4.5-batch
1000000 128000 ra max=max 3/15/0.3/3.75 anthropic/claude-sonnet-4.6
1000000 128000 ra max=max 1.5/7.5/0.15/1.875 anthropic/claude-sonnet-4.6-batch
1000000 128000 ra xhigh=xhigh,max=max 2/10/0.2/2.5 anthropic/claude-sonnet-5
1000000 128000 ra xhigh=xhigh,max=max 1/5/0.1/1.25 anthropic/claude-sonnet-5-batch
1000000 128000 ra xhigh=xhigh,max=max 1/5/0.05/1.25 anthropic/claude-sonnet-5.5-batch
256000 32000 r - 0.25/2/0.05/0,128000:0.5/4/0.05/0 bytedance/seed-1.6
256000 64000 r - 0.25/2/0.05/0,128000:0.5/4/0.05/0 bytedance/seed-1.8
262144 262144 r - 0.5/2.5/0.1/0 bytedance/seed-2.1-turbo
262144 131072 r - 0.5/3/0.2/0 callstack/apex
256000 8000 - - 2.5/10/0/0 cohere/command-a
128000 8192 r - 1.35/5.4/0/0 deepseek/deepseek-r1
163840 128000 r - 0.25/0.95/0.13/0 deepseek/deepseek-v3.1
128000 8000 - - 0.62/1.85/0/0 deepseek/deepseek-v3.2 deepseek/deepseek-v3.2-thinking
1000000 384000 r - 0.13/0.26/0.028/0 deepseek/deepseek-v4-flash deepseek/deepseek-v4-flash-0731
1048576 1048576 r - 0.2156/0.6468/0.0068/0 deepseek/deepseek-v4-flash-vision-exp
1048600 1048600 r - 1.32/3.96/0.132/0 deepseek/deepseek-v4-pro
1000000 384000 r - 0.66/1.98/0.066/0 deepseek/deepseek-v4-pro-0813
1048576 32768 r - 0.3/1.2/0.007/0 deepseek/deepseek-v4.1-flash
1048576 262144 r - 0.3/1.2/0.007/0 deepseek/deepseek-v4.1-flash-1017
1048576 262144 r - 0.6/2.4/0.014/0 deepseek/deepseek-v4.1-flash-1017-fast
1048576 1048576 r - 2.4/9.6/0.048/0 deepseek/deepseek-v4.1-flash-1017-ultrafast
1048576 32768 r - 0.6/2.4/0.014/0 deepseek/deepseek-v4.1-flash-fast
1048576 1048576 r - 3/15/0.3/0 fireworks/ember-1
1000000 65535 r - 0.3/2.5/0.03/0 google/gemini-2.5-flash
1000000 64000 r - 0.15/1.25/0.03/0 google/gemini-2.5-flash-batch
1048576 65535 r - 0.1/0.4/0.01/0 google/gemini-2.5-flash-lite
1048576 65535 r - 0.05/0.2/0.01/0 google/gemini-2.5-flash-lite-batch
1048576 65535 r - 1.25/10/0.125/0,200000:2.5/15/0.25/0 google/gemini-2.5-pro
1048576 65535 r - 0.625/5/0.125/0,200000:1.25/7.5/0.25/0 google/gemini-2.5-pro-batch
1000000 65000 r - 0.5/3/0.05/0,200000:0.5/3/0.05/0 google/gemini-3-flash
1000000 64000 r - 0.25/1.5/0.05/0,200000:0.25/1.5/0.05/0 google/gemini-3-flash-batch
1000000 65000 r - 0.25/1.5/0.03/0 google/gemini-3.1-flash-lite
1000000 65000 r - 0.125/0.75/0.015/0 google/gemini-3.1-flash-lite-batch
1000000 64000 r - 2/12/0.2/0,200000:4/18/0.4/0 google/gemini-3.1-pro-preview
1000000 64000 r - 1/6/0.2/0,200000:2/9/0.4/0 google/gemini-3.1-pro-preview-batch
1000000 64000 r - 1.5/9/0.15/0 google/gemini-3.5-flash
1000000 65000 r - 0.3/2.5/0.03/0 google/gemini-3.5-flash-lite
1000000 65000 r - 0.15/1.25/0.015/0 google/gemini-3.5-flash-lite-batch
1000000 64000 r - 0.75/3.75/0.075/0 google/gemini-3.6-flash
1000000 64000 r - 0.375/1.875/0.0375/0 google/gemini-3.6-flash-batch
1000000 65535 r - 0.75/3.75/0.075/0 google/gemini-3.7-flash google/gemini-3.8-flash
1000000 1000000 r - 2/10/0.1/0 google/gemini-4-argon
262144 131072 r - 0.15/0.6/0.015/0 google/gemma-4-26b-a4b-it
262144 131072 r - 0.14/0.4/0/0 google/gemma-4-31b-it
1000000 32768 r - - humansand/ampersand-v0.1
128000 128000 r - 0.25/0.75/0.025/0 inception/mercury-2
260000 65536 r - 0.04/0.15/0.004/0 inception/mercury-2.5
1000000 131072 r - 0.1/0.35/0.01/0 inception/mercury-3
32000 16384 - - 0.25/1/0/0 inception/mercury-coder-small
256000 32000 r - 0.021/0.063/0.0042/0 inclusionai/ling-3.0-flash
256000 32000 r - 0.075/0.22/0.015/0 inclusionai/ling-3.0-flash-fin inclusionai/ling-3.0-flash-sante inclusionai/ling-3.0-flash-vl
262144 32768 r - 0.3/0.9/0.06/0 inclusionai/ling-3.1-flash
1000000 262144 r - 0.3/0.9/0.06/0 inclusionai/ling-3.1-flash-1019
1000000 32000 r - 1.5/3.5/0/0 interfaze/interfaze-beta
128000 8200 r - 0.05/0.7/0.025/0 liquid/lfm2.5-24b-a2b
1048576 131072 r - 0.3/1.2/0.006/0 meituan/longcat-2.5
128000 8192 - - 0.72/0.72/0/0 meta/llama-3.1-70b meta/llama-3.3-70b
128000 8192 - - 0.22/0.22/0/0 meta/llama-3.1-8b
128000 8192 - - 0.24/0.97/0/0 meta/llama-4-maverick
128000 8192 - - 0.17/0.66/0/0 meta/llama-4-scout
1048576 1048576 r - 0.1/0.5/0.004/0 meta/muse-ember
131072 131072 r - 0.35/1.5/0.04/0 meta/muse-glimmer-30b
1048576 1048576 r - 1.25/4.25/0.15/0 meta/muse-spark-1.1 meta/muse-spark-1.2 meta/muse-spark-1.3 meta/muse-spark-open
1048576 1048576 r - 0.1/0.2/0.002/0 meta/muse-spark-1.2-contributor meta/muse-spark-1.3-contributor
1048576 1048576 r - 4/20/0.2/0 meta/muse-wonder-1.0
205000 205000 r - 0.3/1.2/0.03/0.375 minimax/minimax-m2
204800 131072 r - 0.3/1.2/0.03/0.375 minimax/minimax-m2.1
204800 131072 r - 0.3/2.4/0.03/0.375 minimax/minimax-m2.1-lightning
204800 131000 r - 0.3/1.2/0.03/0.375 minimax/minimax-m2.5
204800 131000 r - 0.6/2.4/0.03/0.375 minimax/minimax-m2.5-highspeed
204800 131000 r - 0.3/1.2/0.06/0.375 minimax/minimax-m2.7
204800 131100 r - 0.6/2.4/0.06/0.375 minimax/minimax-m2.7-highspeed
512000 512000 r - 0.3/1.2/0.06/0 minimax/minimax-m3
1048576 1048576 r - 0.15/0.6/0.015/0 minimax/minimax-m3.1-flash
128000 4000 - - 0.3/0.9/0.03/0 mistral/codestral
262144 256000 - - 0.2/0.2/0.02/0 mistral/ministral-14b
131072 4000 - - 0.1/0.1/0.01/0 mistral/ministral-3b
262144 4000 - - 0.15/0.15/0.015/0 mistral/ministral-8b
262144 256000 - - 0.5/1.5/0.05/0 mistral/mistral-large-3
1048576 262144 r - 0.7/2.1/0.07/0 mistral/mistral-large-4
262144 256000 r - 1.5/7.5/0.15/0 mistral/mistral-medium-3.5
131072 131072 - - 0.029/0.03/0/0 mistral/mistral-nemo
262144 4000 - - 0.15/0.6/0.015/0 mistral/mistral-small
131000 4000 - - 0.3/0.72/0.036/0 mixedbread/toast-1
131072 131072 - - 0.57/2.3/0/0 moonshotai/kimi-k2
256000 256000 r - 0.6/3/0/0 moonshotai/kimi-k2.5
262000 262000 r - 0.95/4/0.16/0 moonshotai/kimi-k2.6
256000 32768 r - 0.95/4/0.19/0 moonshotai/kimi-k2.7-code
262144 32768 r - 1.9/8/0.38/0 moonshotai/kimi-k2.7-code-highspeed
1000000 131072 r - 3/15/0.3/0 moonshotai/kimi-k3
1000000 131072 r - 4.5/22.5/0.45/0 moonshotai/kimi-k3-fast
1000000 131072 r - 2/10/0.2/0 moonshotai/kimi-k3.1-pro
1048576 131072 r - 4/20/0.2/4 moonshotai/kimi-k3.1-pro-highspeed
262144 262144 r - 0.05/0.2/0.025/0 nvidia/nemotron-3-nano-30b-a3b
256000 32000 r - 0.15/0.65/0/0 nvidia/nemotron-3-super-120b-a12b
1000000 65000 r - 0.6/2.4/0.12/0 nvidia/nemotron-3-ultra-550b-a55b
262144 131072 r - 0.06/0.16/0.03/0 nvidia/nemotron-3.5-lightning
1000000 65000 r - - nvidia/nemotron-3.5-lightning-free
1048576 1048576 r - 0.2/0.5/0.04/0 nvidia/nemotron-3.5-super-vl
131072 131072 r - 0.2/0.6/0/0 nvidia/nemotron-nano-12b-v2-vl
131072 131072 r - 0.06/0.23/0/0 nvidia/nemotron-nano-9b-v2
1047576 32768 - - 2/8/0.5/0 openai/gpt-4.1
1047576 32768 - - 1/4/0.25/0 openai/gpt-4.1-batch
1047576 32768 - - 3.5/14/0.875/0 openai/gpt-4.1-fast
1047576 32768 - - 0.4/1.6/0.1/0 openai/gpt-4.1-mini
1047576 32768 - - 0.2/0.8/0.05/0 openai/gpt-4.1-mini-batch
1047576 32768 - - 0.7/2.8/0.175/0 openai/gpt-4.1-mini-fast
1047576 32768 - - 0.1/0.4/0.03/0 openai/gpt-4.1-nano
128000 16384 - - 2.5/10/1.25/0 openai/gpt-4o
128000 16384 - - 1.25/5/0.625/0 openai/gpt-4o-batch
128000 16384 - - 4.25/17/2.125/0 openai/gpt-4o-fast
128000 16384 - - 0.15/0.6/0.075/0 openai/gpt-4o-mini
128000 16384 - - 0.075/0.3/0.0375/0 openai/gpt-4o-mini-batch
128000 16384 - - 0.25/1/0.125/0 openai/gpt-4o-mini-fast
400000 128000 r - 1.25/10/0.125/0 openai/gpt-5 openai/gpt-5.1-codex-max openai/gpt-5.1-thinking
400000 128000 r - 0.625/5/0.0625/0 openai/gpt-5-batch
400000 128000 r - 1.25/10/0.13/0 openai/gpt-5-codex openai/gpt-5.1-codex
400000 128000 r - 2.5/20/0.25/0 openai/gpt-5-fast openai/gpt-5.1-thinking-fast
400000 128000 r - 0.25/2/0.025/0 openai/gpt-5-mini
400000 128000 r - 0.125/1/0.0125/0 openai/gpt-5-mini-batch
400000 128000 r - 0.45/3.6/0.045/0 openai/gpt-5-mini-fast
400000 128000 r - 0.05/0.4/0.005/0 openai/gpt-5-nano
400000 128000 r - 0.025/0.2/0.0025/0 openai/gpt-5-nano-batch
400000 272000 r - 15/120/0/0 openai/gpt-5-pro
400000 272000 r - 7.5/60/0/0 openai/gpt-5-pro-batch
400000 128000 r - 0.25/2/0.03/0 openai/gpt-5.1-codex-mini
400000 128000 r xhigh=xhigh 1.75/14/0.175/0 openai/gpt-5.2 openai/gpt-5.2-codex openai/gpt-5.3-codex
400000 128000 r xhigh=xhigh 0.875/7/0.0875/0 openai/gpt-5.2-batch
400000 128000 r xhigh=xhigh 3.5/28/0.35/0 openai/gpt-5.2-fast openai/gpt-5.3-codex-fast
400000 128000 r xhigh=xhigh 21/168/0/0 openai/gpt-5.2-pro
1050000 128000 r xhigh=xhigh 2.5/15/0.25/0,271999:5/22.5/0.5/0 openai/gpt-5.4
1050000 128000 r xhigh=xhigh 1.25/7.5/0.125/0,271999:2.5/11.25/0.25/0 openai/gpt-5.4-batch
1050000 128000 r xhigh=xhigh 5/30/0.5/0 openai/gpt-5.4-fast
400000 128000 r xhigh=xhigh 0.75/4.5/0.075/0 openai/gpt-5.4-mini
400000 128000 r xhigh=xhigh 0.375/2.25/0.0375/0 openai/gpt-5.4-mini-batch
400000 128000 r xhigh=xhigh 1.5/9/0.15/0 openai/gpt-5.4-mini-fast
400000 128000 r xhigh=xhigh 0.2/1.25/0.02/0 openai/gpt-5.4-nano
400000 128000 r xhigh=xhigh 0.1/0.625/0.01/0 openai/gpt-5.4-nano-batch
1050000 128000 r xhigh=xhigh 30/180/0/0,271999:60/270/0/0 openai/gpt-5.4-pro
1000000 128000 r xhigh=xhigh 5/30/0.5/0,271999:10/45/1/0 openai/gpt-5.5
1000000 128000 r xhigh=xhigh 2.5/15/0.25/0,271999:5/22.5/0.5/0 openai/gpt-5.5-batch
1000000 128000 r xhigh=xhigh 12.5/75/1.25/0 openai/gpt-5.5-fast
1000000 128000 r xhigh=xhigh,off=,minimal=,low= 30/180/0/0,271999:60/270/0/0 openai/gpt-5.5-pro
1000000 128000 r xhigh=xhigh 15/90/0/0,271999:30/135/0/0 openai/gpt-5.5-pro-batch
1050000 128000 r xhigh=xhigh 0.2/1.2/0.02/0.25,271999:0.4/1.8/0.04/0.5 openai/gpt-5.6-luna
1050000 128000 r xhigh=xhigh 0.1/0.6/0.01/0.125,271999:0.2/0.9/0.02/0.25 openai/gpt-5.6-luna-batch
1050000 128000 r xhigh=xhigh 0.4/2.4/0.04/0.5,271999:0.8/3.6/0.08/1 openai/gpt-5.6-luna-fast
1050000 128000 r xhigh=xhigh 4/20/0.4/5,271999:8/30/0.8/10 openai/gpt-5.6-sol
1050000 128000 r xhigh=xhigh 2/10/0.2/2.5,271999:4/15/0.4/5 openai/gpt-5.6-sol-batch
1050000 128000 r xhigh=xhigh 8/40/0.8/10,271999:16/60/1.6/20 openai/gpt-5.6-sol-fast
1050000 128000 r xhigh=xhigh 2/12/0.2/2.5,271999:4/18/0.4/5 openai/gpt-5.6-terra
1050000 128000 r xhigh=xhigh 1/6/0.1/1.25,271999:2/9/0.2/2.5 openai/gpt-5.6-terra-batch
1050000 128000 r xhigh=xhigh 4/24/0.4/5,271999:8/36/0.8/10 openai/gpt-5.6-terra-fast
1050000 128000 r xhigh=xhigh 10/50/1/12.5,272000:20/75/2/25 openai/gpt-6-astra
1050000 128000 r xhigh=xhigh 5/25/0.5/6.25,272000:10/37.5/1/12.5 openai/gpt-6-astra-batch
1050000 128000 r xhigh=xhigh 20/100/2/25,272000:40/150/4/50 openai/gpt-6-astra-fast
1050000 128000 r xhigh=xhigh 0.1/0.5/0.01/0.125,272000:0.2/0.75/0.02/0.25 openai/gpt-6-luna
1050000 128000 r xhigh=xhigh 0.05/0.25/0.005/0.0625,272000:0.1/0.375/0.01/0.125 openai/gpt-6-luna-batch
1050000 128000 r xhigh=xhigh 0.2/1/0.02/0.25,272000:0.4/1.5/0.04/0.5 openai/gpt-6-luna-fast
1050000 128000 r xhigh=xhigh 2/10/0.2/2.5,272000:4/15/0.4/5 openai/gpt-6-sol
1050000 128000 r xhigh=xhigh 1/5/0.1/1.25,272000:2/7.5/0.2/2.5 openai/gpt-6-sol-batch
1050000 128000 r xhigh=xhigh 4/20/0.4/5,272000:8/30/0.8/10 openai/gpt-6-sol-fast
1050000 128000 r xhigh=xhigh 2/10/0.1/2.5,272000:4/15/0.2/5 openai/gpt-6.1-sol openai/gpt-6.1-terra-fast
1050000 128000 r xhigh=xhigh 1/5/0.05/1.25,272000:2/7.5/0.1/2.5 openai/gpt-6.1-sol-batch openai/gpt-6.1-terra
1050000 128000 r xhigh=xhigh 4/20/0.2/5,272000:8/30/0.4/10 openai/gpt-6.1-sol-fast
131072 131072 r - 0.1/0.5/0.1/0 openai/gpt-oss-120b
131072 8192 r - 0.03/0.14/0/0 openai/gpt-oss-20b
128000 16000 r - 0.15/0.6/0/0 openai/gpt-oss-safeguard-120b
128000 16000 r - 0.07/0.2/0/0 openai/gpt-oss-safeguard-20b
200000 100000 r - 15/60/7.5/0 openai/o1
200000 100000 r - 2/8/0.5/0 openai/o3
200000 100000 r - 3.5/14/0.875/0 openai/o3-fast
200000 100000 r - 1.1/4.4/0.55/0 openai/o3-mini
200000 100000 r - 20/80/0/0 openai/o3-pro
200000 100000 r - 1.1/4.4/0.275/0 openai/o4-mini
1048576 131072 r - 0.125/0.5/0.015/0 particle/particle-1
1000000 131072 r - 0.09/0.18/0.009/0 poolside/laguna-s-2.1
131072 131072 r - 4/20/0.4/5 quiverai/arrow-2
131072 131072 r - 6/30/0.6/7.5 quiverai/arrow-2-telos
1048576 131072 r - - reflection/beam reflection/beam-free
1000000 1000000 r - 2/6/0.25/0 sakana/fugu-max
1000000 1000000 r - 5/30/0.5/0,272000:10/45/1/0 sakana/fugu-ultra sakana/fugu-ultra-v2
256000 256000 r - 0.95/4/0.15/0 sakana/namazu
2000000 2000000 r - 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 spacexai/grok-4.20-multi-agent spacexai/grok-4.20-multi-agent-beta spacexai/grok-4.20-reasoning spacexai/grok-4.20-reasoning-beta
2000000 2000000 r - 1/2/0.16/0,200000:2/4/0.32/0 spacexai/grok-4.20-multi-agent-batch spacexai/grok-4.20-reasoning-batch
2000000 2000000 - - 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 spacexai/grok-4.20-non-reasoning spacexai/grok-4.20-non-reasoning-beta
2000000 2000000 - - 1/2/0.16/0,200000:2/4/0.32/0 spacexai/grok-4.20-non-reasoning-batch
1000000 1000000 r - 1.25/2.5/0.2/0,200000:2.5/5/0.4/0 spacexai/grok-4.3
1000000 1000000 r - 1/2/0.16/0,200000:2/4/0.32/0 spacexai/grok-4.3-batch
500000 500000 r - 2/6/0.3/0,200000:4/12/0.6/0 spacexai/grok-4.5
500000 500000 r - 2/6/0.5/0,200000:4/12/1/0 spacexai/grok-4.6 spacexai/grok-4.7
256000 256000 r - 1/2/0.2/0,200000:2/4/0.4/0 spacexai/grok-build-0.1
4096 4096 r - - spacexai/grok-voice-3.0
256000 256000 r - - stealth/glyph-cluster
256000 256000 r - 0.2/1.15/0.04/0 stepfun/step-3.7-flash
1048576 1048576 r - 1/2.7/0.1/0 stepfun/step-5-preview
262144 262144 r - 0.14/0.58/0.035/0 tencent/hy3
1024000 64000 r - 0.417/1.2505/0.021/0 tencent/hy4
1024000 64000 r - 0.834/2.501/0.042/0 tencent/hy4-preview
256000 256000 r - 1/4.05/0.17/0 thinkingmachines/inkling
1000000 1000000 r - 0.45/1.2/0.1/0 thinkingmachines/inkling-small
1048576 131072 r - 0.14/0.28/0.0028/0 xiaomi/mimo-v2.6-flash
1048576 131072 r - 0.435/0.87/0.0036/0 xiaomi/mimo-v2.6-pro
1048576 131072 r - 4.35/8.7/0.036/0 xiaomi/mimo-v2.6-pro-ultraspeed
128000 96000 r - 0.6/2.2/0.11/0 zai/glm-4.5
128000 96000 r - 0.2/1.1/0.03/0 zai/glm-4.5-air
66000 16000 r - 0.6/1.8/0.11/0 zai/glm-4.5v
200000 96000 r - 0.6/2.2/0.11/0 zai/glm-4.6
200000 120000 r - 0.6/2.2/0/0 zai/glm-4.7
200000 131000 r - 0.07/0.4/0/0 zai/glm-4.7-flash
200000 128000 r - 0.06/0.4/0.01/0 zai/glm-4.7-flashx
202800 131100 r - 1/3.2/0/0 zai/glm-5
202800 131100 r - 1.2/4/0.24/0 zai/glm-5-turbo
202800 64000 r - 1.4/4.4/0.26/0 zai/glm-5.1
1000000 128000 r - 1.4/4.4/0.14/0 zai/glm-5.2
1000000 128000 r - 2.8/8.8/0.56/0 zai/glm-5.2-fast
1000000 1000000 r - 1.4/4.4/0.14/0 zai/glm-5.3
1048576 262144 r - 2.1/6.6/0.21/0 zai/glm-5.3-fast
1000000 131000 r - 0.15/0.5/0.03/0 zai/glm-5.3-flash
1000000 131072 r - 0.37/1.25/0.075/0 zai/glm-5.3-flashx zai/glm-5.3-flashx-legal
200000 128000 r - 1.2/4/0.24/0 zai/glm-5v-turbo
`,
  'xiaomi-token-plan-ams': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= - mimo-v2.6-flash mimo-v2.6-pro
`,
  'xiaomi-token-plan-cn': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= - mimo-v2.6-flash mimo-v2.6-pro
`,
  'xiaomi-token-plan-sgp': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= - mimo-v2.6-flash mimo-v2.6-pro
`,
  'zai-coding-cn': `
128000 32768 r - 0.3/0.9/0.05/0 glm-4.6v
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 1.4/4.4/0.26/0 glm-5.3
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max 0.15/0.5/0.03/0 glm-5.3-flash
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max - glm-5.3-highspeed
`,
};
