import { defineBuiltinInjector, type Injector, type Placement } from './define.js';

/** An injector of the user: a text, verbatim. */
export function buildTextInjector(name: string, placement: Placement): Injector {
  return defineBuiltinInjector({
    name,
    summary: 'A text from the configuration',
    ...placement,
    needs: 'files',
    inject(_, { texts }) {
      const text = texts.map((each) => each.text.trim()).join('\n\n');
      return text === '' ? null : { kind: 'text', heading: null, text };
    },
  });
}
