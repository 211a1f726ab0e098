// Long lists, asked for window by window.
import { useEffect, useState } from "../vendor/preact-hooks.js";

import { ask } from "./graph.js";

const MOST = 5000;

// All items of a list up to a bound: { items, total, failure, loading, again, drop }. `drop` forgets some of them.
export function useAll(document, variables, most = MOST) {
  const key = JSON.stringify(variables);
  const [state, setState] = useState({ items: [], total: null, loading: true });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const leaving = new AbortController();
    const load = async () => {
      const items = new Map(); // a list that moves meanwhile may show one twice
      for (let page = 1; ; page += 1) {
        const [found] = Object.values(await ask(document, { ...variables, page }, { signal: leaving.signal }));
        for (const item of found.items) items.set(item.id, item);
        const loading = found.items.length > 0 && page * found.limit < Math.min(found.total, most);
        setState({ items: [...items.values()], total: found.total, loading });
        if (!loading) return;
      }
    };
    setState({ items: [], total: null, loading: true });
    load().catch((failure) => leaving.signal.aborted || setState((before) => ({ ...before, failure, loading: false })));
    return () => leaving.abort();
  }, [document, key, round]);
  const change = (make) => setState((before) => ({ ...before, items: make(before.items) }));
  return { ...state, again: () => setRound(round + 1), change };
}
