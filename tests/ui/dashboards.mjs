// SPDX-License-Identifier: Apache-2.0
// What many open dashboards cost the server (run.py bench --dashboards N). The page is opened once in a browser, which
// shows which watches it has and with which headers; the other dashboards are connections that have the same watches.
// CPU is that of the server's process. Writes are counted apart: as many come while nobody watches.
import {readFile} from "node:fs/promises";
import {connect} from "node:http2";
import {chromium} from "playwright-core";
import {usePage} from "./fresh.mjs";
import {launchOptions} from "./launch.mjs";

const {browser: executablePath, profile, page: folder, url, pid, dashboards, seconds} = JSON.parse(process.env.DRAY_UI_TEST);
const EVENTS_PER_SECOND = 100;
const TICKS_PER_SECOND = 100; // USER_HZ of Linux
const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims";
const row = (name, text) => console.log(`${name.padEnd(44)} ${text}`);
const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

async function ticks() {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /, "").split(" ");
  return {user: Number(fields[11]), system: Number(fields[12])};
}

/// The watches of an open page: their paths, without the version they begin at, and headers.
async function watchesOfPage() {
  const context = await chromium.launchPersistentContext(profile, {...launchOptions(executablePath), ignoreHTTPSErrors: true});
  await usePage(context, folder);
  const page = await context.newPage();
  await page.addInitScript(() => sessionStorage.setItem("dray-token", "all"));
  const seen = [];
  page.on("request", (request) => { if (/[?&]watch=true/.test(request.url())) seen.push(request); });
  await page.goto(`${url}/ui/`);
  await page.getByText("● live").waitFor();
  while (seen.length < 5) await pause(50); // each list is followed by its watch
  const watches = await Promise.all(seen.map(async (request) => {
    const {pathname, searchParams} = new URL(request.url());
    searchParams.delete("resourceVersion");
    const headers = Object.fromEntries(Object.entries(await request.allHeaders()).filter(([name]) => ["accept", "accept-encoding", "authorization"].includes(name)));
    return {path: `${pathname}?${searchParams.toString()}`, headers};
  }));
  await context.close();
  return watches;
}

/// The status and text of an answer.
function ask(session, headers, body = "") {
  return new Promise((done, fail) => {
    const stream = session.request({authorization: "Bearer all", "content-type": "application/json", accept: "application/json", ...headers}, {endStream: !body});
    let text = "";
    let status = 0;
    stream.setEncoding("utf8");
    stream.on("response", (answer) => { status = answer[":status"]; });
    stream.on("data", (part) => { text += part; });
    stream.on("end", () => done({status, text}));
    stream.on("error", fail);
    if (body) stream.end(body);
  });
}

const open = () => new Promise((done, fail) => {
  const session = connect(url, {rejectUnauthorized: false});
  session.on("connect", () => done(session));
  session.on("error", fail);
});

/// One dashboard: a connection with the page's watches, from now on. Calls `read` with the bytes that come.
async function dashboard(watches, versions, read) {
  const session = await open();
  await Promise.all(watches.map(({path, headers}) => new Promise((done, fail) => {
    const stream = session.request({":path": `${path}&resourceVersion=${versions.get(path)}`, ...headers});
    stream.on("response", (answer) => (answer[":status"] === 200 ? done() : fail(new Error(`${path}: ${answer[":status"]}`))));
    stream.on("data", (part) => read(part.length));
    stream.on("error", fail);
  })));
  return session;
}

/// The CPU of the server, in cores, while `body` takes as long as it takes.
async function cores(name, body) {
  const before = await ticks();
  const began = performance.now();
  const said = await body();
  const wall = (performance.now() - began) / 1000;
  const after = await ticks();
  const [user, system] = [after.user - before.user, after.system - before.system];
  row(name, `${((user + system) / TICKS_PER_SECOND / wall).toFixed(3)} cores: ${user} ticks and ${system} in the kernel in ${wall.toFixed(1)} s${said ? `; ${said}` : ""}`);
}

/// Changes claims at the rate, whatever the answers take.
async function write(session, claims) {
  const answers = [];
  const began = performance.now();
  for (let i = 0; i < EVENTS_PER_SECOND * seconds; ++i) {
    const wait = began + (i * 1000) / EVENTS_PER_SECOND - performance.now();
    if (wait > 0) await pause(wait);
    answers.push(ask(session, {":method": "PATCH", ":path": `${CLAIMS}/claim-${i % claims}`, "content-type": "application/merge-patch+json"},
      JSON.stringify({metadata: {labels: {step: String(i)}}})));
  }
  const wrong = (await Promise.all(answers)).find((one) => one.status !== 200);
  if (wrong) throw new Error(wrong.text);
  return `${answers.length} events`;
}

const watches = await watchesOfPage();
row("watches of one page", watches.map(({path}) => path.split("?")[0]).join(" "));
row("their headers", JSON.stringify(watches[0].headers).replace(/Bearer \w+/, "Bearer …"));
const writer = await open();
const CLAIM_COUNT = 100;
for (let i = 0; i < CLAIM_COUNT; ++i) {
  const {status, text} = await ask(writer, {":method": "POST", ":path": CLAIMS}, JSON.stringify({apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim", metadata: {name: `claim-${i}`},
    spec: {devices: {requests: [{name: "gpus", exactly: {deviceClassName: "gpu.example.com"}}]}}}));
  if (status !== 201) throw new Error(text);
}
await cores("at rest, no dashboard", () => pause(seconds * 1000));
await cores("100 events/s, no dashboard", () => write(writer, CLAIM_COUNT));
const versions = new Map();
for (const {path} of watches) {
  const {text} = await ask(writer, {":path": `${path.split("?")[0]}?limit=1`});
  versions.set(path, JSON.parse(text).metadata.resourceVersion);
}
let bytes = 0;
const sessions = [await dashboard(watches, versions, (many) => { bytes += many; })];
await cores("at rest, 1 dashboard", () => pause(seconds * 1000));
while (sessions.length < dashboards) sessions.push(await dashboard(watches, versions, (many) => { bytes += many; }));
await cores(`at rest, ${dashboards} dashboards`, () => pause(seconds * 1000));
bytes = 0;
await cores(`100 events/s, ${dashboards} dashboards`, async () => `${await write(writer, CLAIM_COUNT)}, ${(bytes / 1e6).toFixed(1)} MB sent`);
for (const session of [...sessions, writer]) session.destroy();
