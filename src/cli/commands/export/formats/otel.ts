import type { SessionFormat } from './define.js';
import { toAttributes } from './otlp.js';
import { listSpans } from './spans.js';

/** The conventions that name the attributes. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0';

/** A request of OTLP/HTTP in JSON, which any collector of traces takes. */
export default {
  name: 'otel',
  takes: 'session',
  summary:
    'a trace in OTLP/JSON with the GenAI conventions of OpenTelemetry 1.41: a span for each request and tool call; messages only with --full',
  leavesOut: [
    'Other branches: --at selects one.',
    'The sessions of subagents.',
    'The cost: the conventions have no attribute for it.',
    'The time at which a request was sent: its span begins at the message before its answer.',
    'With --full, the messages of earlier requests: gen_ai.input.messages has those since the request before.',
  ],
  async *write({ session, path, isFull }) {
    const { agent } = session;
    const resource = {
      attributes: toAttributes({ 'service.name': agent?.name ?? 'pi', 'service.version': agent?.version ?? null }),
    };
    const url = JSON.stringify(SCHEMA_URL);
    yield `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":{"name":"pi-ctx"},"spans":[`;
    let separator = '';
    for (const span of listSpans(session, path, isFull)) {
      yield `${separator}\n${JSON.stringify(span)}`;
      separator = ',';
    }
    yield `],"schemaUrl":${url}}],"schemaUrl":${url}}]}\n`;
  },
} satisfies SessionFormat;
