import type { ReactNode } from 'react';

/** A key figure. */
export interface Tile {
  readonly title: string;
  readonly value: string;
  readonly note: string;
  readonly link?: string;
}

/** A row of key figures. */
export function Tiles({ all }: { all: readonly Tile[] }): ReactNode {
  return (
    <dl className="tiles">
      {all.map(({ title, value, note, link }) => (
        <div className="tile" key={title}>
          <dt>{title}</dt>
          <dd>
            {link === undefined ? <b>{value}</b> : <a href={link}>{value}</a>}
            <small>{note}</small>
          </dd>
        </div>
      ))}
    </dl>
  );
}
