// SPDX-License-Identifier: Apache-2.0
// The timeline: what was when, the way back to a moment, and to now.
import assert from "node:assert/strict";
import {check, kube, live, matchGolden, open, test, url} from "./harness.mjs";

const CLAIMS = "/apis/resource.k8s.io/v1/namespaces/research/resourceclaims";

await test("timeline: what the page saw itself, where the server remembers nothing", async () => {
  const page = await open("all", null);
  await page.route(/\/ui\/api\/history/, (route) => route.fulfill({status: 404, json: {message: "no"}}));
  await page.goto(`${url}/ui/#/timeline`);
  await live(page);
  await page.getByText("The server does not remember earlier allocations").waitFor();
  await page.getByRole("figure").getByText(/Devices in use: 1\d now/).waitFor();
  await page.close();
});

await test("timeline: bars, table, and back to a moment", async () => {
  const page = await open("all", "#/timeline?q=research/half");
  await live(page);
  await page.getByRole("list", {name: "Devices and the claims that had them"}).getByText("cut.example.com/cut-0/gpu-0-half-0").waitFor();
  await kube("/api/v1/namespaces/research/pods/half-0?gracePeriodSeconds=0", {method: "DELETE"});
  await kube(`${CLAIMS}/half`, {method: "DELETE"}).catch(() => undefined);
  await page.getByLabel("Show as").selectOption("table");
  await page.waitForFunction(() => !document.querySelector("main").textContent.includes("still has it"));
  await page.getByLabel("Show as").selectOption("bars");
  await page.getByRole("button", {name: "Earlier"}).click();
  await page.getByText(/claim research\/half gave its devices back/).waitFor();
  await matchGolden(page.locator("main"), "timeline");
  // The browser's clock is an hour ahead since a test before; the axis is by the server's.
  const bar = page.locator(".lanes .held").first();
  assert.ok(Number(await bar.getAttribute("width")) > 20);
  await page.getByLabel("Device or claim").fill("");
  await page.getByRole("button", {name: "Earlier"}).click();
  await check(page, "timeline");
  await page.getByRole("button", {name: "Show all views at this moment"}).click();
  await page.getByText("This was the cluster at").waitFor();
  await page.getByRole("link", {name: "Claims and pods"}).click();
  await page.getByRole("group", {name: "Claims"}).getByRole("link", {name: "research/half", exact: true}).waitFor();
  assert.match(page.url(), /rev=\d+/);
  await page.getByRole("link", {name: /Free capacity/}).click();
  await page.getByText(/devices of/).waitFor();
  await page.getByRole("link", {name: "Devices"}).click();
  await page.getByRole("button", {name: /^used/}).waitFor();
  await check(page, "moment");
  await page.getByRole("button", {name: "Back to now"}).click();
  await live(page);
  await page.getByRole("link", {name: "Claims and pods"}).click();
  await page.getByRole("group", {name: "Claims"}).getByRole("link", {name: "research/half", exact: true}).waitFor({state: "detached"});
  await page.close();
});

await test("a moment that is not kept any more is said", async () => {
  const page = await open("all", null);
  await page.route(/resourceVersionMatch=Exact/, (route) => route.fulfill({status: 410, json: {message: "The resourceVersion for the provided list is too old."}}));
  await page.goto(`${url}/ui/#/devices?rev=1&when=${encodeURIComponent("a\u202etime")}`);
  await page.getByText("The resourceslices of this moment are no longer kept.").waitFor();
  await page.getByText("This was the cluster at a‹U+202E›time").waitFor();
  await page.getByRole("button", {name: "Back to now"}).click();
  await live(page);
  await page.close();
});
