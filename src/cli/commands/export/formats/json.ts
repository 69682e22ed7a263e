import { indentedJson } from '#ui/doc/json.js';
import type { RequestFormat } from './define.js';

export default {
  name: 'json',
  takes: 'request',
  isPayload: false,
  summary: 'the context envelope with where everything comes from: the document of ctx show --json',
  leavesOut: [],
  write: ({ envelope }) => ({ pieces: indentedJson(envelope), problems: [] }),
} satisfies RequestFormat;
