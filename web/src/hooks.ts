// SPDX-License-Identifier: Apache-2.0
// What the views share: the cluster, the route, and answers to questions.
import {createContext} from "preact";
import {useContext, useEffect, useRef, useState} from "preact/hooks";
import {getJson, Refused} from "./client.ts";
import type {Cluster} from "./cluster.ts";
import {linkFrom, parseRoute, routeText, withParts, type Route, type View} from "./route.ts";

export interface Shown {
  cluster: Cluster;
  version: number; // changes with the cluster
  route: Route;
}
export const ShownContext = createContext<Shown | undefined>(undefined);

export function useShown(): Shown {
  return useContext(ShownContext)!;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(location.hash));
  useEffect(() => {
    const update = () => {
      const now = parseRoute(location.hash);
      setRoute((known) => (routeText(known) === routeText(now) ? known : now));
    };
    addEventListener("hashchange", update);
    update(); // the address may have changed since the first rendering
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

/// A link to another view.
export function linkTo(view: View, at: Record<string, string> = {}): string {
  return linkFrom(parseRoute(location.hash), view, at);
}

/// Goes to the same view with other parameters. `replace` keeps the history short while typing.
export function change(changes: Record<string, string | undefined>, replace = false): void {
  const hash = routeText(withParts(parseRoute(location.hash), changes));
  if (!replace) {
    location.hash = hash;
    return;
  }
  history.replaceState(null, "", hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

export interface Answer<T> {
  value?: T;
  error?: string;
  status?: number; // of an error of the server
  isAsking: boolean;
}

// An answer that takes long is asked for again only after ten times as long.
const AGAIN_MILLISECONDS = 1500;
const AGAIN_FACTOR = 10;

/// The answer to `path`, asked again when `version` changes, but not faster than it can be answered.
export function useQuestion<T>(path: string, version: number): Answer<T> {
  const starts = useRef<() => void>(() => undefined);
  const [answer, setAnswer] = useState<Answer<T>>({isAsking: true});
  const state = useRef({asked: -1, isBusy: false, wanted: version});
  state.current.wanted = version;
  useEffect(() => {
    if (!path) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    state.current.isBusy = true;
    setAnswer({isAsking: true});
    const ask = async () => {
      state.current.asked = state.current.wanted;
      const began = performance.now();
      try {
        const value = await getJson<T>(path, stop.signal);
        setAnswer({value, isAsking: false});
      } catch (error) {
        if (stop.signal.aborted) return;
        const status = error instanceof Refused ? error.status : 0;
        setAnswer({error: status === 404 ? "It is not there any more." : (error as Error).message, status, isAsking: false});
      }
      timer = setTimeout(() => {
        state.current.isBusy = false;
        if (state.current.wanted !== state.current.asked) start();
      }, Math.max(AGAIN_MILLISECONDS, (performance.now() - began) * AGAIN_FACTOR));
    };
    const start = () => {
      state.current.isBusy = true;
      void ask();
    };
    starts.current = start;
    void ask();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path]);
  useEffect(() => {
    if (!state.current.isBusy && state.current.asked !== version) starts.current();
  }, [version]);
  return answer;
}
