import { CtxError, toCtxError } from '#base/errors.js';
import { isObject } from '#base/json.js';
import type { Live, LivePart, Notice } from './define.js';
import type { Pi, PiContext } from './pi.js';

/** Installs parts. An error of one is a notice, at the latest at the start of the session, and the others go on. */
export function installParts(pi: Pi, live: Live, list: readonly LivePart[]): void {
  pi.on('session_start', (event) => live.begin(event));
  for (const part of list) {
    try {
      part.install(guardPart(pi, part, live), live);
    } catch (error) {
      pi.on('session_start', (_event, ctx) => live.notice(ctx, toFailureNotice(part, error)));
    }
  }
}

/** Pi for a part: an error of a handler or a command becomes a notice. */
function guardPart(pi: Pi, part: LivePart, live: Live): Pi {
  const guard =
    <Args extends readonly [unknown, PiContext], Result>(handler: (...args: Args) => Result) =>
    async (...args: Args): Promise<Awaited<Result> | undefined> => {
      try {
        refuseInvalidLists(args[0]);
        return await handler(...args);
      } catch (error) {
        live.notice(args[1], toFailureNotice(part, error));
      }
    };
  const on = (event: string, handler: (event: unknown, ctx: PiContext) => unknown): unknown =>
    pi.on(event as 'session_start', guard(handler) as never);
  return Object.assign(Object.create(pi) as Pi, {
    on: on as Pi['on'],
    registerCommand: (name, options) => pi.registerCommand(name, { ...options, handler: guard(options.handler) }),
  } satisfies Partial<Pi>);
}

export function toFailureNotice({ name }: Pick<LivePart, 'name'>, error: unknown): Notice {
  const { message, where, hint } = error instanceof CtxError ? error : (toSystemError(error) ?? toCtxError(error));
  // A flag is of no use inside Pi.
  const hints = hint === null || /(?:^|\s)--[a-z]/.test(hint) ? [] : [hint];
  const text = [message, where, ...hints].filter((part) => part !== null).join(': ');
  // Several parts may meet the same fault.
  return { cause: message, text: `ctx: ${name}: ${text}`, level: 'warning' };
}

/** An error of the file system, such as a full disk; null for any other one. */
function toSystemError(error: unknown): CtxError | null {
  const { code, path: file } = (error ?? {}) as NodeJS.ErrnoException;
  if (!(error instanceof Error) || typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) return null;
  return new CtxError('refused', `the session cannot be read or written (${error.message.split(',')[0]})`, {
    where: file,
    hint: 'repair the disk or the path, then open the session again with /resume',
  });
}

/**
 * Pi passes on what other extensions return. Throws a CtxError (input) for lists that are none, or that hold no
 * objects.
 */
function refuseInvalidLists(event: unknown): void {
  for (const name of ['messages', 'entries']) {
    const list = isObject(event) ? event[name] : undefined;
    if (list === undefined || (Array.isArray(list) && list.every(isObject))) continue;
    throw new CtxError('input', `another extension returned ${name} that are none, so ctx does nothing here`, {
      hint: 'load Pi without that extension',
    });
  }
}
