import type { Tokenizer } from './define.js';
import o200k from './o200k.js';

export default {
  name: 'claude',
  summary: "o200k times a factor measured on the session's own Claude requests",
  isCalibrated: true,
  load: o200k.load,
} satisfies Tokenizer;
