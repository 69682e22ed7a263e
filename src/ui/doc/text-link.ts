/** A text that a terminal opens an address for, where there is one. Spaces behind it are not part of that. */
export function linkedTo(address: string | undefined, text: string, print: (text: string) => string): string {
  if (address === undefined) return print(text);
  const name = text.trimEnd();
  return `\u001b]8;;${address}\u001b\\${print(name)}\u001b]8;;\u001b\\${text.slice(name.length)}`;
}
