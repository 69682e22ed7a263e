import { expect, it, vi } from 'vitest';
import { CtxError, toCtxError } from '#base/errors.js';

it('an error of another bundle of ctx in the same process is no bug', async () => {
  vi.resetModules();
  const other = await import('#base/errors.js');
  expect(other.CtxError).not.toBe(CtxError);
  const error = new other.CtxError('input', 'no such file', { where: 'x.json' });
  expect(error).toBeInstanceOf(CtxError);
  expect(toCtxError(error)).toBe(error);
  expect(new Error('no such file')).not.toBeInstanceOf(CtxError);
});
