/** A value of an attribute in OTLP/JSON: opentelemetry-proto 1.5, `common/v1/common.proto`. */
type OtlpValue =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };

interface OtlpAttribute {
  readonly key: string;
  readonly value: OtlpValue;
}

/**
 * A span in OTLP/JSON: opentelemetry-proto 1.5, `trace/v1/trace.proto`. Ids are hex digits, times nanoseconds since
 * 1970.
 */
export interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** undefined: it is the root of the trace. */
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: number } | undefined;
}

export const INTERNAL = 1;
export const CLIENT = 3;
export const FAILED = { code: 2 } as const;

/** The values of attributes by their names; null leaves one out. */
export type Attributes = Readonly<Record<string, string | number | readonly string[] | null>>;

export function toAttributes(values: Attributes): readonly OtlpAttribute[] {
  return Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ key, value: toValue(value) }]));
}

/** Whole numbers are texts in OTLP/JSON, since JSON has none of 64 bits. A collector refuses a fraction in one. */
function toValue(value: string | number | readonly string[]): OtlpValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'number') return { intValue: String(Math.round(value)) };
  return { arrayValue: { values: value.map((stringValue) => ({ stringValue })) } };
}

/** The latest time that fits, in milliseconds: in the year 2554. */
const LATEST = Math.floor(2 ** 64 / 1e6);

/** Nanoseconds of a time in milliseconds, within the 64 bits that OTLP has for them; 0 for a time that is not known. */
export function toNanoseconds(time: number): string {
  const milliseconds = Math.min(Math.max(0, Math.trunc(time)), LATEST);
  return milliseconds > 0 ? `${milliseconds}000000` : '0';
}
