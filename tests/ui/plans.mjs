// SPDX-License-Identifier: Apache-2.0
// What-if, and the commands that the page offers: they are run, and have to do what they say.
import assert from "node:assert/strict";
import {execFile} from "node:child_process";
import {mkdtemp, writeFile} from "node:fs/promises";
import {tmpdir} from "node:os";
import {join} from "node:path";
import {promisify} from "node:util";
import {check, kube, kubectl, live, matchGolden, open, press, test, url} from "./harness.mjs";

const WORK = `apiVersion: resource.k8s.io/v1
kind: ResourceClaim
metadata: {namespace: research, name: more}
spec:
  devices:
    requests:
    - name: devices
      exactly: {deviceClassName: cut.example.com, count: 1}
---
apiVersion: v1
kind: Pod
metadata: {namespace: research, name: more-0}
spec:
  containers:
  - {name: main, image: "registry.k8s.io/pause:3.10", resources: {claims: [{name: devices}]}}
  resourceClaims:
  - {name: devices, resourceClaimName: more}
`;

/// Runs a command as the page copied it, in a shell, with the administrator's token.
async function run(command) {
  const folder = await mkdtemp(join(tmpdir(), "dray-ui-"));
  await writeFile(join(folder, "config"), JSON.stringify({apiVersion: "v1", kind: "Config", "current-context": "c", clusters: [{name: "c", cluster: {server: url, "insecure-skip-tls-verify": true}}],
    users: [{name: "u", user: {token: "all"}}], contexts: [{name: "c", context: {cluster: "c", user: "u"}}]}));
  const {stdout} = await promisify(execFile)("sh", ["-c", command], {env: {...process.env, KUBECONFIG: join(folder, "config"), HOME: folder}});
  return stdout;
}

/// Clicks what copies, and gives what was copied.
async function copied(page, button) {
  await button.click();
  await page.getByText("copied").first().waitFor();
  return page.evaluate(() => navigator.clipboard.readText());
}

await test("what if: manifests and changes, before and after", async () => {
  const page = await open("all", "#/whatif");
  await live(page);
  assert.ok(await page.getByRole("button", {name: "Ask"}).isDisabled());
  await page.getByLabel("Manifests").fill(WORK);
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByText("✓ All of it fits.").waitFor();
  await page.getByRole("row", {name: /pod research\/more-0 work no node ✓ cut-0/}).waitFor();
  const maps = page.getByRole("region", {name: "Devices before and after"});
  await maps.getByRole("application", {name: /^Map of \d+ devices before/}).focus();
  await page.keyboard.press("ArrowRight"); // the keys move in both maps at once
  await page.waitForFunction(() => [...document.querySelectorAll(".twomaps [role=status]")].every((one) => one.textContent.startsWith("cut.example.com/cut-0/")));
  await page.getByRole("combobox", {name: "Which"}).fill("cut-0");
  await page.getByRole("button", {name: "Add"}).click();
  await page.getByText("The question has changed since").waitFor();
  assert.match(page.url(), /do=drain\+cut-0/);
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByText("✗ Not all of it fits.").waitFor();
  await page.getByRole("row", {name: /pod research\/half-0 has to move cut-0 ✗/}).waitFor();
  await page.getByRole("heading", {name: /Why pod research\/more-0 does not fit/}).waitFor();
  await check(page, "whatif");
  await matchGolden(page.locator("main"), "whatif");
  await page.getByText("On a command line").last().click();
  assert.match(await page.locator("main .commands code").last().innerText(), /^dray whatif -f work.yaml --drain cut-0$/);
  await page.close();
});

await test("what if: what is wrong is said, and nothing is written", async () => {
  const page = await open("all", "#/whatif?do=drain+nowhere");
  await page.getByRole("alert").getByText("no node nowhere").waitFor();
  await page.getByLabel("Manifests").fill("{");
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByRole("alert").waitFor();
  await page.getByLabel("Manifests").fill(`# ${"x".repeat(1024 * 1024)}`);
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByText("The manifests are too large").waitFor();
  await page.getByRole("button", {name: "Empty"}).click();
  await page.getByLabel("Files", {exact: true}).setInputFiles([{name: "a.yaml", mimeType: "text/yaml", buffer: Buffer.from(WORK)}, {name: "b.yaml", mimeType: "text/yaml", buffer: Buffer.from("# two\n")}]);
  await page.waitForFunction(() => document.querySelector("textarea").value.endsWith("---\n# two\n"));
  await page.getByLabel("How many copies fit?").check();
  await page.getByRole("button", {name: "Leave out: drain a node nowhere"}).click();
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByText(/copies would fit|copy would fit/).waitFor();
  await page.reload();
  await page.waitForFunction(() => document.querySelector("textarea")?.value.includes("more-0"));
  await page.goto(`${url}/ui/#/whatif?pod=research/disks-0&try=${encodeURIComponent("<img src=x onerror=alert(1)>\u202etxt")}`);
  await page.getByText("Tried: <img src=x onerror=alert(1)>‹U+202E›txt").waitFor();
  await page.getByText("The suggestion is not about what the cluster has now.").waitFor();
  assert.equal(await page.locator("img").count(), 0);
  const {items} = await kube("/api/v1/namespaces/research/pods");
  assert.ok(!items.some((pod) => pod.metadata.name === "more-0"));
  await page.close();
});

await test("a suggestion is tried by keyboard: why, what would help, try it", async () => {
  const page = await open("all", "#/waiting?explain=research/disks-0");
  await page.getByText("What would help").waitFor();
  await page.getByRole("link", {name: "Try it"}).first().waitFor();
  await press(page, "Tab", "document.activeElement.textContent === 'Try it'");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", {name: "What if"}).waitFor();
  await page.getByText("✓ All of it fits.").waitFor();
  await page.getByText(/^Tried: /).waitFor();
  assert.match(await page.getByLabel("Manifests").inputValue(), /name: disks-0[^]*---[^]*kind: ResourceClaim/);
  await page.getByRole("link", {name: "research/disks-0"}).click();
  await page.getByText("What would help").waitFor();
  await page.close();
});

await test("nodes that are closed are seen, and opened by the commands of the page", async () => {
  const node = "/api/v1/nodes/net-0";
  const patch = (spec) => kube(node, {method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, data: {spec}});
  await patch({unschedulable: true, taints: [{key: "team", value: "a", effect: "NoSchedule"}]});
  const page = await open("all", "#/devices?as=table&pick=node:worn-0");
  await kube("/api/v1/nodes/worn-0", {method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, data: {spec: {unschedulable: true}}});
  await page.getByRole("row", {name: /disk-0 cordoned/}).waitFor();
  await page.getByRole("row", {name: /disk-1 tainted/}).waitFor();
  const detail = page.getByRole("complementary");
  await detail.getByText("no new pods").waitFor();
  await page.goto(`${url}/ui/#/devices?as=table&pick=node:net-0`);
  await detail.getByRole("heading", {name: "node net-0"}).waitFor();
  await detail.getByText("On a command line").click();
  const commands = await detail.locator(".commands code").allInnerTexts();
  assert.deepEqual(commands, ["kubectl describe node net-0", "kubectl uncordon net-0", "kubectl taint nodes net-0 team:NoSchedule-"]);
  if (kubectl) {
    for (const command of commands) await run(command);
    await run("kubectl uncordon worn-0");
    const {spec} = await kube(node);
    assert.deepEqual([spec.unschedulable ?? false, spec.taints ?? []], [false, []]);
  } else {
    await patch({unschedulable: null, taints: null});
    await kube("/api/v1/nodes/worn-0", {method: "PATCH", headers: {"Content-Type": "application/merge-patch+json"}, data: {spec: {unschedulable: null}}});
  }
  await page.getByRole("row", {name: /disk-0 free/}).waitFor();
  await page.close();
});

await test("rules by class or expression are judged by the server, or it is said that they are not", async () => {
  const page = await open("all", null);
  await page.route(/\/devicetaintrules\?limit/, (route) => route.fulfill({json: {metadata: {resourceVersion: "1"}, items: [
    {metadata: {name: "r"}, spec: {deviceSelector: {deviceClassName: "c"}, taint: {key: "k", effect: "NoSchedule"}}}]}}));
  await page.route(/\/devicetaintrules\?watch/, () => undefined); // never answered
  let isAnswered = true;
  await page.route(/\/ui\/api\/devices/, (route) => route.fulfill(isAnswered
    ? {json: {pools: [{driver: "worn.example.com", pool: "worn-0", tainted: ["disk-0", "disk-1", "disk-2"]}]}} : {status: 404, json: {message: "no"}}));
  await page.goto(`${url}/ui/#/devices?as=table&q=worn`);
  await page.getByRole("row", {name: /disk-0 tainted/}).waitFor();
  assert.equal(await page.getByText("selects devices by class").count(), 0);
  isAnswered = false;
  await page.reload();
  await page.getByText("1 DeviceTaintRule selects devices by class or by an expression").waitFor();
  await page.getByRole("row", {name: /disk-0 free/}).waitFor();
  await page.close();
});

await test("a pod runs after the copied command", async () => {
  if (!kubectl) return;
  const page = await open("all", "#/waiting?explain=research/disks-0");
  await page.getByText("What would help").waitFor();
  const command = await copied(page, page.locator("main ol").getByRole("button", {name: "Copy as kubectl"}).first());
  await run(command);
  await page.getByRole("button", {name: "research/disks-0"}).waitFor({state: "detached"}); // it has a node
  await page.goto(`${url}/ui/#/objects?pick=pod:research/disks-0`);
  const detail = page.getByRole("complementary");
  await detail.getByText("On a command line").click();
  const commands = await detail.locator(".commands code").allInnerTexts();
  assert.match(await run(commands[0]), /Name:\s+disks-0/);
  await run(commands[1]);
  await detail.getByText("It is not there, or you may not see it.").waitFor();
  await page.close();
});

await test("a claim that a template makes: the template is tried, and replaced by the copied commands", async () => {
  const WAITING = "#/waiting?explain=example-driver/trainer-0";
  const page = await open("all", WAITING);
  const help = page.locator("main ol > li").filter({hasText: "ask for 1 device instead of 2"});
  await help.getByRole("link", {name: "Try it"}).click();
  await page.getByText("✓ All of it fits.").waitFor();
  assert.match(await page.getByLabel("Manifests").inputValue(), /kind: Pod\n[^]*---[^]*kind: ResourceClaimTemplate\n/);
  await page.getByRole("row", {name: /pod example-driver\/trainer-0 work no node ✓ example-0/}).waitFor();
  await page.getByText("The same as a table").click();
  await page.getByRole("row", {name: /gpu-\d example-0 free used example-driver\/trainer-0-gpus/}).waitFor();
  await page.goto(`${url}/ui/${WAITING}`);
  await help.getByText("The claim is made from the template two-gpus.").waitFor();
  if (kubectl) {
    await run(await copied(page, help.getByRole("button", {name: "Copy as kubectl"})));
    await page.getByRole("button", {name: "example-driver/trainer-0"}).waitFor({state: "detached"}); // it has a node
    const {spec} = await kube("/apis/resource.k8s.io/v1/namespaces/example-driver/resourceclaimtemplates/two-gpus");
    assert.equal(spec.spec.devices.requests[0].exactly.count, 1);
  }
  await page.close();
});

await test("what if: the slices of another version of a driver", async () => {
  const {items} = await kube("/apis/resource.k8s.io/v1/resourceslices");
  const [slice] = items.filter((one) => one.spec.driver === "net.example.com");
  const {name, spec} = {name: slice.metadata.name, spec: slice.spec};
  const page = await open("all", "#/whatif");
  await page.getByText("Another version of a driver").click();
  await page.getByLabel("Its ResourceSlices").fill(JSON.stringify({apiVersion: slice.apiVersion ?? "resource.k8s.io/v1", kind: "ResourceSlice", metadata: {name},
    spec: {...spec, devices: spec.devices.map((one) => ({...one, name: `${one.name}-new`}))}}));
  await page.getByRole("button", {name: "Ask"}).click();
  await page.getByRole("heading", {name: "Devices before and after"}).waitFor();
  await page.getByText("The same as a table").click();
  await page.getByRole("row", {name: /nic-0-new net-0 absent/}).waitFor();
  await page.getByText("On a command line").last().click();
  assert.match(await page.locator("main .commands code").last().innerText(), /^dray whatif --upgrade-driver slices.yaml$/);
  await page.close();
});

await test("a link works once, and its secret does not stay in the address", async () => {
  const page = await open("", "");
  await page.getByLabel("Bearer token").waitFor();
  let uses = 0;
  await page.route(`${url}/ui/login`, async (route) => {
    assert.deepEqual(route.request().postDataJSON(), {once: "s3cret"});
    uses += 1;
    await route.fulfill(uses === 1 ? {json: {token: "all"}} : {status: 401, json: {message: "no"}});
  });
  await page.goto("about:blank");
  await page.goto(`${url}/ui/#once=s3cret`);
  await live(page);
  assert.ok(!page.url().includes("s3cret"));
  assert.equal(await page.evaluate(() => sessionStorage.getItem("dray-token")), "all");
  await page.goto("about:blank");
  await page.goto(`${url}/ui/#once=s3cret`);
  await page.getByText("This link was used already").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
  await page.close();
});
