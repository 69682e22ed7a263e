import type { SessionFormat } from './define.js';
import { LEFT_OUT, transcript } from './transcript.js';

export default {
  name: 'markdown',
  takes: 'session',
  readsBaseline: false,
  summary: 'the transcript of a path as Markdown; nothing in it can leave its fence',
  leavesOut: LEFT_OUT,
  write: transcript,
} satisfies SessionFormat;
