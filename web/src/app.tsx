// SPDX-License-Identifier: Apache-2.0
// The dashboard: login, navigation, and the views over one live picture of the cluster.
import {render, type JSX} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {logInOnce, Refused, takeOnce, token, whoAmI} from "./client.ts";
import {Cluster, KINDS} from "./cluster.ts";
import {change, ShownContext, useQuestion, useRoute} from "./hooks.ts";
import {DeviceModel, needsServer, taintedIn, type JudgedPools} from "./devices.ts";
import {linkFrom, VIEWS, type Route, type View} from "./route.ts";
import {localTime, span, visible} from "./text.ts";
import {Capacity} from "./views/capacity.tsx";
import {Detail} from "./views/detail.tsx";
import {Devices} from "./views/devices.tsx";
import {Login} from "./views/login.tsx";
import {Objects} from "./views/objects.tsx";
import {Timeline} from "./views/timeline.tsx";
import {Waiting} from "./views/waiting.tsx";
import {WhatIf} from "./views/whatif.tsx";
import {isWaiting} from "./waiting.ts";

const TITLES: Record<View, string> = {devices: "Devices", waiting: "Waiting", objects: "Claims and pods", capacity: "Free capacity", timeline: "Timeline", whatif: "What if"};
const ANONYMOUS = "system:anonymous";
const PAINT_MILLISECONDS_MIN = 100;
const PAINT_FACTOR = 8; // a picture that takes long is painted less often
const THEMES = ["auto", "light", "dark"] as const;

/// The cluster, with a number that changes when the views have to be made again.
function useCluster(namespace: string, moment: string, expired: () => void): {cluster: Cluster; version: number} {
  const [version, setVersion] = useState(0);
  const took = useRef(0);
  const cluster = useMemo(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return new Cluster(namespace, moment, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        const began = performance.now();
        setVersion((old) => old + 1);
        requestAnimationFrame(() => { took.current = performance.now() - began; });
      }, Math.max(PAINT_MILLISECONDS_MIN, took.current * PAINT_FACTOR));
    }, expired);
  }, [namespace, moment]);
  useEffect(() => {
    cluster.start();
    return () => cluster.end();
  }, [cluster]);
  return {cluster, version};
}

/// Whether what is shown is what is: the slowest kind decides.
function Lag({cluster}: {cluster: Cluster}): JSX.Element {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 5000);
    return () => clearInterval(timer);
  }, []);
  if (cluster.moment) return <span class="lag" role="status">◷ not live</span>;
  const all = KINDS.map((kind) => ({kind, ...cluster.kinds.get(kind)!}));
  const lost = all.filter((one) => one.phase === "lost");
  if (lost.length > 0) {
    const since = Math.min(...lost.map((one) => one.since));
    return <span class="lag lost" role="alert">▲ The server does not answer. This is {span(Math.max(now, Date.now()) - since)} old: {lost.map((one) => one.kind).join(", ")}.</span>;
  }
  if (all.some((one) => one.phase === "reading")) return <span class="lag" role="status">◌ reading</span>;
  const last = cluster.lastChange ? `, last change ${span(Math.max(now, Date.now()) - cluster.lastChange)} ago` : "";
  return <span class="lag live">● live{last}</span>;
}

function Bar({route, user, cluster, waiting, leave}: {route: Route; user: string; cluster: Cluster; waiting: number; leave: () => void}): JSX.Element {
  const kept: Record<string, string> = route.at.pick ? {pick: route.at.pick} : {};
  return (
    <header class="top">
      <a class="skip" href="#content" onClick={(event) => { event.preventDefault(); document.getElementById("content")?.focus(); }}>To the content</a>
      <span class="brand">Dray</span>
      <nav aria-label="Views">{VIEWS.map((view) => (
        <a key={view} href={linkFrom(route, view, kept)} aria-current={route.view === view ? "page" : undefined}>{TITLES[view]}
          {view === "waiting" && waiting > 0 && <span class="many">{waiting}</span>}</a>))}</nav>
      <span class="grow" />
      <Lag cluster={cluster} />
      <label class="field small">Namespace
        <input type="text" placeholder="all" value={route.at.ns ?? ""} maxLength={63} spellcheck={false}
          onChange={(event) => change({ns: event.currentTarget.value.trim()})} /></label>
      <span class="user" title="the user that the server takes you for"><bdi>{visible(user)}</bdi></span>
      {token.get() && <button type="button" onClick={leave}>Log out</button>}
    </header>
  );
}

function useTheme(): [string, (theme: string) => void] {
  const [theme, setTheme] = useState(() => localStorage.getItem("dray-theme") ?? "auto");
  const choose = (next: string) => {
    document.documentElement.dataset.theme = next; // before the map reads its colours
    localStorage.setItem("dray-theme", next);
    setTheme(next);
  };
  return [theme, choose];
}

/// Says that what is shown is not now, and leads back.
function Moment({cluster, when}: {cluster: Cluster; when: string | undefined}): JSX.Element | null {
  if (!cluster.moment) return null;
  return (
    <p class="moment" role="status"><b>◷ This was the cluster{when ? ` at ${localTime(when)}` : ""}</b> (revision {cluster.moment}), not now.
      <button type="button" onClick={() => change({rev: undefined, when: undefined})}>Back to now</button></p>
  );
}

/// "auto" has to be painted again when the system changes its mind.
function useSystemTheme(): string {
  const query = useMemo(() => matchMedia("(prefers-color-scheme: dark)"), []);
  const [isDark, setDark] = useState(query.matches);
  useEffect(() => {
    const update = () => setDark(query.matches);
    query.addEventListener("change", update);
    return () => query.removeEventListener("change", update);
  }, []);
  return isDark ? "dark" : "light";
}

const NONE: ReadonlySet<string> = new Set();

/// The devices that are tainted by rules which only the server can judge. It is asked only if there are such rules.
function useTainted(cluster: Cluster, version: number): {tainted: ReadonlySet<string>; unjudged: number} {
  const many = [...cluster.rules.values()].filter(needsServer).length;
  const path = many > 0 ? `/ui/api/devices${cluster.moment ? `?resourceVersion=${cluster.moment}` : ""}` : "";
  const {value, error} = useQuestion<JudgedPools>(path, version);
  const tainted = useMemo(() => (value ? taintedIn(value) : NONE), [value]);
  return {tainted: many > 0 ? tainted : NONE, unjudged: error ? many : 0};
}

function Page({user, leave}: {user: string; leave: (why: string) => void}): JSX.Element {
  const route = useRoute();
  const {cluster, version} = useCluster(route.at.ns ?? "", /^\d{1,19}$/.test(route.at.rev ?? "") ? route.at.rev! : "", () => leave("The server does not accept the token any more."));
  const [theme, setTheme] = useTheme();
  const system = useSystemTheme();
  const model = useMemo(() => new DeviceModel(), [cluster]);
  const {tainted, unjudged} = useTainted(cluster, version);
  useMemo(() => model.update({tainted, slices: cluster.slices.values(), claims: cluster.claims.values(), rules: cluster.rules.values(), nodes: cluster.nodes.values()},
    {slices: cluster.versionOf("resourceslices"), claims: cluster.versionOf("resourceclaims"), rules: cluster.versionOf("devicetaintrules"), nodes: cluster.versionOf("nodes")}),
  [version, cluster, tainted]);
  const {devices} = model;
  const podsVersion = cluster.versionOf("pods");
  const waiting = useMemo(() => {
    let many = 0;
    for (const pod of cluster.pods.values()) if (isWaiting(pod)) many += 1;
    return many;
  }, [cluster, podsVersion]);
  useEffect(() => {
    document.title = `${TITLES[route.view]} – Dray`;
  }, [route.view]);
  const View = {waiting: Waiting, objects: Objects, capacity: Capacity}[route.view as "waiting"];
  return (
    <ShownContext.Provider value={{cluster, version, route}}>
      <Bar route={route} user={user} cluster={cluster} waiting={waiting} leave={() => leave("")} />
      <Moment cluster={cluster} when={route.at.when} />
      <div class={route.at.pick ? "body withdetail" : "body"}>
        <main id="content" tabIndex={-1} data-version={version}>
          {route.view === "devices" ? <Devices model={model} unjudged={unjudged} theme={`${theme} ${system}`} />
            : route.view === "whatif" ? <WhatIf devices={devices} theme={`${theme} ${system}`} />
            : route.view === "timeline" ? <Timeline devices={devices} /> : <View />}
        </main>
        <Detail devices={devices} />
      </div>
      <footer><a href="licences.txt">Licences</a><span class="grow" />
        <label class="field small">Theme
          <select value={theme} onChange={(event) => setTheme(event.currentTarget.value)}>{THEMES.map((one) => <option key={one}>{one}</option>)}</select></label></footer>
    </ShownContext.Provider>
  );
}

/// Asks the server which user the browser is; a user whom the server does not know gets the login.
function App(): JSX.Element {
  const [user, setUser] = useState("");
  const [why, setWhy] = useState<string>();
  const enter = () => {
    setWhy(undefined);
    whoAmI().then((name) => {
      if (name === ANONYMOUS) setWhy("");
      else setUser(name);
    }, (error: unknown) => {
      const status = error instanceof Refused ? error.status : 0;
      if (status === 404) return setUser("a server without SelfSubjectReview");
      const hadToken = token.get() !== "";
      token.clear();
      setWhy(status === 401 ? (hadToken ? "The server does not know this token." : "") : status === 403 && !hadToken ? "" : (error as Error).message);
    });
  };
  useEffect(() => {
    if (!once) return enter();
    logInOnce(once).then(enter, (error: unknown) => setWhy(
      error instanceof Refused && error.status === 401 ? "This link was used already, or is of another run. Start dray ui again for a new one." : (error as Error).message));
  }, []);
  const leave = (reason: string) => {
    token.clear();
    setUser("");
    setWhy(reason);
  };
  if (user) return <Page user={user} leave={leave} />;
  if (why !== undefined) return <Login why={why} enter={enter} />;
  return <main class="login"><p class="muted">Asking the server …</p></main>;
}

const once = takeOnce(); // before the first view is made from the address
document.documentElement.dataset.theme = localStorage.getItem("dray-theme") ?? "auto";
render(<App />, document.getElementById("app")!);
