import { FieldLayout } from '../../scan/fields.js';

/** The fields that the tree depends on, without the texts of the input. */
export const LAYOUT = new FieldLayout({
  type: 'type',
  timestamp: 'timestamp:time',
  payload: 'payload:kind',
  kind: 'payload.type',
  role: 'payload.role',
  call: 'payload.call_id',
  name: 'payload.name',
  model: 'payload.model',
  effort: 'payload.effort',
  turns: 'payload.num_turns:number',
  history: 'payload.replacement_history:kind',
  response: 'payload.response_id',
  info: 'payload.info:kind',
  window: 'payload.info.model_context_window:number',
  ...countersIn('total', 'payload.info.total_token_usage'),
  ...countersIn('last', 'payload.info.last_token_usage'),
  ...countersIn('usage', 'payload.usage'),
});

/** The places of these fields in a record. */
export const SLOT = LAYOUT.slot;

/** The counters of a session so far, of its newest request, and of a record of usage. */
export type Counters = 'total' | 'last' | 'usage';

type CounterFields<Of extends Counters> = Record<Of | `${Of}.${'input' | 'cached' | 'output' | 'all'}`, string>;

function countersIn<Of extends Counters>(of: Of, path: string): CounterFields<Of> {
  return {
    [of]: `${path}:kind`,
    [`${of}.input`]: `${path}.input_tokens:number`,
    [`${of}.cached`]: `${path}.cached_input_tokens:number`,
    [`${of}.output`]: `${path}.output_tokens:number`,
    [`${of}.all`]: `${path}.total_tokens:number`,
  } as CounterFields<Of>;
}

/** The places of the counters of a request or a session. */
export function slotsOf(of: Counters): readonly number[] {
  return [SLOT[`${of}.input`], SLOT[`${of}.cached`], SLOT[`${of}.output`], SLOT[`${of}.all`]];
}
