// Long lists, asked for window by window, each behind the cursor of the one before.
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
      for (let after = null, loading = true; loading; ) {
        const [found] = Object.values(await ask(document, { ...variables, after }, { signal: leaving.signal }));
        for (const item of found.nodes) items.set(keyOf(item), item);
        loading = found.pageInfo.hasNextPage && items.size < most;
        after = found.pageInfo.endCursor;
        if (!loading || shown.current !== key) setState({ items: [...items.values()], total: found.totalCount, loading });
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

// One window of a list at a time, on to the next one and back: { page, after, forward, back, first }. `after` is the
// cursor behind which the window begins; what is looked for changes with `key`, and begins at the start.
export function useSteps(key) {
  const [steps, setSteps] = useState({ key, cursors: [] });
  const cursors = steps.key === key ? steps.cursors : [];
  const go = (to) => setSteps({ key, cursors: to });
  return {
    page: cursors.length + 1,
    after: cursors.at(-1) ?? null,
    forward: (pageInfo) => go([...cursors, pageInfo.endCursor]),
    back: () => go(cursors.slice(0, -1)),
    first: () => go([]),
  };
}
