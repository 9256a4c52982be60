// SPDX-License-Identifier: Apache-2.0
// Every story of examples/stories in every view, as `dray ui -f` shows it. The stories have servers and a browser of
// their own, so they are played beside the other tests.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {readdir} from "node:fs/promises";
import {createInterface} from "node:readline";
import {chromium} from "playwright-core";
import {usePage} from "./fresh.mjs";
import {dray, findings, fresh, LAUNCH, patience, root, test} from "./harness.mjs";

/// The link that `dray ui` prints, and how to end it.
async function begin(files) {
  const program = spawn(dray, ["ui", ...files.flatMap((file) => ["-f", file])], {stdio: ["ignore", "pipe", "ignore"]});
  for await (const line of createInterface({input: program.stdout})) {
    const found = /http:\/\/\S+#once=\S+/.exec(line);
    if (found) return {link: found[0], end: () => program.kill()};
  }
  throw new Error("dray ui printed no link");
}

const folder = `${root}/examples/stories`;
const names = (await readdir(folder, {withFileTypes: true})).filter((one) => one.isDirectory()).map((one) => one.name);

const browser = await chromium.launch(LAUNCH);
const context = await browser.newContext();
context.setDefaultTimeout(patience * 1000);
if (fresh) await usePage(context, fresh);

function play(name) {
  return test(`story ${name}: each view, without a fault`, async () => {
    const {link, end} = await begin([`${folder}/${name}/cluster.yaml`, `${folder}/${name}/wrong.yaml`]);
    const page = await context.newPage();
    const faults = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    try {
      await page.goto(link);
      await page.getByText("● live").waitFor();
      for (const view of ["waiting", "objects", "capacity", "devices"]) {
        await page.evaluate((to) => { location.hash = `#/${to}`; }, view);
        await page.waitForFunction((to) => document.querySelector("main h1") && location.hash.includes(to) && !document.querySelector("[aria-busy=true]"), view);
        if (view === "objects") {
          await page.evaluate((pod) => { location.hash = `#/objects?yaml=1&pick=${encodeURIComponent(pod)}`; }, await page.locator("td a.pick").first().evaluate((one) => decodeURIComponent(/pick=([^&]+)/.exec(one.href)[1])));
          await page.getByRole("complementary").getByText("kind:").waitFor();
        }
        if (view === "waiting") await page.locator(".verdict").first().waitFor();
        if (view === "waiting") assert.deepEqual(await findings(page), []);
      }
      assert.deepEqual(faults, []);
    } finally {
      end();
      await page.close();
    }
  });
}

const AT_ONCE = 2;
const left = [...names];
await Promise.all(Array.from({length: AT_ONCE}, async () => {
  for (let name = left.shift(); name; name = left.shift()) await play(name);
}));
await browser.close();
