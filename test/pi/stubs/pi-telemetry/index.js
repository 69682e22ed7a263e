export const NOOP_TELEMETRY_CONTEXT = {};
export const NOOP_TELEMETRY_METRICS = {};
export const defineTelemetrySchema = (schema) => schema;
export const createTypedMetrics = () => ({});
export const createTypedSpanStarter = () => () => ({});
