/* oxlint-disable max-lines -- a generated list */

/**
 * The models of @earendil-works/pi-ai 1.5.2, by provider. A line lists the models of the same facts: context window, output limit,
 * abilities, efforts, then the ids. `modelFacts` reads it; `npm run models` writes it.
 */
export const MODELS: Readonly<Record<string, string>> = {
  anthropic: `
1000000 128000 ra off=,xhigh=xhigh,max=max claude-fable-5 claude-fable-5-1 claude-fable-5-2
200000 64000 r - claude-haiku-4-5 claude-haiku-4-5-20251001 claude-opus-4-5 claude-opus-4-5-20251101 claude-sonnet-4-5 claude-sonnet-4-5-20250929
1000000 128000 ra minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max claude-haiku-5-5
1000000 128000 ra max=max claude-opus-4-6 claude-sonnet-4-6
1000000 128000 ra xhigh=xhigh,max=max claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max claude-opus-5-5 claude-sonnet-5-5
`,
  openai: `
400000 128000 r - chat-latest
8192 8192 - - gpt-4
128000 4096 - - gpt-4-turbo gpt-4o-2024-05-13
1047576 32768 - - gpt-4.1 gpt-4.1-mini gpt-4.1-nano
128000 16384 - - gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gpt-5 gpt-5-mini gpt-5-nano
128000 16384 - off= gpt-5-chat-latest
400000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=,max= gpt-5-pro
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= gpt-5.1
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.2 gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano
400000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= gpt-5.2-pro
128000 32000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.3-codex-spark
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4 gpt-5.5
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4-pro gpt-5.5-pro
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-cyber
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-luna gpt-6-sol gpt-6.1-terra
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-astra gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-daybreak-blue-latest
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-daybreak-red-latest
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= o1 o1-pro o3 o3-mini o3-pro o4-mini
`,
  google: `
1048576 65536 r - deep-research-max-preview-04-2026 deep-research-preview-04-2026 gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro
128000 64000 r - gemini-2.5-computer-use-preview-10-2025
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.1-flash-lite-preview gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash gemini-flash-latest gemini-flash-lite-latest
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3.7-flash gemini-3.8-flash gemini-pro-latest
1048576 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-4-argon
131072 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gemini-robotics-er-2-preview
262144 32768 r off=,minimal=MINIMAL,low=,medium=,high=HIGH gemma-4-26b-a4b-it gemma-4-31b-it
`,
  deepseek: `
1000000 384000 r minimal=,low=low,medium=,high=high,max=max deepseek-flash
1000000 384000 r minimal=,low=,medium=,high=high,max=max deepseek-v4-pro
`,
  mistral: `
256000 8192 - - codestral-2508
256000 4096 - - codestral-latest
1048576 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4-1-flash-1017
262144 262144 - - devstral-2512 devstral-latest devstral-medium-latest ministral-14b-2512 ministral-8b-2512 mistral-large-2512 mistral-large-latest mistral-medium-2508
1048576 131072 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5-2 zai-glm-5-2
256000 256000 - - labs-devstral-small-2512
262144 128000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= labs-leanstral-1-5-1
262144 16384 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= magistral-medium-latest
131072 262144 - - ministral-3b-2512
131072 128000 - - ministral-3b-latest
262144 128000 - - ministral-8b-latest
1048576 262144 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= mistral-large-4 mistral-large-4-0-8
131072 131072 - - mistral-medium-2505
262144 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistral-medium-2604 mistral-medium-3.5 mistral-medium-latest
128000 16384 - - mistral-small-2506
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistral-small-2603 mistral-small-latest
128000 128000 - - open-mistral-nemo pixtral-12b
32768 32000 - - voxtral-small-2507 voxtral-small-latest
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max zai-glm-5-3 zai-glm-5-3-flash
`,
  xai: `
1000000 30000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.3
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.5 grok-4.6 grok-4.7
`,
  meta: `
1048576 524288 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max muse-ember-1.0
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= muse-spark-1.1 muse-spark-1.2 muse-spark-1.2-contributor muse-spark-1.3-contributor
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max muse-spark-1.3 muse-wonder-1.0
`,
  moonshotai: `
262144 262144 r - kimi-k2.6
262144 262144 r off= kimi-k2.7-code kimi-k2.7-code-highspeed
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-k3 kimi-k3.1-pro kimi-k3.1-pro-highspeed
`,
  zai: `
204800 131072 r - glm-4.7
200000 131072 r - glm-5-turbo
1000000 131072 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2 glm-5.2-highspeed
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3 glm-5.3-flash glm-5.3-highspeed
`,
  minimax: `
204800 131072 r - MiniMax-M2.7 MiniMax-M2.7-highspeed
1000000 524288 r - MiniMax-M3
1000000 524288 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max MiniMax-M3.1-Flash
`,
  xiaomi: `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= mimo-v2.6-flash mimo-v2.6-pro mimo-v2.6-pro-ultraspeed
`,
  nvidia: `
1000000 384000 r minimal=,low=,medium=,high=high,max=max deepseek-ai/deepseek-v4.1-flash
250000 32768 r - google/diffusiongemma-26b-a4b-it
131072 16384 - - google/gemma-3-12b-it google/gemma-3-4b-it
128000 8192 - - meta/llama-3.2-90b-vision-instruct nvidia/llama-3.1-nemotron-70b-instruct
131072 131072 r - meta/muse-glimmer-30b
262144 262144 r - minimaxai/minimax-m3.1-flash moonshotai/kimi-k2.6 nvidia/nemotron-3.5-lightning-30b-a3b
65536 65536 - - mistralai/mistral-7b-instruct-v0.3
131072 16384 r - nvidia/cosmos-reason2-8b
128000 16384 r - nvidia/llama-3.1-nemotron-ultra-253b-v1
256000 65536 r - nvidia/nemotron-3-nano-omni-30b-a3b-reasoning
1000000 65536 r - nvidia/nemotron-3-ultra-550b-a55b
1048576 8192 r - nvidia/nemotron-3.5-super-vl-120b-a12b
131072 32768 r - openai/gpt-oss-20b
262144 16384 r - poolside/laguna-xs-2.1
1048576 1048576 r - stepfun-ai/step-5-preview
1000000 131072 r - z-ai/glm-5.3-flash
`,
  'amazon-bedrock': `
1000000 65535 r - amazon.nova-2-lite-v1:0 eu.amazon.nova-2-lite-v1:0 global.amazon.nova-2-lite-v1:0 jp.amazon.nova-2-lite-v1:0 us.amazon.nova-2-lite-v1:0
300000 10000 - - amazon.nova-lite-v1:0 amazon.nova-pro-v1:0 apac.amazon.nova-lite-v1:0 apac.amazon.nova-pro-v1:0 ca.amazon.nova-lite-v1:0 eu.amazon.nova-lite-v1:0 eu.amazon.nova-pro-v1:0 us.amazon.nova-lite-v1:0 us.amazon.nova-pro-v1:0
128000 10000 - - amazon.nova-micro-v1:0 apac.amazon.nova-micro-v1:0 eu.amazon.nova-micro-v1:0 us.amazon.nova-micro-v1:0
1000000 128000 r off=,xhigh=xhigh,max=max anthropic.claude-fable-5 anthropic.claude-fable-5-1 anthropic.claude-fable-5-2 eu.anthropic.claude-fable-5 global.anthropic.claude-fable-5 global.anthropic.claude-fable-5-1 global.anthropic.claude-fable-5-2 us.anthropic.claude-fable-5 us.anthropic.claude-fable-5-1 us.anthropic.claude-fable-5-2
200000 64000 r - anthropic.claude-haiku-4-5-20251001-v1:0 anthropic.claude-opus-4-5-20251101-v1:0 anthropic.claude-sonnet-4-5-20250929-v1:0 apac.anthropic.claude-sonnet-4-20250514-v1:0 au.anthropic.claude-haiku-4-5-20251001-v1:0 au.anthropic.claude-sonnet-4-5-20250929-v1:0 eu.anthropic.claude-haiku-4-5-20251001-v1:0 eu.anthropic.claude-opus-4-5-20251101-v1:0 eu.anthropic.claude-sonnet-4-20250514-v1:0 eu.anthropic.claude-sonnet-4-5-20250929-v1:0 global.anthropic.claude-haiku-4-5-20251001-v1:0 global.anthropic.claude-opus-4-5-20251101-v1:0 global.anthropic.claude-sonnet-4-20250514-v1:0 global.anthropic.claude-sonnet-4-5-20250929-v1:0 in.anthropic.claude-haiku-4-5-20251001-v1:0 jp.anthropic.claude-haiku-4-5-20251001-v1:0 jp.anthropic.claude-sonnet-4-5-20250929-v1:0 us.anthropic.claude-haiku-4-5-20251001-v1:0 us.anthropic.claude-opus-4-5-20251101-v1:0 us.anthropic.claude-sonnet-4-20250514-v1:0 us.anthropic.claude-sonnet-4-5-20250929-v1:0
1000000 128000 r xhigh=xhigh,max=max anthropic.claude-haiku-5-5 anthropic.claude-opus-4-7 anthropic.claude-opus-4-8 anthropic.claude-opus-5-5 anthropic.claude-sonnet-5 anthropic.claude-sonnet-5-5 au.anthropic.claude-haiku-5-5 au.anthropic.claude-opus-4-7 au.anthropic.claude-opus-4-8 au.anthropic.claude-opus-5 au.anthropic.claude-opus-5-5 au.anthropic.claude-sonnet-5 au.anthropic.claude-sonnet-5-5 eu.anthropic.claude-haiku-5-5 eu.anthropic.claude-opus-4-7 eu.anthropic.claude-opus-4-8 eu.anthropic.claude-opus-5 eu.anthropic.claude-opus-5-5 eu.anthropic.claude-sonnet-5 eu.anthropic.claude-sonnet-5-5 global.anthropic.claude-haiku-5-5 global.anthropic.claude-opus-4-7 global.anthropic.claude-opus-4-8 global.anthropic.claude-opus-5 global.anthropic.claude-opus-5-5 global.anthropic.claude-sonnet-5 global.anthropic.claude-sonnet-5-5 in.anthropic.claude-opus-5 in.anthropic.claude-sonnet-5 jp.anthropic.claude-haiku-5-5 jp.anthropic.claude-opus-4-7 jp.anthropic.claude-opus-4-8 jp.anthropic.claude-opus-5 jp.anthropic.claude-opus-5-5 jp.anthropic.claude-sonnet-5 us.anthropic.claude-haiku-5-5 us.anthropic.claude-opus-4-7 us.anthropic.claude-opus-4-8 us.anthropic.claude-opus-5 us.anthropic.claude-opus-5-5 us.anthropic.claude-sonnet-5 us.anthropic.claude-sonnet-5-5
200000 32000 r - anthropic.claude-opus-4-1-20250805-v1:0 us.anthropic.claude-opus-4-1-20250805-v1:0
1000000 128000 r max=max anthropic.claude-opus-4-6-v1 anthropic.claude-sonnet-4-6 au.anthropic.claude-opus-4-6-v1 au.anthropic.claude-sonnet-4-6 eu.anthropic.claude-opus-4-6-v1 eu.anthropic.claude-sonnet-4-6 global.anthropic.claude-opus-4-6-v1 global.anthropic.claude-sonnet-4-6 jp.anthropic.claude-sonnet-4-6 us.anthropic.claude-opus-4-6-v1 us.anthropic.claude-sonnet-4-6
163840 81920 r - deepseek.v3-v1:0 deepseek.v3.2
128000 8192 - - eu.mistral.pixtral-large-2502-v1:0 mistral.pixtral-large-2502-v1:0 us.mistral.pixtral-large-2502-v1:0
1048576 128000 r - global.moonshotai.kimi-k3 us.moonshotai.kimi-k3
1048576 1048576 r - global.moonshotai.kimi-k3.1 us.moonshotai.kimi-k3.1
1050000 128000 r xhigh=xhigh global.openai.gpt-5.6-luna global.openai.gpt-5.6-sol global.openai.gpt-5.6-terra global.openai.gpt-6-astra global.openai.gpt-6-luna global.openai.gpt-6-sol global.openai.gpt-6.1-sol global.openai.gpt-6.1-terra in.openai.gpt-5.6-luna in.openai.gpt-5.6-terra openai.gpt-5.6-luna openai.gpt-5.6-sol openai.gpt-5.6-terra openai.gpt-6-astra openai.gpt-6-luna openai.gpt-6-sol openai.gpt-6.1-sol openai.gpt-6.1-terra us.openai.gpt-5.6-luna us.openai.gpt-5.6-sol us.openai.gpt-5.6-terra us.openai.gpt-6-astra us.openai.gpt-6-luna us.openai.gpt-6-sol us.openai.gpt-6.1-sol us.openai.gpt-6.1-terra
500000 500000 r - global.xai.grok-4.6 global.xai.grok-4.7 us.xai.grok-4.6 us.xai.grok-4.7 xai.grok-4.6
1000000 128000 r - global.zai.glm-5.3 us.zai.glm-5.3
262144 32768 r - google.gemma-4-26b-a4b google.gemma-4-31b
131072 8192 r - google.gemma-4-e2b
128000 4096 - - meta.llama3-1-70b-instruct-v1:0 meta.llama3-1-8b-instruct-v1:0 meta.llama3-3-70b-instruct-v1:0 mistral.ministral-3-14b-instruct mistral.ministral-3-8b-instruct us.meta.llama3-1-70b-instruct-v1:0 us.meta.llama3-1-8b-instruct-v1:0 us.meta.llama3-3-70b-instruct-v1:0
1000000 8192 - - meta.llama4-maverick-17b-instruct-v1:0 us.meta.llama4-maverick-17b-instruct-v1:0
10000000 8192 - - meta.llama4-scout-17b-instruct-v1:0 us.meta.llama4-scout-17b-instruct-v1:0
204608 128000 r - minimax.minimax-m2
196608 131072 r - minimax.minimax-m2.1
196608 98304 r - minimax.minimax-m2.5
262144 8192 - - mistral.devstral-2-123b mistral.mistral-large-3-675b-instruct
128000 40000 r - mistral.magistral-small-2509
256000 8192 - - mistral.ministral-3-3b-instruct
32768 4096 - - mistral.voxtral-mini-3b-2507
32768 8192 - - mistral.voxtral-small-24b-2507
262144 16000 r - moonshot.kimi-k2-thinking
262144 16384 r - moonshotai.kimi-k2.5
131072 8192 - - nvidia.nemotron-nano-12b-v2 nvidia.nemotron-nano-9b-v2
262144 8192 r - nvidia.nemotron-nano-3-30b
262144 131072 r - nvidia.nemotron-super-3-120b
1000000 128000 r xhigh=xhigh openai.gpt-5.4 openai.gpt-5.5
131072 131072 r - openai.gpt-oss-120b openai.gpt-oss-20b
131072 128000 r - openai.gpt-oss-120b-1:0 openai.gpt-oss-20b-1:0
128000 16384 r - openai.gpt-oss-safeguard-120b openai.gpt-oss-safeguard-20b us-gov.openai.gpt-oss-120b-1:0 us-gov.openai.gpt-oss-20b-1:0
262144 131072 - - qwen.qwen3-235b-a22b-2507-v1:0 qwen.qwen3-coder-30b-a3b-v1:0
32768 16384 r - qwen.qwen3-32b-v1:0
131072 65536 - - qwen.qwen3-coder-480b-a35b-v1:0
262144 65536 - - qwen.qwen3-coder-next
262144 262000 - - qwen.qwen3-next-80b-a3b qwen.qwen3-vl-235b-a22b
1000000 10000 - - us.amazon.nova-premier-v1:0
122880 8192 r - us.writer.palmyra-x4-v1:0 writer.palmyra-x4-v1:0
1040000 8192 r - us.writer.palmyra-x5-v1:0 writer.palmyra-x5-v1:0
1000000 131072 r - xai.grok-4.3
202752 131072 r - zai.glm-4.7 zai.glm-4.7-flash zai.glm-5
`,
  'ant-ling': `
262144 65536 - - Ling-2.6-1T Ling-2.6-flash
262144 65536 r off=,minimal=,low=,medium=,high=high,xhigh=xhigh Ring-2.6-1T
`,
  azure: `
400000 128000 r - chat-latest gpt-daybreak-red-latest
8192 8192 - - gpt-4
128000 4096 - - gpt-4-turbo gpt-4o-2024-05-13
1047576 32768 - - gpt-4.1 gpt-4.1-mini gpt-4.1-nano
128000 16384 - - gpt-4o gpt-4o-2024-08-06 gpt-4o-2024-11-20 gpt-4o-mini
400000 128000 r off= gpt-5 gpt-5-mini gpt-5-nano gpt-5-pro gpt-5.1
128000 16384 - off= gpt-5-chat-latest
400000 128000 r off=,xhigh=xhigh gpt-5.2 gpt-5.2-pro gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano
128000 32000 r off=,xhigh=xhigh gpt-5.3-codex-spark
1050000 128000 r off=,xhigh=xhigh gpt-5.4 gpt-5.4-pro gpt-5.5
1050000 128000 r off=,xhigh=xhigh,minimal=,low= gpt-5.5-pro
400000 128000 r off=,xhigh=xhigh,max=max gpt-5.6-cyber
1050000 128000 r off=,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-astra gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol gpt-6.1-terra
1050000 128000 r - gpt-daybreak-blue-latest
200000 100000 r - o1 o1-pro o3 o3-mini o3-pro o4-mini
1000000 384000 r minimal=,low=low,medium=medium,high=high,xhigh=,max= deepseek-v4-pro
`,
  baseten: `
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4-Flash-0731
1048576 262144 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4-Pro-0813 moonshotai/Kimi-K3
1048576 32768 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4.1-Flash deepseek-ai/DeepSeek-V4.1-Flash-Fast
1048576 262144 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4.1-Flash-1017 deepseek-ai/DeepSeek-V4.1-Flash-1017-Fast
1000000 262144 r - moonshotai/Kimi-K3.1-Pro
202800 202800 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= nvidia/NVIDIA-Nemotron-3-Ultra-550B-A55B
128072 128072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max openai/gpt-oss-120b
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max zai-org/GLM-5.2 zai-org/GLM-5.2-Fast
1048576 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max zai-org/GLM-5.3 zai-org/GLM-5.3-Fast
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max zai-org/GLM-5.3-Flash
`,
  cerebras: `
131072 40960 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gpt-oss-120b
131072 40960 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= qwen-3.8-27b
`,
  'cloudflare-ai-gateway': `
1000000 128000 ra off=,xhigh=xhigh,max=max claude-fable-5 claude-fable-5-1
200000 64000 r - claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5
1000000 128000 ra xhigh=xhigh,max=max claude-haiku-5-5 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-opus-5-5 claude-sonnet-5 claude-sonnet-5-5
1000000 128000 ra max=max claude-opus-4-6 claude-sonnet-4-6
1048576 1048576 r minimal=,low=,medium=,high=high,max=max workers-ai/@cf/deepseek-ai/deepseek-v4-flash-0731 workers-ai/@cf/deepseek-ai/deepseek-v4-pro-0813 workers-ai/@cf/deepseek-ai/deepseek-v4.1-flash-1017
256000 16384 r - workers-ai/@cf/google/gemma-4-26b-a4b-it
131000 131000 - - workers-ai/@cf/ibm-granite/granite-4.0-h-micro
24000 24000 - - workers-ai/@cf/meta/llama-3.3-70b-instruct-fp8-fast
131000 16384 - - workers-ai/@cf/meta/llama-4-scout-17b-16e-instruct
128000 128000 - - workers-ai/@cf/mistralai/mistral-small-3.1-24b-instruct
262144 256000 r - workers-ai/@cf/moonshotai/kimi-k2.6 workers-ai/@cf/zai-org/glm-5.2
262144 262144 r - workers-ai/@cf/moonshotai/kimi-k2.7-code workers-ai/@cf/qwen/qwen3.8-27b
256000 256000 r - workers-ai/@cf/nvidia/nemotron-3-120b-a12b
128000 16384 r - workers-ai/@cf/openai/gpt-oss-120b workers-ai/@cf/openai/gpt-oss-20b
32768 32768 r - workers-ai/@cf/qwen/qwen3-30b-a3b-fp8
131072 131072 r - workers-ai/@cf/zai-org/glm-4.7-flash
1048576 1048576 r - workers-ai/@cf/zai-org/glm-5.3 workers-ai/@cf/zai-org/glm-5.3-flash
1047576 32768 - - gpt-4.1 gpt-4.1-mini
1000000 32768 - - gpt-4.1-nano
128000 16384 - - gpt-4o gpt-4o-mini
128000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gpt-5 gpt-5-mini gpt-5-nano
128000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gpt-5.1
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4 gpt-5.5
128000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4-mini gpt-5.4-nano
1000000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4-pro gpt-5.5-pro
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol gpt-6.1-terra
200000 100000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= o3 o3-mini o4-mini
`,
  'cloudflare-workers-ai': `
1048576 1048576 r minimal=,low=,medium=,high=high,max=max @cf/deepseek-ai/deepseek-v4-flash-0731 @cf/deepseek-ai/deepseek-v4-pro-0813 @cf/deepseek-ai/deepseek-v4.1-flash-1017
256000 16384 r - @cf/google/gemma-4-26b-a4b-it
131000 131000 - - @cf/ibm-granite/granite-4.0-h-micro
24000 24000 - - @cf/meta/llama-3.3-70b-instruct-fp8-fast
131000 16384 - - @cf/meta/llama-4-scout-17b-16e-instruct
128000 128000 - - @cf/mistralai/mistral-small-3.1-24b-instruct
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= @cf/moonshotai/kimi-k2.6
262144 262144 r - @cf/moonshotai/kimi-k2.7-code
256000 256000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max= @cf/nvidia/nemotron-3-120b-a12b
128000 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= @cf/openai/gpt-oss-120b @cf/openai/gpt-oss-20b
32768 32768 r - @cf/qwen/qwen3-30b-a3b-fp8
262144 262144 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= @cf/qwen/qwen3.8-27b
131072 131072 r - @cf/zai-org/glm-4.7-flash
262144 256000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max=max @cf/zai-org/glm-5.2
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max @cf/zai-org/glm-5.3 @cf/zai-org/glm-5.3-flash
`,
  fireworks: `
1000000 384000 ra off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max accounts/fireworks/models/deepseek-v4p1-flash accounts/fireworks/models/deepseek-v4p1-flash-1017 accounts/fireworks/routers/deepseek-flash-latest accounts/fireworks/routers/deepseek-v4p1-flash-1017-spot accounts/fireworks/routers/deepseek-v4p1-flash-1017-ultrafast accounts/fireworks/routers/deepseek-v4p1-flash-spot
1048576 131072 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max accounts/fireworks/models/ember-1 accounts/fireworks/routers/kimi-fast-latest accounts/fireworks/routers/kimi-latest
512000 512000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= accounts/fireworks/models/minimax-m3 accounts/fireworks/routers/minimax-latest
1000000 512000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max accounts/fireworks/models/minimax-m3p1-flash
1048576 131072 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= accounts/fireworks/models/muse-spark-open
262144 131072 ra off=none,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= accounts/fireworks/models/qwen3p8-2p4t-a95b accounts/fireworks/models/qwen3p8-max accounts/fireworks/routers/qwen-max-latest
1048573 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max accounts/fireworks/models/glm-5p3 accounts/fireworks/routers/glm-5p3-spot accounts/fireworks/routers/glm-latest
1048573 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max accounts/fireworks/models/glm-5p3-flash accounts/fireworks/routers/glm-flash-latest
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max accounts/fireworks/models/kimi-k3 accounts/fireworks/models/kimi-k3p1-pro accounts/fireworks/routers/kimi-k3-fast accounts/fireworks/routers/kimi-k3-spot
1048572 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max accounts/fireworks/routers/glm-5p3-fast accounts/fireworks/routers/glm-fast-latest
`,
  'github-copilot': `
1000000 128000 ra off=,xhigh=xhigh,max=max claude-fable-5 claude-fable-5.1
200000 64000 r - claude-haiku-4.5
1000000 128000 ra xhigh=xhigh,max=max claude-haiku-5.5 claude-sonnet-5 claude-sonnet-5.5
1000000 64000 ra xhigh=xhigh,max=max,minimal=low claude-opus-4.8 claude-opus-5
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max claude-opus-5.5
1000000 32000 ra max=max,minimal=low claude-sonnet-4.6
1000000 64000 r - gemini-3.8-flash
1048576 65536 r - gemini-4-argon
1048576 131072 r - kimi-k3
1000000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.3-codex
400000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4-nano
1050000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-astra
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6.1-terra
500000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= grok-4.5
500000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.6 grok-4.7
256000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= mai-code-1.1-flash
`,
  'google-vertex': `
1048576 65536 r - gemini-2.5-flash gemini-2.5-flash-lite gemini-2.5-pro
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gemini-3-flash-preview gemini-3.1-flash-lite gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-3.1-pro-preview gemini-3.1-pro-preview-customtools gemini-3.7-flash gemini-3.8-flash gemini-4-argon
`,
  groq: `
131072 131072 - - llama-3.1-8b-instant
131072 32768 - - llama-3.3-70b-versatile
131072 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-oss-120b openai/gpt-oss-20b openai/gpt-oss-safeguard-20b
131072 16384 r off=none,minimal=,low=,medium=,high=default,xhigh=,max= qwen/qwen3.6-27b
131072 16384 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= qwen/qwen3.8-27b
`,
  huggingface: `
64000 32768 r - deepseek-ai/DeepSeek-R1
163840 32768 r - deepseek-ai/DeepSeek-R1-0528
64000 8192 - - deepseek-ai/DeepSeek-V3
163840 163840 - - deepseek-ai/DeepSeek-V3-0324
131072 8192 r - deepseek-ai/DeepSeek-V3.1
163840 65536 r - deepseek-ai/DeepSeek-V3.2
1048576 384000 r - deepseek-ai/DeepSeek-V4-Flash
1048576 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4-Flash-0731
1048576 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4-Flash-Vision-Exp deepseek-ai/DeepSeek-V4.1-Flash-1017
1048576 393216 r off=,minimal=,low=,medium=,high=high,xhigh=,max= deepseek-ai/DeepSeek-V4-Pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-ai/DeepSeek-V4-Pro-0813
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=xhigh,max=max deepseek-ai/DeepSeek-V4.1-Flash
131072 131072 - - google/gemma-3-12b-it google/gemma-3-27b-it google/gemma-3-4b-it
262144 32768 r - google/gemma-4-26B-A4B-it google/gemma-4-31B-it
131072 4096 - - meta-llama/Llama-3.1-8B-Instruct meta-llama/Llama-3.3-70B-Instruct
1000000 80000 r - MiniMaxAI/MiniMax-M1-80k
204800 131072 r - MiniMaxAI/MiniMax-M2 MiniMaxAI/MiniMax-M2.1 MiniMaxAI/MiniMax-M2.5 MiniMaxAI/MiniMax-M2.7 zai-org/GLM-4.6 zai-org/GLM-4.7
524288 512000 r - MiniMaxAI/MiniMax-M3
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max MiniMaxAI/MiniMax-M3.1-Flash
131072 16384 - - moonshotai/Kimi-K2-Instruct
262144 16384 - - moonshotai/Kimi-K2-Instruct-0905 Qwen/Qwen3-235B-A22B-Instruct-2507
262144 262144 r - moonshotai/Kimi-K2-Thinking moonshotai/Kimi-K2.5 moonshotai/Kimi-K2.6 moonshotai/Kimi-K2.7-Code
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max moonshotai/Kimi-K3
131072 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-oss-120b openai/gpt-oss-20b Qwen/Qwen3-VL-235B-A22B-Thinking
131072 8192 - - Qwen/Qwen2.5-Coder-32B-Instruct
40960 16384 r - Qwen/Qwen3-235B-A22B Qwen/Qwen3-30B-A3B
262144 81920 r - Qwen/Qwen3-235B-A22B-Thinking-2507
131072 16384 r - Qwen/Qwen3-32B
40960 32768 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= Qwen/Qwen3-8B
262144 65536 - - Qwen/Qwen3-Coder-30B-A3B-Instruct Qwen/Qwen3-Coder-480B-A35B-Instruct Qwen/Qwen3-Coder-Next
262144 32768 - - Qwen/Qwen3-Next-80B-A3B-Instruct
131072 32768 - - Qwen/Qwen3-VL-235B-A22B-Instruct Qwen/Qwen3-VL-30B-A3B-Instruct
262144 65536 r - Qwen/Qwen3.5-122B-A10B Qwen/Qwen3.5-27B Qwen/Qwen3.5-35B-A3B Qwen/Qwen3.5-9B Qwen/Qwen3.6-27B Qwen/Qwen3.6-35B-A3B
262144 32768 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= Qwen/Qwen3.5-397B-A17B
262144 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= Qwen/Qwen3.8-2.4T-A95B
262144 32768 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= Qwen/Qwen3.8-27B
262144 256000 r - stepfun-ai/Step-3.5-Flash
262144 256000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= stepfun-ai/Step-3.7-Flash
262144 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= tencent/Hy3
1000000 64000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= tencent/Hy4-preview
1048576 1048576 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= thinkingmachines/Inkling
524288 1048576 r - thinkingmachines/Inkling-Small
262144 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= XiaomiMiMo/MiMo-V2.5
1048576 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= XiaomiMiMo/MiMo-V2.5-Pro
131072 98304 r - zai-org/GLM-4.5-Air
65536 16384 r - zai-org/GLM-4.5V
131072 32768 r - zai-org/GLM-4.6V-Flash
200000 128000 r - zai-org/GLM-4.7-Flash
202752 131072 r - zai-org/GLM-5 zai-org/GLM-5.1
262144 131072 r - zai-org/GLM-5.2
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max zai-org/GLM-5.3 zai-org/GLM-5.3-Flash
`,
  'kimi-coding': `
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max k3 k3.1-pro k3.1-pro-highspeed
262144 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max k3-256k
1048576 32768 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-for-coding
262144 32768 r off= kimi-for-coding-highspeed
`,
  'minimax-cn': `
204800 131072 r - MiniMax-M2.7 MiniMax-M2.7-highspeed
1000000 524288 r - MiniMax-M3
1000000 524288 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max MiniMax-M3.1-Flash
`,
  'moonshotai-cn': `
262144 262144 r - kimi-k2.6
262144 262144 r off= kimi-k2.7-code kimi-k2.7-code-highspeed
1048576 1048576 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-k3 kimi-k3.1-pro kimi-k3.1-pro-highspeed
`,
  'openai-codex': `
272000 128000 r xhigh=xhigh,max=max,minimal=low gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra
272000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-astra
272000 128000 r off=none,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol
500000 128000 r off=,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6.1-sol
500000 128000 r off=none,minimal=low,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6.1-terra
`,
  opencode: `
1000000 128000 ra off=,xhigh=xhigh,max=max claude-fable-5 claude-fable-5-1 claude-fable-5-2
200000 64000 r - claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5
1000000 128000 ra xhigh=xhigh,max=max claude-haiku-5-5 claude-opus-4-7 claude-opus-4-8 claude-opus-5 claude-sonnet-5
1000000 128000 ra max=max claude-opus-4-6
1000000 128000 ra xhigh=xhigh,max=max,off= claude-opus-5-5 claude-sonnet-5-5
1000000 64000 ra max=max claude-sonnet-4-6
262144 65536 r - qwen3.5-plus qwen3.6-plus kimi-k2.5 kimi-k2.6
1000000 131072 r - qwen3.8-flash
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gemini-3-flash gemini-3.5-flash gemini-3.5-flash-lite gemini-3.6-flash
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-3.1-pro gemini-3.7-flash gemini-3.8-flash gemini-4-argon
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max beam-free
200000 32000 r - big-pickle mimo-v2.6-flash-free
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-v4-pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4.1-flash
200000 32000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4.1-flash-free glm-5.3-flash-free
262144 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max flint-40b-free
204800 131072 r - glm-5 glm-5.1 minimax-m2.5 minimax-m2.7
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3 glm-5.3-flash
262144 131072 r - iceman-free
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max inkling-2-small-free
262144 262144 r - kimi-k2.7-code nemotron-3.5-lightning-free
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-k3
1000000 262144 r - longcat-2.5-free
512000 128000 r - minimax-m3
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max minimax-m3.1-flash-free
524288 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistral-large-4
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= nemotron-3.5-super-vl-free
262144 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen3.8-max
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= gpt-5 gpt-5-nano
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gpt-5-codex gpt-5.1 gpt-5.1-codex gpt-5.1-codex-mini
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.1-codex-max gpt-5.2 gpt-5.2-codex gpt-5.3-codex gpt-5.4-mini gpt-5.4-nano
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= gpt-5.4-pro gpt-5.5-pro
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= gpt-5.5
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6-astra gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= grok-4.5
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.6 grok-4.7
256000 256000 r off=,minimal=,low=,medium= grok-build-0.1
1048576 270000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max muse-ember-1.0
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= muse-spark-1.2 muse-spark-1.3
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max muse-wonder-1.0
`,
  'opencode-go': `
1000000 128000 ra xhigh=xhigh,max=max claude-haiku-5-5
1000000 131072 r - minimax-m3 qwen3.8-flash qwen3.8-max longcat-2.0
1000000 65536 r - qwen3.7-plus
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-4-argon
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max beam-free
1000000 384000 r minimal=,low=,medium=,high=high,max=max deepseek-v4-pro
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4.1-flash
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3 glm-5.3-flash
256000 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= hy3
1048576 65536 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= hy4
1024000 64000 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= hy4-preview
262144 131072 r - iceman-contributor-free
262144 262144 r - kimi-k2.7-code
1048576 131072 r off=,minimal=,low=,medium=,high=,xhigh=,max=max kimi-k3
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-k3.1-pro
1000000 262144 r - longcat-2.5-free
1000000 128000 r - mimo-v2.5
1048576 128000 r - mimo-v2.5-pro
1048576 131072 r - mimo-v2.6-flash mimo-v2.6-pro
1000000 512000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max minimax-m3.1-flash
1000000 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= step-5-preview
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna
500000 500000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.7
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= muse-spark-1.2-contributor muse-spark-1.3-contributor
`,
  openrouter: `
1000000 128000 ra off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max ~anthropic/claude-fable-latest ~anthropic/claude-opus-latest ~anthropic/claude-sonnet-latest anthropic/claude-fable-5 anthropic/claude-fable-5.1 anthropic/claude-fable-5.2 anthropic/claude-opus-5.5 anthropic/claude-sonnet-5.5
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max ~anthropic/claude-haiku-latest anthropic/claude-haiku-5.5 anthropic/claude-opus-4.7 anthropic/claude-opus-4.8 anthropic/claude-opus-5 anthropic/claude-sonnet-5
200000 64000 r - anthropic/claude-haiku-4.5 anthropic/claude-opus-4.5 anthropic/claude-haiku-4.5:batch anthropic/claude-opus-4.5:batch
200000 32000 r - anthropic/claude-opus-4.1 anthropic/claude-opus-4.1:batch
1000000 128000 ra off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max anthropic/claude-opus-4.6 anthropic/claude-sonnet-4.6
1000000 64000 r - anthropic/claude-sonnet-4.5 anthropic/claude-sonnet-4.5:batch typesafe/jev-router
1048576 943718 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max ~deepseek/deepseek-flash-latest ~deepseek/deepseek-v4-flash-latest deepseek/deepseek-v4-flash-0731 deepseek/deepseek-v4-pro-0813 deepseek/deepseek-v4.1-flash deepseek/deepseek-v4.1-flash-1017 deepseek/deepseek-v4.1-flash-1017:batch fireworks/ember-1
1048576 393216 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max ~deepseek/deepseek-pro-latest
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= ~google/gemini-flash-latest google/gemini-3.1-pro-preview google/gemini-3.1-pro-preview-customtools google/gemini-3.1-pro-preview:batch google/gemini-3.7-flash google/gemini-3.7-flash:batch google/gemini-3.8-flash google/gemini-3.8-flash:batch
1048576 943718 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= ~google/gemini-pro-latest google/gemini-4-argon google/gemini-4-argon:batch
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max ~moonshotai/kimi-latest deepseek/deepseek-v4.1-flash:batch moonshotai/kimi-k3 moonshotai/kimi-k3.1-pro
1050000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max ~openai/gpt-astra-latest ~openai/gpt-sol-latest openai/gpt-6-astra openai/gpt-6-astra-pro openai/gpt-6-astra-pro:batch openai/gpt-6-astra:batch openai/gpt-6.1-sol openai/gpt-6.1-sol-pro openai/gpt-6.1-sol-pro:batch openai/gpt-6.1-sol:batch openai/gpt-6.1-terra-pro openai/gpt-6.1-terra-pro:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max ~openai/gpt-luna-latest ~openai/gpt-terra-latest openai/gpt-5.6-luna openai/gpt-5.6-luna-pro openai/gpt-5.6-luna-pro:batch openai/gpt-5.6-luna:batch openai/gpt-5.6-sol openai/gpt-5.6-sol-pro openai/gpt-5.6-sol-pro:batch openai/gpt-5.6-sol:batch openai/gpt-5.6-terra openai/gpt-5.6-terra-pro openai/gpt-5.6-terra-pro:batch openai/gpt-5.6-terra:batch openai/gpt-6-luna openai/gpt-6-luna-pro openai/gpt-6-luna-pro:batch openai/gpt-6-luna:batch openai/gpt-6-sol openai/gpt-6-sol-pro openai/gpt-6-sol-pro:batch openai/gpt-6-sol:batch openai/gpt-6.1-terra openai/gpt-6.1-terra:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= ~openai/gpt-mini-latest openai/gpt-5.2 openai/gpt-5.2:batch openai/gpt-5.3-codex openai/gpt-5.4-mini openai/gpt-5.4-mini:batch openai/gpt-5.4-nano openai/gpt-5.4-nano:batch
1048576 131072 - - ~unbiased/pareto-latest unbiased/pareto-26.10
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= ~x-ai/grok-latest x-ai/grok-4.6 x-ai/grok-4.6:batch x-ai/grok-4.7 x-ai/grok-4.7:batch
1048576 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max ~z-ai/glm-flash-latest z-ai/glm-5.3-flashx z-ai/glm-5.3-flashx-legal z-ai/glm-5.3:batch
1048576 943718 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max ~z-ai/glm-latest z-ai/glm-5.3 z-ai/glm-5.3-flash:batch
131072 32768 r off= aion-labs/aion-2.0 aion-labs/aion-3.0 aion-labs/aion-3.0-mini
262144 32768 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max aion-labs/aion-3.5 aion-labs/aion-3.5-mini
1000000 65535 r - amazon/nova-2-lite-v1
300000 5120 - - amazon/nova-lite-v1 amazon/nova-pro-v1
128000 5120 - - amazon/nova-micro-v1
1000000 32000 - - amazon/nova-premier-v1
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max anthropic/claude-fable-5:batch anthropic/claude-fable-5.1:batch anthropic/claude-fable-5.2:batch anthropic/claude-opus-5.5:batch anthropic/claude-sonnet-5.5:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max anthropic/claude-haiku-5.5:batch anthropic/claude-opus-4.7:batch anthropic/claude-opus-4.8:batch anthropic/claude-opus-5:batch anthropic/claude-sonnet-5:batch
1000000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max=max anthropic/claude-opus-4.6:batch anthropic/claude-sonnet-4.6:batch
2000000 30000 r - auto
262144 32768 r - bytedance-seed/seed-1.6 bytedance-seed/seed-1.6-flash google/gemma-4-26b-a4b-it:free google/gemma-4-31b-it:free inclusionai/ling-3.0-flash
262144 235929 r - bytedance-seed/seed-2-1-turbo moonshotai/kimi-k2.6 nvidia/nemotron-3-nano-30b-a3b nvidia/nemotron-3.5-lightning qwen/qwen3.5-9b qwen/qwen3.6-35b-a3b xiaomi/mimo-v2.5-pro xingchen-agi/xing4.0-29b-a4b:free
262144 131072 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= bytedance-seed/seed-2.0-code
262144 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= bytedance-seed/seed-2.0-lite bytedance-seed/seed-2.0-mini
256000 8192 - - cohere/command-a
192000 64000 r - cohere/command-a-plus
128000 4000 - - cohere/command-r-08-2024 cohere/command-r-plus-08-2024 cohere/command-r7b-12-2024
256000 64000 r - cohere/north-mini-code:free qwen/qwen3.5-397b-a17b
163840 16384 - - deepseek/deepseek-chat
128000 115200 - - deepseek/deepseek-chat-v3-0324 meta-llama/llama-3.3-70b-instruct
163840 147456 r - deepseek/deepseek-chat-v3.1 deepseek/deepseek-v3.1-terminus deepseek/deepseek-v3.2 deepseek/deepseek-v3.2-exp
163840 32768 r off= deepseek/deepseek-r1-0528
1048575 943717 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= deepseek/deepseek-v4-flash
1048576 384000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek/deepseek-v4-flash-0731:batch
1048575 943717 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek/deepseek-v4-flash-vision-exp
1024000 384000 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= deepseek/deepseek-v4-pro
512000 460800 r - dots-studio/dots-3-note-preview:free
262144 256000 r - elorian/glimpse
1048576 65535 r - google/gemini-2.5-flash google/gemini-2.5-flash-lite
1048576 65536 r off= google/gemini-2.5-pro google/gemini-2.5-pro-preview
1048576 65536 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= google/gemini-3-flash-preview google/gemini-3-flash-preview:batch google/gemini-3.1-flash-lite google/gemini-3.1-flash-lite-preview google/gemini-3.1-flash-lite:batch
65536 32768 r off= google/gemini-3-pro-image
1048576 65536 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= google/gemini-3.5-flash google/gemini-3.5-flash-lite google/gemini-3.5-flash-lite:batch google/gemini-3.5-flash:batch google/gemini-3.6-flash google/gemini-3.6-flash:batch
65536 58982 r off=none,minimal=minimal,low=,medium=,high=high,xhigh=,max= google/gemini-nano-banana-2.1
131072 16384 - - google/gemma-3-12b-it meta-llama/llama-3.1-8b-instruct mistralai/mistral-nemo
131072 117964 - - google/gemma-3-27b-it qwen/qwen3-235b-a22b-2507
256000 128000 r - google/gemma-4-26b-a4b-it
262144 16384 r - google/gemma-4-31b-it
131072 117964 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= ibm-granite/granite-4.2-8b
131072 32768 r - inclusionai/ling-3.0-flash-vl z-ai/glm-4.6v
262144 250000 r - inclusionai/ling-3.0-tiny
1000000 262144 r - inclusionai/ling-3.1-flash
128000 8192 r off= liquid/lfm-2.5-2.6b liquid/lfm-2.5-24b-a2b
65536 8192 r off= liquid/lfm-2.5-2.6b:free
262144 8192 r off= liquid/lfm-3-1.7b liquid/lfm-3-1.7b:free
1048756 262144 r - meituan/longcat-2.0
524288 32768 - - meta-llama/llama-4-maverick
327680 16384 - - meta-llama/llama-4-scout
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max meta/muse-ember meta/muse-spark-1.3 meta/muse-spark-1.3-contributor meta/muse-wonder
131072 16384 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= meta/muse-glimmer-30b meta/muse-glimmer-30b:batch
1048576 943718 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= meta/muse-spark-1.1 meta/muse-spark-1.2 meta/muse-spark-1.2-contributor
1048576 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= meta/muse-spark-open
65536 58982 r off= minimax/minimax-m2.5
196608 176947 r off= minimax/minimax-m2.7
524288 512000 r - minimax/minimax-m3 minimax/minimax-m3:batch
1048576 524288 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max minimax/minimax-m3.1-flash
256000 204800 - - mistralai/codestral-2508
262144 209715 - - mistralai/devstral-2512 mistralai/ministral-14b-2512 mistralai/ministral-8b-2512 mistralai/mistral-large-2512
131072 104857 - - mistralai/ministral-3b-2512 mistralai/mistral-large-2407 mistralai/mistral-medium-3 mistralai/mistral-medium-3.1
128000 102400 - - mistralai/mistral-large mistralai/mistral-small-3.1-24b-instruct
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistralai/mistral-large-4-0
262144 209715 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistralai/mistral-medium-3-5 mistralai/mistral-medium-3-5:batch mistralai/mistral-small-2603
32768 26214 - - mistralai/mistral-saba mistralai/mistral-small-3.2-24b-instruct mistralai/voxtral-small-24b-2507
65536 52428 - - mistralai/mixtral-8x22b-instruct
131072 98304 - - moonshotai/kimi-k2
262144 98304 - - moonshotai/kimi-k2-0905
262144 98304 r off= moonshotai/kimi-k2-thinking
256000 4096 r - moonshotai/kimi-k2.5
262144 235929 r off= moonshotai/kimi-k2.7-code qwen/qwen3-vl-30b-a3b-thinking recursive/flint-v1.0:free
1048576 16384 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max moonshotai/kimi-k3:batch
262144 235929 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= nex-agi/nex-n2.5-pro
262144 235929 r off=,minimal=,low=,medium=medium,high=high,xhigh=,max= nex-agi/nex-n2.6
256000 65536 r - nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free
262144 16384 r off=none,minimal=,low=low,medium=medium,high=,xhigh=,max= nvidia/nemotron-3-super-120b-a12b
202800 182520 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= nvidia/nemotron-3-ultra-550b-a55b
1000000 65536 r off=none,minimal=,low=,medium=medium,high=high,xhigh=,max= nvidia/nemotron-3-ultra-550b-a55b:free
1000000 65536 r - nvidia/nemotron-3.5-lightning:free qwen/qwen3.5-flash-02-23 qwen/qwen3.5-plus-02-15 qwen/qwen3.5-plus-20260420 qwen/qwen3.6-flash qwen/qwen3.6-plus qwen/qwen3.7-flash xiaomi/mimo-v2.5
1048576 943718 r - nvidia/nemotron-3.5-super-vl
1000000 131072 r - nvidia/nemotron-3.5-super-vl:free qwen/qwen3.7-max qwen/qwen3.7-plus qwen/qwen3.8-flash qwen/qwen3.8-omni-flash
4095 3685 - - openai/gpt-3.5-turbo-0613
16385 4096 - - openai/gpt-3.5-turbo-16k
8191 4096 - - openai/gpt-4
128000 4096 - - openai/gpt-4-turbo:batch openai/gpt-4o-2024-05-13
1047576 32768 - - openai/gpt-4.1 openai/gpt-4.1-mini openai/gpt-4.1-mini:batch openai/gpt-4.1-nano:batch openai/gpt-4.1:batch
1047576 942818 - - openai/gpt-4.1-nano
128000 16384 - - openai/gpt-4o openai/gpt-4o-2024-08-06 openai/gpt-4o-2024-11-20 openai/gpt-4o-mini openai/gpt-4o-mini-2024-07-18 openai/gpt-4o-mini:batch openai/gpt-4o:batch openai/gpt-audio openai/gpt-audio-mini
400000 128000 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-5 openai/gpt-5-mini openai/gpt-5-mini:batch openai/gpt-5-nano openai/gpt-5-nano:batch openai/gpt-5:batch
400000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=,max= openai/gpt-5-pro openai/gpt-5-pro:batch
400000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-5.1 openai/gpt-5.1:batch
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-5.1-codex openai/gpt-5.1-codex-mini
400000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= openai/gpt-5.1-codex-max openai/gpt-5.2-codex
128000 32000 - xhigh=xhigh openai/gpt-5.2-chat
400000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= openai/gpt-5.2-pro openai/gpt-5.2-pro:batch
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= openai/gpt-5.4 openai/gpt-5.4:batch openai/gpt-5.5 openai/gpt-5.5:batch
1050000 128000 r off=,minimal=,low=,medium=medium,high=high,xhigh=xhigh,max= openai/gpt-5.4-pro openai/gpt-5.4-pro:batch openai/gpt-5.5-pro openai/gpt-5.5-pro:batch
400000 128000 - - openai/gpt-chat-latest
131072 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-oss-120b
131072 117964 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-oss-120b:batch openai/gpt-oss-20b openai/gpt-oss-20b:batch
131072 65536 r off= openai/gpt-oss-safeguard-20b
200000 100000 r off= openai/o3 openai/o3-mini:batch openai/o3-pro openai/o3:batch openai/o4-mini:batch
2000000 4096 r - openrouter/auto openrouter/pareto-code
2000000 64000 r - openrouter/auto-beta openrouter/auto-code
200000 4096 r - openrouter/free
1000000 30000 r - openrouter/fusion
1048576 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max particle-ai/particle-1
36864 8192 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max= perceptron/perceptron-mk1.5
262144 32768 r off=none,minimal=,low=,medium=medium,high=,xhigh=xhigh,max= prism-ml/ternary-bonsai-2-27b
262144 65536 r - prism-ml/ternary-bonsai-2-9b qwen/qwen3.5-122b-a10b
32768 16384 - - qwen/qwen-2.5-72b-instruct
32768 29491 - - qwen/qwen-2.5-7b-instruct
1000000 32768 - - qwen/qwen-plus
40960 36864 r - qwen/qwen3-14b
128000 16384 r off= qwen/qwen3-235b-a22b-thinking-2507
40960 16384 r - qwen/qwen3-30b-a3b qwen/qwen3-32b
262144 235929 - - qwen/qwen3-30b-a3b-instruct-2507 qwen/qwen3-coder-30b-a3b-instruct qwen/qwen3-coder-next qwen/qwen3-vl-8b-instruct
262144 65536 - - qwen/qwen3-coder
1000000 65536 - - qwen/qwen3-coder-flash
262144 16384 - - qwen/qwen3-next-80b-a3b-instruct qwen/qwen3-vl-30b-a3b-instruct
131072 32768 - - qwen/qwen3-vl-235b-a22b-instruct
262144 81920 r - qwen/qwen3.5-27b qwen/qwen3.5-35b-a3b qwen/qwen3.6-27b
262144 131072 r - qwen/qwen3.7-plus:batch
1048576 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen/qwen3.8-2.4t-a95b
262144 235929 r off=none,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen/qwen3.8-27b qwen/qwen3.8-27b:batch
1000000 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= qwen/qwen3.8-max-0902 qwen/qwen3.8-max-prime
262144 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max= qwen/qwen3.8-max-0902:batch
1048576 943718 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max reflection/beam-1.0-501b-a23b
16384 14745 - - rekaai/reka-edge
256000 128000 - - relace/relace-search
1048576 131072 r - ricursiveai/ripple-65b-preview xiaomi/mimo-v2.6-flash xiaomi/mimo-v2.6-pro xiaomi/mimo-v2.6-pro-ultraspeed
1000000 128000 r off=,minimal=,low=,medium=,high=high,xhigh=xhigh,max=max sakana/fugu-max sakana/fugu-ultra sakana/fugu-ultra-v2
262144 65536 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= sakana/sakana-namazu
262144 65536 r off= stepfun/step-3.5-flash
256000 230400 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= stepfun/step-3.7-flash
1000000 64000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= stepfun/step-5-preview
262144 128000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= tencent/hy3
262144 235929 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= tencent/hy3-preview
1048576 65536 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= tencent/hy4
1048576 64000 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max= tencent/hy4-preview
524288 471859 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max thinkingmachines/inkling
1048576 131072 r off=,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max thinkingmachines/inkling-2-small:free
524288 262144 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=,max=max thinkingmachines/inkling-small thinkingmachines/inkling-small:batch
262144 131072 - - unbiased/pareto-26.9
524288 131072 r off=none,minimal=minimal,low=low,medium=medium,high=high,xhigh=xhigh,max=max upstage/solar-mini4 upstage/solar-pro4
2000000 1800000 r - x-ai/grok-4.20
1000000 900000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=,max= x-ai/grok-4.3 x-ai/grok-4.3:batch
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= x-ai/grok-4.5
256000 230400 r off= x-ai/grok-build-0.1
131072 98304 r - z-ai/glm-4.5 z-ai/glm-4.5-air
65536 16384 r - z-ai/glm-4.5v
202752 131072 r - z-ai/glm-4.6 z-ai/glm-5 z-ai/glm-5-turbo z-ai/glm-5.1 z-ai/glm-5v-turbo
204800 131072 r - z-ai/glm-4.7
131072 117964 r - z-ai/glm-4.7-flash
1048576 943718 r off=none,minimal=,low=,medium=,high=high,xhigh=xhigh,max= z-ai/glm-5.2 z-ai/glm-5.2:batch
1048575 943717 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max z-ai/glm-5.3-flash
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max z-ai/glm-5.3-prime
`,
  'qwen-token-plan': `
131072 65536 r - deepseek-v3.2
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-v4-flash deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4.1-flash deepseek-v4.1-flash-1017
202752 16384 r minimal=,low=,medium=,high=high,xhigh=,max=max glm-5
202752 128000 r minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.1
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3
262144 98304 r - kimi-k2.5
262144 262144 r - kimi-k2.6 kimi-k2.7-code
196608 32768 r - MiniMax-M2.5
1000000 65536 r - qwen3.6-flash qwen3.6-plus qwen3.7-plus
1000000 131072 r - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-cn': `
131072 65536 r - deepseek-v3.2
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-v4-flash deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 384000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max deepseek-v4.1-flash deepseek-v4.1-flash-1017
202752 16384 r minimal=,low=,medium=,high=high,xhigh=,max=max glm-5
202752 128000 r minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.1
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3
262144 98304 r - kimi-k2.5
262144 262144 r - kimi-k2.6 kimi-k2.7-code
196608 32768 r - MiniMax-M2.5
1000000 65536 r - qwen3.6-flash qwen3.6-plus qwen3.7-plus
1000000 131072 r - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-individual': `
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3
1000000 65536 r - qwen3.6-flash qwen3.7-plus
1000000 131072 r - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen3.8-flash qwen3.8-max
`,
  'qwen-token-plan-individual-cn': `
1000000 384000 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max deepseek-v4-flash-0731 deepseek-v4-pro deepseek-v4-pro-0813
1000000 131072 r off=,minimal=,low=,medium=,high=high,xhigh=,max=max glm-5.2
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3
1000000 65536 r - qwen3.6-flash qwen3.7-plus
1000000 131072 r - qwen3.7-max
1000000 131072 r off=,minimal=,low=low,medium=medium,high=,xhigh=xhigh,max= qwen3.8-flash qwen3.8-max
`,
  radius: `
1048576 262144 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max balanced kimi-k3
1000000 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max cheap deepseek-v4.1-flash
1000000 128000 r off=,xhigh=xhigh,max=max claude-fable-5 claude-fable-5-1 claude-fable-5-2
200000 64000 r - claude-haiku-4-5 claude-opus-4-5 claude-sonnet-4-5
1000000 128000 r minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max claude-haiku-5-5
1000000 128000 r xhigh=xhigh,max=max claude-opus-4-8 claude-opus-5 claude-sonnet-5
1000000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max claude-opus-5-5 claude-sonnet-5-5
1048576 65536 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-3.8-flash
1048576 32768 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= gemini-4-argon
1048576 128000 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3
1048575 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3-flash
272000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-5.6-luna gpt-5.6-sol gpt-5.6-terra gpt-6.1-terra precise
272000 128000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-astra gpt-6.1-sol
1050000 128000 r off=none,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max gpt-6-luna gpt-6-sol
500000 450000 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max= grok-4.7
1048576 131072 r off=none,minimal=,low=low,medium=,high=high,xhigh=,max=max kimi-k3.1-pro
524288 131072 r - minimax-m3
1000000 524288 r off=,minimal=,low=low,medium=medium,high=high,xhigh=xhigh,max=max minimax-m3.1-flash
1048576 262144 r off=none,minimal=,low=,medium=,high=high,xhigh=,max= mistral-large-4
262144 65536 r off=,minimal=,low=low,medium=,high=,xhigh=,max= recursive/flint
`,
  together: `
1048576 384000 r minimal=,low=,medium=,high=high,xhigh= deepseek-ai/DeepSeek-V4-Pro-0813
1048576 384000 r minimal=,low=,medium= deepseek-ai/DeepSeek-V4.1-Flash
1048576 131072 r minimal=,low=,medium= meta-models/Muse-Spark-Open-816B-A42B moonshotai/Kimi-K3 moonshotai/Kimi-K3.1-Pro reflection/Beam-1.0-501B-A23B
524288 524288 r minimal=,low=,medium= MiniMaxAI/MiniMax-M3
262144 262144 r minimal=,low=,medium= nvidia/NVIDIA-Nemotron-3.5-Super-VL
131072 131072 r off=,minimal=,low=low,medium=medium,high=high,xhigh=,max= openai/gpt-oss-120b
262144 65536 r minimal=,low=,medium= Qwen/Qwen3.5-9B
1000000 65536 r minimal=,low=,medium= Qwen/Qwen3.6-Plus
1000000 131072 r minimal=,low=,medium= Qwen/Qwen3.7-Max
524288 131072 r minimal=,low=,medium= thinkingmachines/Inkling
1048575 164000 r minimal=,low=,medium= zai-org/GLM-5.2
1048575 262144 r minimal=,low=,medium= zai-org/GLM-5.3
1048575 400000 r minimal=,low=,medium= zai-org/GLM-5.3-Flash
`,
  'vercel-ai-gateway': `
40960 16384 r - alibaba/qwen-3-14b alibaba/qwen-3-30b
262144 16384 - - alibaba/qwen-3-235b
128000 8192 r - alibaba/qwen-3-32b deepseek/deepseek-r1
262144 32768 - - alibaba/qwen3-coder
262144 8192 - - alibaba/qwen3-coder-30b-a3b
256000 256000 - - alibaba/qwen3-coder-next
256000 65536 r - alibaba/qwen3-max-thinking
262114 262114 - - alibaba/qwen3-next-80b-a3b-instruct
262144 262144 r - alibaba/qwen3-next-80b-a3b-thinking alibaba/qwen3.8-27b bytedance/seed-2.1-turbo nvidia/nemotron-3-nano-30b-a3b tencent/hy3
262144 262144 - - alibaba/qwen3-vl-instruct
1000000 64000 r - alibaba/qwen3.5-flash alibaba/qwen3.5-plus alibaba/qwen3.6-plus alibaba/qwen3.7-plus anthropic/claude-sonnet-4.5 anthropic/claude-sonnet-4.5-batch google/gemini-2.5-flash-batch google/gemini-3-flash-batch google/gemini-3.1-pro-preview google/gemini-3.1-pro-preview-batch google/gemini-3.5-flash google/gemini-3.6-flash google/gemini-3.6-flash-batch
256000 256000 r - alibaba/qwen3.6-27b moonshotai/kimi-k2.5 sakana/namazu spacexai/grok-build-0.1 stealth/glyph-cluster stepfun/step-3.7-flash thinkingmachines/inkling
991000 64000 r - alibaba/qwen3.7-flash alibaba/qwen3.7-max
262144 128000 r - alibaba/qwen3.8-2.4t-a95b alibaba/qwen3.8-max
991000 128000 r - alibaba/qwen3.8-flash alibaba/qwen3.8-max-0902
1000000 131072 r - alibaba/qwen3.8-max-prime alibaba/qwen3.8-omni-flash inception/mercury-3 moonshotai/kimi-k3 moonshotai/kimi-k3-fast moonshotai/kimi-k3.1-pro poolside/laguna-s-2.1 zai/glm-5.3-flashx zai/glm-5.3-flashx-legal
1000000 1000000 r - amazon/nova-2-lite google/gemini-4-argon sakana/fugu-max sakana/fugu-ultra sakana/fugu-ultra-v2 spacexai/grok-4.3 spacexai/grok-4.3-batch thinkingmachines/inkling-small zai/glm-5.3
300000 8192 - - amazon/nova-lite amazon/nova-pro
128000 8192 - - amazon/nova-micro meta/llama-3.1-70b meta/llama-3.1-8b meta/llama-3.3-70b meta/llama-4-maverick meta/llama-4-scout
1000000 128000 ra off=,xhigh=xhigh,max=max anthropic/claude-fable-5 anthropic/claude-fable-5-batch anthropic/claude-fable-5.1 anthropic/claude-fable-5.1-batch anthropic/claude-fable-5.2 anthropic/claude-fable-5.2-batch anthropic/claude-fable-5.2-fast
200000 64000 r - anthropic/claude-haiku-4.5 anthropic/claude-haiku-4.5-batch anthropic/claude-opus-4.5 anthropic/claude-opus-4.5-batch
1000000 128000 ra xhigh=xhigh,max=max anthropic/claude-haiku-5.5 anthropic/claude-haiku-5.5-batch anthropic/claude-opus-4.7 anthropic/claude-opus-4.7-batch anthropic/claude-opus-4.8 anthropic/claude-opus-4.8-batch anthropic/claude-opus-4.8-fast anthropic/claude-opus-5 anthropic/claude-opus-5-batch anthropic/claude-opus-5-fast anthropic/claude-opus-5.5 anthropic/claude-opus-5.5-batch anthropic/claude-opus-5.5-fast anthropic/claude-sonnet-5 anthropic/claude-sonnet-5-batch anthropic/claude-sonnet-5.5 anthropic/claude-sonnet-5.5-batch
1000000 128000 ra max=max anthropic/claude-opus-4.6 anthropic/claude-opus-4.6-batch anthropic/claude-sonnet-4.6 anthropic/claude-sonnet-4.6-batch
256000 32000 r - bytedance/seed-1.6 inclusionai/ling-3.0-flash inclusionai/ling-3.0-flash-fin inclusionai/ling-3.0-flash-sante inclusionai/ling-3.0-flash-vl nvidia/nemotron-3-super-120b-a12b
256000 64000 r - bytedance/seed-1.8
262144 131072 r - callstack/apex google/gemma-4-26b-a4b-it google/gemma-4-31b-it nvidia/nemotron-3.5-lightning
256000 8000 - - cohere/command-a
163840 128000 r - deepseek/deepseek-v3.1
128000 8000 - - deepseek/deepseek-v3.2 deepseek/deepseek-v3.2-thinking
1000000 384000 r - deepseek/deepseek-v4-flash deepseek/deepseek-v4-flash-0731 deepseek/deepseek-v4-pro-0813
1048576 1048576 r - deepseek/deepseek-v4-flash-vision-exp deepseek/deepseek-v4.1-flash-1017-ultrafast fireworks/ember-1 meta/muse-ember meta/muse-spark-1.1 meta/muse-spark-1.2 meta/muse-spark-1.2-contributor meta/muse-spark-1.3 meta/muse-spark-1.3-contributor meta/muse-spark-open meta/muse-wonder-1.0 minimax/minimax-m3.1-flash nvidia/nemotron-3.5-super-vl stepfun/step-5-preview
1048600 1048600 r - deepseek/deepseek-v4-pro
1048576 32768 r - deepseek/deepseek-v4.1-flash deepseek/deepseek-v4.1-flash-fast
1048576 262144 r - deepseek/deepseek-v4.1-flash-1017 deepseek/deepseek-v4.1-flash-1017-fast mistral/mistral-large-4 zai/glm-5.3-fast
1000000 65535 r - google/gemini-2.5-flash google/gemini-3.7-flash google/gemini-3.8-flash
1048576 65535 r - google/gemini-2.5-flash-lite google/gemini-2.5-flash-lite-batch google/gemini-2.5-pro google/gemini-2.5-pro-batch
1000000 65000 r - google/gemini-3-flash google/gemini-3.1-flash-lite google/gemini-3.1-flash-lite-batch google/gemini-3.5-flash-lite google/gemini-3.5-flash-lite-batch nvidia/nemotron-3-ultra-550b-a55b nvidia/nemotron-3.5-lightning-free
1000000 32768 r - humansand/ampersand-v0.1
128000 128000 r - inception/mercury-2
260000 65536 r - inception/mercury-2.5
32000 16384 - - inception/mercury-coder-small
262144 32768 r - inclusionai/ling-3.1-flash moonshotai/kimi-k2.7-code-highspeed
1000000 262144 r - inclusionai/ling-3.1-flash-1019
1000000 32000 r - interfaze/interfaze-beta
128000 8200 r - liquid/lfm2.5-24b-a2b
1048576 131072 r - meituan/longcat-2.5 moonshotai/kimi-k3.1-pro-highspeed particle/particle-1 reflection/beam reflection/beam-free xiaomi/mimo-v2.6-flash xiaomi/mimo-v2.6-pro xiaomi/mimo-v2.6-pro-ultraspeed
131072 131072 r - meta/muse-glimmer-30b nvidia/nemotron-nano-12b-v2-vl nvidia/nemotron-nano-9b-v2 openai/gpt-oss-120b quiverai/arrow-2 quiverai/arrow-2-telos
205000 205000 r - minimax/minimax-m2
204800 131072 r - minimax/minimax-m2.1 minimax/minimax-m2.1-lightning
204800 131000 r - minimax/minimax-m2.5 minimax/minimax-m2.5-highspeed minimax/minimax-m2.7
204800 131100 r - minimax/minimax-m2.7-highspeed
512000 512000 r - minimax/minimax-m3
128000 4000 - - mistral/codestral
262144 256000 - - mistral/ministral-14b mistral/mistral-large-3
131072 4000 - - mistral/ministral-3b
262144 4000 - - mistral/ministral-8b mistral/mistral-small
262144 256000 r - mistral/mistral-medium-3.5
131072 131072 - - mistral/mistral-nemo moonshotai/kimi-k2
131000 4000 - - mixedbread/toast-1
262000 262000 r - moonshotai/kimi-k2.6
256000 32768 r - moonshotai/kimi-k2.7-code
1047576 32768 - - openai/gpt-4.1 openai/gpt-4.1-batch openai/gpt-4.1-fast openai/gpt-4.1-mini openai/gpt-4.1-mini-batch openai/gpt-4.1-mini-fast openai/gpt-4.1-nano
128000 16384 - - openai/gpt-4o openai/gpt-4o-batch openai/gpt-4o-fast openai/gpt-4o-mini openai/gpt-4o-mini-batch openai/gpt-4o-mini-fast
400000 128000 r - openai/gpt-5 openai/gpt-5-batch openai/gpt-5-codex openai/gpt-5-fast openai/gpt-5-mini openai/gpt-5-mini-batch openai/gpt-5-mini-fast openai/gpt-5-nano openai/gpt-5-nano-batch openai/gpt-5.1-codex openai/gpt-5.1-codex-max openai/gpt-5.1-codex-mini openai/gpt-5.1-thinking openai/gpt-5.1-thinking-fast
400000 272000 r - openai/gpt-5-pro openai/gpt-5-pro-batch
400000 128000 r xhigh=xhigh openai/gpt-5.2 openai/gpt-5.2-batch openai/gpt-5.2-codex openai/gpt-5.2-fast openai/gpt-5.2-pro openai/gpt-5.3-codex openai/gpt-5.3-codex-fast openai/gpt-5.4-mini openai/gpt-5.4-mini-batch openai/gpt-5.4-mini-fast openai/gpt-5.4-nano openai/gpt-5.4-nano-batch
1050000 128000 r xhigh=xhigh openai/gpt-5.4 openai/gpt-5.4-batch openai/gpt-5.4-fast openai/gpt-5.4-pro openai/gpt-5.6-luna openai/gpt-5.6-luna-batch openai/gpt-5.6-luna-fast openai/gpt-5.6-sol openai/gpt-5.6-sol-batch openai/gpt-5.6-sol-fast openai/gpt-5.6-terra openai/gpt-5.6-terra-batch openai/gpt-5.6-terra-fast openai/gpt-6-astra openai/gpt-6-astra-batch openai/gpt-6-astra-fast openai/gpt-6-luna openai/gpt-6-luna-batch openai/gpt-6-luna-fast openai/gpt-6-sol openai/gpt-6-sol-batch openai/gpt-6-sol-fast openai/gpt-6.1-sol openai/gpt-6.1-sol-batch openai/gpt-6.1-sol-fast openai/gpt-6.1-terra openai/gpt-6.1-terra-fast
1000000 128000 r xhigh=xhigh openai/gpt-5.5 openai/gpt-5.5-batch openai/gpt-5.5-fast openai/gpt-5.5-pro-batch
1000000 128000 r xhigh=xhigh,off=,minimal=,low= openai/gpt-5.5-pro
131072 8192 r - openai/gpt-oss-20b
128000 16000 r - openai/gpt-oss-safeguard-120b openai/gpt-oss-safeguard-20b
200000 100000 r - openai/o1 openai/o3 openai/o3-fast openai/o3-mini openai/o3-pro openai/o4-mini
2000000 2000000 r - spacexai/grok-4.20-multi-agent spacexai/grok-4.20-multi-agent-batch spacexai/grok-4.20-multi-agent-beta spacexai/grok-4.20-reasoning spacexai/grok-4.20-reasoning-batch spacexai/grok-4.20-reasoning-beta
2000000 2000000 - - spacexai/grok-4.20-non-reasoning spacexai/grok-4.20-non-reasoning-batch spacexai/grok-4.20-non-reasoning-beta
500000 500000 r - spacexai/grok-4.5 spacexai/grok-4.6 spacexai/grok-4.7
4096 4096 r - spacexai/grok-voice-3.0
1024000 64000 r - tencent/hy4 tencent/hy4-preview
128000 96000 r - zai/glm-4.5 zai/glm-4.5-air
66000 16000 r - zai/glm-4.5v
200000 96000 r - zai/glm-4.6
200000 120000 r - zai/glm-4.7
200000 131000 r - zai/glm-4.7-flash
200000 128000 r - zai/glm-4.7-flashx zai/glm-5v-turbo
202800 131100 r - zai/glm-5 zai/glm-5-turbo
202800 64000 r - zai/glm-5.1
1000000 128000 r - zai/glm-5.2 zai/glm-5.2-fast
1000000 131000 r - zai/glm-5.3-flash
`,
  'xiaomi-token-plan-ams': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= mimo-v2.6-flash mimo-v2.6-pro
`,
  'xiaomi-token-plan-cn': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= mimo-v2.6-flash mimo-v2.6-pro
`,
  'xiaomi-token-plan-sgp': `
1048576 131072 r off=off,minimal=,low=,medium=,high=high,xhigh=,max= mimo-v2.6-flash mimo-v2.6-pro
`,
  'zai-coding-cn': `
128000 32768 r - glm-4.6v
1000000 131072 r off=,minimal=,low=low,medium=,high=high,xhigh=,max=max glm-5.3 glm-5.3-flash glm-5.3-highspeed
`,
};
