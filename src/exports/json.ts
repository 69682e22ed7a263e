import { visibleJson } from '../render/visible.js';
import type { RequestFormat } from './define.js';

export default {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with where everything comes from: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ text: `${visibleJson(JSON.stringify(envelope, null, 2))}\n`, problems: [] }),
} satisfies RequestFormat;
