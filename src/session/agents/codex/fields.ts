import { FieldLayout } from '../../scan/fields.js';

const COUNTERS = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'total_tokens'];
const OBJECTS = {
  total: 'payload.info.total_token_usage',
  last: 'payload.info.last_token_usage',
  usage: 'payload.usage',
};

/** The fields that the tree depends on, without the texts of the input. */
export const LAYOUT = new FieldLayout([
  'type',
  'timestamp:time',
  'payload:kind',
  'payload.type',
  'payload.role',
  'payload.call_id',
  'payload.name',
  'payload.model',
  'payload.effort',
  'payload.num_turns:number',
  'payload.replacement_history:kind',
  'payload.response_id',
  'payload.info:kind',
  'payload.info.model_context_window:number',
  ...Object.values(OBJECTS).flatMap((path) => [`${path}:kind`, ...COUNTERS.map((name) => `${path}.${name}:number`)]),
]);

/** The places of these fields in a record. */
export const SLOT = {
  type: LAYOUT.slot('type'),
  timestamp: LAYOUT.slot('timestamp'),
  payload: LAYOUT.slot('payload'),
  kind: LAYOUT.slot('payload.type'),
  role: LAYOUT.slot('payload.role'),
  call: LAYOUT.slot('payload.call_id'),
  name: LAYOUT.slot('payload.name'),
  model: LAYOUT.slot('payload.model'),
  effort: LAYOUT.slot('payload.effort'),
  turns: LAYOUT.slot('payload.num_turns'),
  history: LAYOUT.slot('payload.replacement_history'),
  response: LAYOUT.slot('payload.response_id'),
  window: LAYOUT.slot('payload.info.model_context_window'),
} as const;

/** The places of the counters of an object, and of the object itself. */
export interface CounterSlots {
  readonly object: number;
  readonly input: number;
  readonly output: number;
  readonly all: readonly number[];
}

/** The counters of a session so far, of its newest request, and of a record of usage. */
export const [TOTAL, LAST, USAGE] = [slotsOf(OBJECTS.total), slotsOf(OBJECTS.last), slotsOf(OBJECTS.usage)];

function slotsOf(path: string): CounterSlots {
  const all = COUNTERS.map((name) => LAYOUT.slot(`${path}.${name}`));
  return { object: LAYOUT.slot(path), input: all[0] ?? 0, output: all[2] ?? 0, all };
}
