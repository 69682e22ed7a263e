import type { CSSProperties } from 'react';

/** Gives the sign of an element a colour of the style. */
export function chooseColor(name: string): CSSProperties {
  return { ['--key' as string]: `var(--${name})` };
}

/** A colour of the style, in the scheme of the page. */
export function readColor(name: string): string {
  const probe = document.body.appendChild(document.createElement('i'));
  probe.style.color = `var(--${name})`;
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
