// SPDX-License-Identifier: Apache-2.0
// The views in headless Chromium, against a server with the objects of cluster.yaml and an example.
// It waits for what the page shows, never for time.
import assert from "node:assert/strict";
import {check, context, errors, failures, findings, foreign, kube, live, matchGolden, newPage, open, press, test, url} from "./harness.mjs";
import {mapIsTrue} from "./painted.mjs";

const stories = import("./stories.mjs"); // plays meanwhile
const LONG = /long-n+\.long-n+\.long-n+\.e+/;

// The scheduler has decided about everything that the views are about.
for (;;) {
  const {items} = await kube("/api/v1/pods");
  const isDecided = (pod) => pod.spec.nodeName || pod.status.conditions?.some((one) => one.type === "PodScheduled" && one.status === "False");
  if (items.length >= 11 && items.every(isDecided)) break;
  const {metadata} = await kube("/api/v1/pods?limit=1");
  await kubeChange(metadata.resourceVersion);
}

/// Waits for a change of a pod after `version`.
async function kubeChange(version) {
  await context.request.fetch(`${url}/api/v1/pods?watch=true&resourceVersion=${version}&timeoutSeconds=1`, {
    ignoreHTTPSErrors: true, headers: {Authorization: "Bearer all"}});
}

await test("nothing is shown without credentials, and a wrong token is refused", async () => {
  const page = await open("");
  await page.getByRole("heading", {name: "Dray"}).waitFor();
  await page.getByLabel("Bearer token").fill("wrong");
  await page.getByRole("button", {name: "Log in"}).click();
  await page.getByText("does not know this token").waitFor();
  await page.getByLabel("Bearer token").fill("two words");
  await page.getByText("A token has no spaces").waitFor();
  assert.ok(await page.getByRole("button", {name: "Log in"}).isDisabled());
  assert.deepEqual(await findings(page), []);
  await page.getByLabel("Bearer token").fill("all");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {name: "Devices"}).first().waitFor();
  await live(page);
  assert.equal(await page.evaluate(() => document.cookie + Object.keys(localStorage).join()), "");
  await page.getByRole("button", {name: "Log out"}).click();
  await page.getByLabel("Bearer token").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.close();
});

await test("devices: map, states, keyboard, and the table with the same", async () => {
  const page = await open("all", "#/devices");
  await live(page);
  const legend = page.getByLabel("States");
  await legend.getByRole("button", {name: /^used/}).waitFor();
  const states = Object.fromEntries((await legend.getByRole("button").allTextContents()).map((text) => text.split(" ")));
  assert.deepEqual(states, {free: "12", used: "9", shared: "1", blocked: "4", tainted: "2"});
  for (const cell of [20, 6]) { // sprites, and pixels
    await page.goto(`${url}/ui/#/devices?zoom=${cell}`);
    await page.waitForFunction((wanted) => document.querySelector("canvas").dataset.cell === wanted, String(cell));
    await mapIsTrue(page, cell);
  }
  await page.goto(`${url}/ui/#/devices`);
  const map = page.getByRole("application");
  await map.focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Enter");
  await page.getByRole("complementary").getByText("cut.example.com/cut-0/gpu-0-whole").first().waitFor();
  await check(page, "devices");
  await matchGolden(page.locator("main"), "devices");
  await page.getByLabel("Show as").selectOption("table");
  await page.getByLabel("Search").fill("stream-a");
  const rows = page.locator("tbody tr");
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  assert.match(await rows.first().innerText(), /nic-0.*shared.*net-0/s);
  assert.match(page.url(), /q=stream-a/);
  await page.reload();
  await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
  await check(page, "devices-table");
  await matchGolden(page.locator("main"), "devices-table");
  await page.close();
});

await test("names with markup, escapes and turned text are text", async () => {
  const page = await open("all", "#/devices?as=table&pick=device:worn.example.com/long/d-0");
  const detail = page.getByRole("complementary");
  await detail.getByText("<img src=x onerror=alert(1)>").waitFor();
  await detail.getByText("a‹U+202E›gnp.exe").waitFor();
  await detail.getByText("‹U+001B›[31mred").waitFor();
  await detail.getByRole("link", {name: LONG}).click();
  await page.getByRole("heading", {name: LONG}).waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.close();
});

await test("waiting: reasons, an explanation as a tree, copied by keyboard alone", async () => {
  const page = await open("all", "#/devices");
  await live(page);
  await press(page, "Tab", "document.activeElement.textContent.startsWith('Waiting')");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {name: /^Waiting 3 pods/}).waitFor();
  await press(page, "Tab", "document.activeElement.textContent === 'research/disks-0'");
  await page.keyboard.press("Enter");
  await page.getByText("It fits nowhere.").waitFor();
  await page.getByText("What would help").waitFor();
  await page.waitForFunction(() => document.querySelector(".explained").textContent.includes("research/disks"));
  await page.getByText("No command does it").waitFor(); // the pod is read again for what can be done about it
  await matchGolden(page.getByRole("region", {name: "Explanation"}), "waiting");
  await press(page, "Tab", "document.activeElement.textContent === 'Copy as kubectl' && document.activeElement.closest('ol')");
  await page.keyboard.press("Enter");
  await page.getByText("copied").waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^kubectl replace --force -f - <<'EOF'\n/);
  await page.goto(`${url}/ui/#/waiting?explain=example-driver/trainer-0`);
  await page.locator(".funnel").waitFor();
  assert.match(await page.locator(".funnel").innerText(), /in use\s+−\d+/);
  await check(page, "waiting");
  await page.close();
});

await test("claims and pods link both ways, and show YAML", async () => {
  const page = await open("all", "#/objects?q=half");
  const claims = page.getByRole("group", {name: "Claims"});
  await claims.getByRole("link", {name: "research/half", exact: true}).click();
  const detail = page.getByRole("complementary");
  await detail.getByRole("link", {name: /cut.example.com\/cut-0\/gpu-\d-half-\d/}).click();
  await detail.getByRole("link", {name: "research/half-0"}).click();
  await detail.getByRole("link", {name: "cut-0"}).waitFor();
  await detail.getByRole("button", {name: "YAML"}).click();
  await detail.getByText("kind: Pod").waitFor();
  await detail.getByText("resourceClaimName: half").waitFor();
  await page.getByLabel("Search").fill("");
  await page.getByRole("link", {name: "example-driver/trainer-0"}).first().waitFor();
  await check(page, "objects");
  await page.getByLabel("Search").fill("research/");
  await page.getByRole("link", {name: "example-driver/trainer-0"}).first().waitFor({state: "detached"});
  await matchGolden(page.locator("main"), "objects");
  await page.getByLabel("Search").fill("");
  await page.getByText("Columns").first().click();
  await page.getByLabel("Age").first().uncheck();
  await page.waitForFunction(() => ![...document.querySelectorAll("th")].slice(0, 5).some((one) => one.textContent === "Age") || location.hash.includes("hide=Age"));
  await page.close();
});

await test("free capacity has the numbers of dray capacity", async () => {
  const page = await open("all", "#/capacity");
  await page.getByText("12 devices of").waitFor();
  await page.getByText("Partitions that can still be cut").waitFor();
  assert.match(await page.getByRole("group", {name: "Partitions that can still be cut"}).innerText(), /memory=80Gi/);
  await check(page, "capacity");
  await matchGolden(page.locator("main"), "capacity");
  await page.getByLabel("A row for each").selectOption("node");
  await page.getByRole("cell", {name: "worn-0", exact: true}).waitFor();
  await page.close();
});

await test("what changes is shown at once", async () => {
  const page = await open("all", "#/waiting");
  await page.getByRole("heading", {name: /^Waiting 3 pods/}).waitFor();
  const pods = "/api/v1/namespaces/research/pods";
  await kube(pods, {method: "POST", data: {metadata: {name: "late"}, spec: {schedulerName: "none", containers: [{name: "main", image: "x"}]}}});
  await page.getByRole("button", {name: "research/late"}).waitFor();
  await kube(`${pods}/late?gracePeriodSeconds=0`, {method: "DELETE"});
  await page.getByRole("button", {name: "research/late"}).waitFor({state: "detached"});
  await page.goto(`${url}/ui/#/objects?pick=pod:research/late`); // it is gone, and a link to it is still about
  await page.getByText("It is not there, or you may not see it.").waitFor();
  await page.close();
});

await test("a user sees what the rights give, and is shown what they do not", async () => {
  const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/research";
  await kube(`${rbac}/roles`, {method: "POST", data: {metadata: {name: "look"}, rules: [
    {apiGroups: [""], resources: ["pods"], verbs: ["get", "list", "watch"]},
    {apiGroups: ["resource.k8s.io"], resources: ["resourceclaims"], verbs: ["get", "list", "watch"]}]}});
  await kube(`${rbac}/rolebindings`, {method: "POST", data: {metadata: {name: "look"}, roleRef: {apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "look"},
    subjects: [{apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "nora"}]}});
  const page = await open("narrow", "#/waiting?ns=research&explain=research/wholes-0");
  await page.getByText("You may not list", {exact: false}).first().waitFor();
  await page.getByText("Only pods of the namespace").waitFor();
  await page.getByRole("heading", {name: /^Waiting 2 pods/}).waitFor();
  assert.equal(await page.getByText("trainer-0").count(), 0);
  await page.goto(`${url}/ui/#/devices?ns=research`);
  await page.getByText("You may not list resourceslices").waitFor();
  await page.close();
  const none = await open("none", "#/waiting");
  await none.getByText("You may not list pods").waitFor();
  await none.close();
});

await test("the account of examples/dashboard may read all that the views need", async () => {
  const {status} = await kube("/api/v1/namespaces/default/serviceaccounts/dashboard/token", {method: "POST",
    data: {apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {}}});
  const page = await open(status.token, "#/waiting?explain=research/disks-0");
  await page.getByText("system:serviceaccount:default:dashboard").waitFor();
  await page.getByText("What would help").waitFor();
  await live(page);
  await page.goto(`${url}/ui/#/whatif?do=drain+cut-0`);
  await page.getByText("✗ Not all of it fits.").waitFor();
  assert.equal(await page.getByText("You may not list").count(), 0);
  await page.close();
});

await test("a server that does not answer is said, and found again", async () => {
  const page = await newPage();
  await page.addInitScript(() => sessionStorage.setItem("dray-token", "all"));
  await page.route(/pods\?watch/, (route) => route.abort());
  await page.goto(`${url}/ui/#/waiting`);
  await page.getByText(/The server does not answer. This is .* old: pods/).waitFor();
  await page.getByRole("heading", {name: /^Waiting 3 pods/}).waitFor();
  await page.unroute(/pods\?watch/);
  await live(page);
  await page.close();
});

await test("a phone can read it", async () => {
  const page = await open("all", "#/waiting?explain=research/disks-0");
  await page.setViewportSize({width: 390, height: 800});
  await page.getByText("What would help").waitFor();
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
  await page.close();
});

await test("at rest an open dashboard asks nothing", async () => {
  const page = await newPage();
  await page.clock.install();
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.addInitScript(() => sessionStorage.setItem("dray-token", "all"));
  await page.goto(`${url}/ui/#/capacity`);
  await page.getByText("Partitions that can still be cut").waitFor();
  await live(page);
  await page.clock.runFor(10_000); // what followed the first lists
  await page.waitForFunction(() => document.querySelector("[aria-busy=false]"));
  const before = asked.length;
  await page.clock.runFor(3_600_000);
  assert.deepEqual(asked.slice(before), []);
  await page.close();
});

await import("./plans.mjs");
await import("./timeline.mjs");
await stories;

await test("nothing came from elsewhere, and nothing went wrong unseen", async () => {
  assert.deepEqual(foreign, []);
  assert.deepEqual(errors, []);
});

await context.close();
process.exit(failures === 0 ? 0 : 1);
