/** Where a text stands, as JavaScript would write it: `message.content[0].text`. */
export function placeText(steps: readonly (string | number)[]): string {
  return steps
    .map((step) =>
      typeof step === 'number' ? `[${step}]` : NAME.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
    )
    .join('')
    .replace(/^\./, '');
}

const NAME = /^[A-Za-z_$][\w$]*$/;
