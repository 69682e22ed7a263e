import { Fragment, type ReactNode } from 'react';
import { toVisibleLine } from '#base/visible.js';

export interface Property {
  readonly name: string;
  readonly value: ReactNode;
}

/** A list of names and values. */
export function PropertyList({ properties }: { properties: readonly Property[] }): ReactNode {
  return (
    <dl className="facts">
      {properties.map(({ name, value }) => (
        <Fragment key={name}>
          <dt>{name}</dt>
          <dd>{typeof value === 'string' ? toVisibleLine(value) : value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}

/** Lines of text below a title, if there are any. */
export function TitledList({ title, all }: { title: string; all: readonly string[] }): ReactNode {
  if (all.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      <ul className="plain">
        {all.map((text, at) => (
          <li key={at}>{toVisibleLine(text)}</li>
        ))}
      </ul>
    </>
  );
}
