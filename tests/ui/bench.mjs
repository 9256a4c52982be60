// SPDX-License-Identifier: Apache-2.0
// What a large cluster costs the page: first paint, pan, zoom, events, memory. Without a server of its own choosing
// (run.py bench --real) the objects come from this program, which has them ready as texts, so that what is
// measured is the page. Beside times there is the page's own CPU time, which a busy machine does not lengthen.
import {createServer} from "node:http";
import {readFile} from "node:fs/promises";
import {chromium} from "playwright-core";
import {usePage} from "./fresh.mjs";
import {launchOptions} from "./launch.mjs";

const {browser: executablePath, profile, page: folder, nodes, devices: each, url: real} = JSON.parse(process.env.DRAY_UI_TEST);
const EVENTS = 1000;
const EVENT_MILLISECONDS = 10; // 100 a second
const FRAMES = 120;
const STARTED = "2026-01-01T00:00:00Z";

const meta = (name, namespace) => ({name, ...(namespace ? {namespace} : {}), uid: `${namespace ?? ""}-${name}`, resourceVersion: "1", creationTimestamp: STARTED});

function sliceOf(i) {
  const node = `node-${i}`;
  return {metadata: meta(node), spec: {driver: "gpu.example.com", nodeName: node, pool: {name: node, generation: 1, resourceSliceCount: 1},
    devices: Array.from({length: each}, (_, n) => ({name: `gpu-${n}`,
      attributes: {index: {int: n}, uuid: {string: `gpu-${i}-${n}-18db0e85-99e9-c746`}, model: {string: "LATEST-GPU-MODEL"}, driverVersion: {version: "1.0.0"},
        "resource.kubernetes.io/numaNode": {int: n >> 2}, "resource.kubernetes.io/pcieRoot": {string: `pci0000:${n}0`}},
      capacity: {memory: {value: "80Gi"}}}))}};
}

function claimOf(i, isAllocated, version = "1") {
  const device = i * 2;
  const name = `claim-${i}`;
  return {metadata: {...meta(name, "work"), resourceVersion: version, ownerReferences: [{apiVersion: "v1", kind: "Pod", name: `pod-${i}`, uid: `p${i}`, controller: true}], finalizers: ["resource.kubernetes.io/delete-protection"]},
    spec: {devices: {requests: [{name: "gpus", exactly: {deviceClassName: "gpu.example.com", allocationMode: "ExactCount", count: 1}}]}},
    status: isAllocated ? {reservedFor: [{resource: "pods", name: `pod-${i}`, uid: `p${i}`}], allocation: {allocationTimestamp: STARTED,
      nodeSelector: {nodeSelectorTerms: [{matchFields: [{key: "metadata.name", operator: "In", values: [`node-${Math.floor(device / each)}`]}]}]},
      devices: {results: [{request: "gpus", driver: "gpu.example.com", pool: `node-${Math.floor(device / each)}`, device: `gpu-${device % each}`}]}}} : {}};
}

function podOf(i) {
  const container = (name) => ({name, image: "registry.example.com/team/model-server:v1.2.3", env: Array.from({length: 12}, (_, n) => ({name: `SETTING_${n}`, value: `value-${n}`})),
    resources: {claims: [{name: "gpus"}], requests: {cpu: "4", memory: "16Gi"}}, volumeMounts: [{name: "token", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true}],
    terminationMessagePath: "/dev/termination-log", terminationMessagePolicy: "File", imagePullPolicy: "IfNotPresent"});
  return {metadata: {...meta(`pod-${i}`, "work"), uid: `p${i}`, labels: {app: "model", "pod-template-hash": "5d4f8c7b9"}},
    spec: {nodeName: `node-${Math.floor((i * 2) / each)}`, containers: [container("main"), container("side")], resourceClaims: [{name: "gpus", resourceClaimTemplateName: "gpus"}],
      volumes: [{name: "token", projected: {sources: [{serviceAccountToken: {expirationSeconds: 3607, path: "token"}}]}}], schedulerName: "default-scheduler", serviceAccountName: "default"},
    status: {phase: "Running", conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({type, status: "True", lastTransitionTime: STARTED})),
      resourceClaimStatuses: [{name: "gpus", resourceClaimName: `claim-${i}`}]}};
}

const nodeOf = (i) => ({metadata: {...meta(`node-${i}`), labels: {"kubernetes.io/hostname": `node-${i}`, rack: `rack-${i % 100}`}}, spec: {},
  status: {images: Array.from({length: 20}, (_, n) => ({names: [`registry.example.com/image-${n}@sha256:${"0".repeat(64)}`], sizeBytes: 1_000_000}))}});

const used = Math.floor((nodes * each) / 2);
const lists = {nodes: [nodes, nodeOf], pods: [used, podOf], resourceclaims: [used, (i) => claimOf(i, true)], resourceslices: [nodes, sliceOf]};
const watchers = new Map();

/// The API of a cluster that only reads; the texts of items are made once.
async function serve() {
  const texts = Object.fromEntries(Object.entries(lists).map(([kind, [many, make]]) => [kind, Array.from({length: many}, (_, i) => JSON.stringify(make(i)))]));
  const server = createServer(async (request, response) => {
    const address = new URL(request.url, "http://x");
    const kind = address.pathname.split("/").pop();
    const json = (text) => response.writeHead(200, {"Content-Type": "application/json"}).end(text);
    if (address.pathname.startsWith("/ui/") && !address.pathname.startsWith("/ui/api")) {
      const name = kind || "index.html";
      const type = {html: "text/html", js: "text/javascript", css: "text/css", svg: "image/svg+xml"}[name.split(".").pop()] ?? "text/plain";
      return response.writeHead(200, {"Content-Type": `${type}; charset=utf-8`}).end(await readFile(`${folder}/${name}`));
    }
    if (kind === "selfsubjectreviews") return json(JSON.stringify({status: {userInfo: {username: "bench"}}}));
    if (address.pathname === "/apis/resource.k8s.io/v1") return json(JSON.stringify({resources: ["resourceslices", "resourceclaims"].map((name) => ({name}))}));
    if (!texts[kind]) return response.writeHead(404).end("{}");
    if (address.searchParams.get("watch")) {
      response.writeHead(200, {"Content-Type": "application/json"}).flushHeaders();
      return watchers.set(kind, response);
    }
    const from = Number(address.searchParams.get("continue") ?? 0);
    const to = from + Number(address.searchParams.get("limit") ?? 1e9);
    const more = to < texts[kind].length ? String(to) : "";
    return json(`{"kind":"List","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"${more}"},"items":[${texts[kind].slice(from, to).join()}]}`);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {url: `http://127.0.0.1:${server.address().port}`, end: () => server.close()};
}

const server = real ? {url: real, end: () => undefined} : await serve();
const context = await chromium.launchPersistentContext(profile, {...launchOptions(executablePath), ignoreHTTPSErrors: true, viewport: {width: 1240, height: 800}});
context.setDefaultTimeout(600_000);
if (real) await usePage(context, folder);
const page = await context.newPage();
page.on("pageerror", (error) => { console.log(`the page failed: ${error}`); process.exitCode = 1; });
const cdp = await context.newCDPSession(page);
await cdp.send("Performance.enable", {timeDomain: "threadTicks"}); // time of the CPU, not of the clock
const measure = async () => Object.fromEntries((await cdp.send("Performance.getMetrics")).metrics.map(({name, value}) => [name, value]));
const ms = (seconds) => `${Math.round(seconds * 1000)} ms`;
const row = (name, text) => console.log(`${name.padEnd(34)} ${text}`);

async function cpu(name, body, per = 1) {
  const before = await measure();
  const began = performance.now();
  const said = await body();
  const wall = performance.now() - began;
  const after = await measure();
  const spent = (key) => (after[key] - before[key]) / per;
  row(name, `${said ? `${said}; ` : ""}${Math.round(wall / per)} ms wall, CPU of the page ${ms(spent("TaskDuration"))} (script ${ms(spent("ScriptDuration"))}, layout ${ms(spent("LayoutDuration") + spent("RecalcStyleDuration"))})`);
}
const p95 = (times) => `${[...times].sort((a, b) => a - b)[Math.floor(times.length * 0.95)].toFixed(1)} ms`;

await page.addInitScript((token) => {
  sessionStorage.setItem("dray-token", token);
  globalThis.long = [];
  new PerformanceObserver((list) => globalThis.long.push(...list.getEntries().map((one) => Math.round(one.duration)))).observe({type: "longtask", buffered: true});
}, "all");
row("cluster", `${nodes} nodes, ${real ? "" : `${nodes * each} devices, `}${real ? "of a real server" : `${used} claims, ${used} pods`}`);
const seen = (many) => page.waitForFunction((wanted) => Number(document.querySelector("canvas")?.dataset.devices ?? 0) >= wanted, many, {polling: "raf"});
await cpu("first devices painted", async () => {
  await page.goto(`${server.url}/ui/#/devices`);
  await seen(1);
  const {first, painted} = await page.evaluate(() => ({painted: Number(document.querySelector("canvas").dataset.painted),
    first: Math.min(...performance.getEntriesByType("resource").filter((one) => one.name.includes("resourceslices?")).map((one) => one.responseStart))}));
  return `${Math.round(painted - first)} ms after the first byte of the slices`;
});
await cpu("all devices, all lists read", async () => {
  await seen(nodes * each);
  await page.getByText("● live").waitFor();
  const {waited, read, tasks, many} = await page.evaluate(() => {
    const all = performance.getEntriesByType("resource").filter((one) => /limit=/.test(one.name));
    return {waited: all.reduce((sum, one) => sum + one.responseStart - one.requestStart, 0), read: all.length, tasks: globalThis.long, many: document.querySelector("canvas").dataset.devices};
  });
  return `${many} devices, ${read} pages of lists, for whose first bytes the page waited ${Math.round(waited)} ms in all; tasks of 50 ms and more: ${tasks.length}, the longest ${Math.max(0, ...tasks)} ms`;
});

const frames = (body) => page.evaluate(async ([source, many]) => {
  const step = new Function("frame", "i", source);
  const frame = document.querySelector(".mapframe");
  const times = [];
  for (let i = 0; i < many; ++i) {
    const began = performance.now();
    step(frame, i);
    frame.dispatchEvent(new Event("scroll"));
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    times.push(Number(document.querySelector("canvas").dataset.painted) - began);
  }
  return times;
}, [body, FRAMES]);
await cpu("pan, small cells, per frame", async () => `p95 from scroll to painted ${p95(await frames("frame.scrollTop = (i * 40) % 400"))}`, FRAMES);
await page.getByRole("button", {name: "Zoom in"}).click();
await page.getByRole("button", {name: "Zoom in"}).click();
await page.getByRole("button", {name: "Zoom in"}).click();
await page.getByRole("button", {name: "Zoom in"}).click();
await cpu("pan, larger cells, per frame", async () => `p95 from scroll to painted ${p95(await frames("frame.scrollTop = i * 60"))}`, FRAMES);
await cpu("zoom, per step", async () => {
  const times = [];
  for (let i = 0; i < 20; ++i) {
    const name = i % 10 < 5 ? "Zoom out" : "Zoom in";
    times.push(await page.evaluate(async (label) => {
      const canvas = document.querySelector("canvas");
      const before = canvas.dataset.painted;
      const began = performance.now();
      document.querySelector(`button[aria-label="${label}"]`).click();
      for (let n = 0; n < 10 && canvas.dataset.painted === before; ++n) await new Promise((done) => requestAnimationFrame(done));
      return canvas.dataset.painted === before ? 0 : Number(canvas.dataset.painted) - began;
    }, name));
  }
  return `p95 from click to painted ${p95(times)}`;
}, 20);
if (!real) {
  await page.evaluate(() => { location.hash = "#/devices"; globalThis.long = []; });
  await cpu(`${EVENTS} events at 100/s, each`, async () => {
    for (let i = 0; i < EVENTS; ++i) {
      const which = (i * 7919) % used;
      watchers.get("resourceclaims").write(`${JSON.stringify({type: "MODIFIED", object: claimOf(which, i % 2 === 1, String(i + 2))})}\n`);
      await new Promise((done) => setTimeout(done, EVENT_MILLISECONDS));
    }
    const tasks = await page.evaluate(() => globalThis.long);
    return `tasks of 50 ms and more: ${tasks.length}, the longest ${Math.max(0, ...tasks)} ms`;
  }, EVENTS);
}
await cdp.send("HeapProfiler.collectGarbage");
const {JSHeapUsedSize, Nodes} = await measure();
row("memory", `JavaScript heap after collection ${Math.round(JSHeapUsedSize / 1e6)} MB, ${Nodes} DOM nodes`);
await context.close();
server.end();
