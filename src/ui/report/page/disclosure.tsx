import { createContext, type ReactNode, useContext, useState } from 'react';

/** Whether the page is being printed. */
export const Printing = createContext(false);

interface FoldProps {
  readonly summary: ReactNode;
  readonly className?: string;
  readonly isOpen?: boolean;
  readonly children: () => ReactNode;
}

/** Details that are built when they are first opened. */
export function Disclosure({ summary, className = '', isOpen = false, children }: FoldProps): ReactNode {
  const [isBuilt, setIsBuilt] = useState(isOpen);
  // Paper has nothing to click on.
  const isPrinting = useContext(Printing);
  return (
    <details className={className} open={isOpen || isPrinting} onToggle={() => setIsBuilt(true)}>
      <summary>{summary}</summary>
      {(isBuilt || isPrinting) && children()}
    </details>
  );
}
