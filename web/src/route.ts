// SPDX-License-Identifier: Apache-2.0
// The state of the page is its URL: #/VIEW?key=value&…. A copied link shows the same.

export const VIEWS = ["devices", "waiting", "objects", "capacity", "timeline", "whatif"] as const;
export type View = (typeof VIEWS)[number];

export interface Route {
  view: View;
  /// Parameters without empty values.
  at: Record<string, string>;
}

const VALUE_CHARACTERS_MAX = 2000;
const KEYS_MAX = 20;

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split(/\?(.*)/s);
  const view = VIEWS.find((known) => known === path) ?? "devices";
  const at: Record<string, string> = {};
  for (const [key, value] of [...new URLSearchParams(query)].slice(0, KEYS_MAX)) {
    if (value && /^[a-z]{1,16}$/.test(key)) at[key] = value.slice(0, VALUE_CHARACTERS_MAX);
  }
  return {view, at};
}

export function routeText(route: Route): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(route.at).sort()) {
    if (route.at[key]) query.set(key, route.at[key]!);
  }
  const text = query.toString();
  return `#/${route.view}${text ? `?${text}` : ""}`;
}

/// What a link to another view keeps: the namespace, and the moment that is shown.
const KEPT = ["ns", "rev", "when"];

export function linkFrom(route: Route, view: View, at: Record<string, string> = {}): string {
  const kept = KEPT.flatMap((key) => (route.at[key] ? [[key, route.at[key]!]] : []));
  return routeText({view, at: {...Object.fromEntries(kept), ...at}});
}

/// The same view with other parameters; undefined and "" remove one.
export function withParts(route: Route, changes: Record<string, string | undefined>): Route {
  const at = {...route.at};
  for (const [key, value] of Object.entries(changes)) {
    if (value) at[key] = value;
    else delete at[key];
  }
  return {view: route.view, at};
}
