// Long lists, asked for window by window.
import { useCallback, useEffect, useRef, useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";

const MOST = 5000;

const idOf = (item) => item.id;

// All items of a list up to a bound: { items, total, failure, loading, again, change }. `change` makes other items of
// those that are shown. What is shown stays while the same is asked again, or more of it. Items are told apart by
// `keyOf`, which stays the same function.
export function useAll(document, variables, most = MOST, keyOf = idOf) {
  const key = JSON.stringify(variables);
  const shown = useRef();
  const [state, setState] = useState({ items: [], total: null, loading: true });
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((before) => before + 1), []);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const items = new Map(); // a list that moves meanwhile may show one twice
      for (let page = 1; ; page += 1) {
        const [found] = Object.values(await ask(document, { ...variables, page }, { signal: leaving.signal }));
        for (const item of found.items) items.set(keyOf(item), item);
        const loading = found.items.length > 0 && page * found.limit < Math.min(found.total, most);
        if (!loading || shown.current !== key) setState({ items: [...items.values()], total: found.total, loading });
        if (!loading) break;
      }
      shown.current = key;
    };
    setState((before) => (shown.current === key ? { ...before, failure: undefined, loading: true } : { items: [], total: null, loading: true }));
    load().catch((failure) => leaving.signal.aborted || setState((before) => ({ ...before, failure, loading: false })));
    return () => leaving.abort();
  }, [document, key, round, most, keyOf]);
  const change = (make) =>
    setState((before) => {
      const items = make(before.items);
      return { ...before, items, total: before.total - before.items.length + items.length };
    });
  return { ...state, again, change };
}
