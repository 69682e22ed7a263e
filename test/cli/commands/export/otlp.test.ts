import { Buffer } from 'node:buffer';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectFolder } from '../../../support/files.js';
import { exportTrace, SESSIONS, spansOf } from './traces.js';

/** A message of Protocol Buffers, installed apart: `(cd test/otlp && npm install)`. */
interface Message {
  fromObject(value: object): object;
  verify(message: object): string | null;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, how: object): unknown;
}

const installed = createRequire(path.join(projectFolder, 'test/otlp/package.json'));
const isInstalled = existsSync(path.join(projectFolder, 'test/otlp/node_modules/@opentelemetry/otlp-transformer'));

function loadRequest(): Message {
  const root = installed('@opentelemetry/otlp-transformer/build/src/generated/root.js') as {
    opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Message } } } } };
  };
  return root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
}

/** The request with its ids in base64, as Protocol Buffers has bytes in JSON: OTLP has them as hex digits. */
function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      /^(?:trace|span|parentSpan)Id$/.test(key) ? Buffer.from(String(item), 'hex').toString('base64') : withBytes(item),
    ]),
  );
}

describe.runIf(isInstalled).each(SESSIONS)('the trace of %s', (_name, text) => {
  it.each([[[]], [['--full']]])('is a request of OTLP, without any other field: %j', async (flags) => {
    const request = loadRequest();
    const trace = withBytes(await exportTrace(text, ...flags)) as object;
    const message = request.fromObject(trace);
    expect(request.verify(message)).toBeNull();
    const decoded = request.decode(request.encode(message).finish());
    expect(request.toObject(decoded, { longs: String, bytes: String })).toEqual(trace);
  });

  it('has attributes of the published conventions only', async () => {
    const names = Object.values(installed('@opentelemetry/semantic-conventions/incubating') as object);
    for (const { attributes } of spansOf(await exportTrace(text, '--full')))
      for (const { key } of attributes) expect(names).toContain(key);
  });
});
