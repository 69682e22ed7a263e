import { createContext, useContext } from 'react';
import type { Store } from './store.js';

const StoreContext = createContext<Store | null>(null);

export const StoreProvider = StoreContext.Provider;

/** The data of the session that the page shows. */
export function useStore(): Store {
  const store = useContext(StoreContext);
  if (store === null) throw new Error('no session is shown');
  return store;
}
