import type { SessionFormat } from './define.js';
import { LEFT_OUT, transcript } from './transcript.js';

export default {
  name: 'text',
  takes: 'session',
  readsBaseline: false,
  summary: 'the transcript of a path, for reading in a terminal',
  leavesOut: LEFT_OUT,
  write: transcript,
} satisfies SessionFormat;
