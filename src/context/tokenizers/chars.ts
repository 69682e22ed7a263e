import { BY_CHARACTERS } from '../replay/tokens.js';
import type { Tokenizer } from './define.js';

export default {
  name: 'chars',
  summary: "Pi's own estimate: four characters per token",
  isCalibrated: false,
  load: () => Promise.resolve(BY_CHARACTERS),
} satisfies Tokenizer;
