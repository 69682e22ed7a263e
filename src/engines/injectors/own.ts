import { defineInjector, type Injector, type Placement } from './define.js';

/** An injector of the user: a text, as it stands. */
export function ownInjector(name: string, placement: Placement): Injector {
  return defineInjector({
    name,
    summary: 'A text of the configuration',
    help: 'The text, or the texts of the files, one after another.',
    ...placement,
    needs: 'files',
    inject(_, { texts }) {
      const text = texts.map((each) => each.text.trim()).join('\n\n');
      return text === '' ? null : { kind: 'text', heading: null, text };
    },
  });
}
