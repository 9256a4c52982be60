// SPDX-License-Identifier: Apache-2.0
// What the tests of the views share: the browser, pages, requests to the server, axe, and goldens.
import assert from "node:assert/strict";
import {mkdir, readFile, writeFile} from "node:fs/promises";
import {createRequire} from "node:module";
import {chromium} from "playwright-core";
import {usePage} from "./fresh.mjs";
import {launchOptions} from "./launch.mjs";

export const {url, browser: executablePath, profile, pictures, patience, page: fresh, only, update, golden, dray, root, kubectl} = JSON.parse(process.env.DRAY_UI_TEST);
const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const LAUNCH = launchOptions(executablePath);
export const context = await chromium.launchPersistentContext(profile, {
  ...LAUNCH, ignoreHTTPSErrors: true, viewport: {width: 1240, height: 660}, colorScheme: "light", locale: "en-US", timezoneId: "UTC",
});
context.setDefaultTimeout(patience * 1000); // only a fault uses it up
await context.grantPermissions(["clipboard-read", "clipboard-write"], {origin: url});
if (fresh) await usePage(context, fresh);
const WITHOUT_PICTURE = ["devices-table", "moment"];
export const errors = [];
export const foreign = [];
export let failures = 0;

/// A page that is closed when its test fails.
const opened = new Set();
export async function newPage() {
  const page = await context.newPage();
  opened.add(page);
  page.on("close", () => opened.delete(page));
  return page;
}

/// A page of the server at `base`, as the user of `token`; `hash` null: it is not opened yet.
export async function open(token, hash = "", base = url) {
  const page = await newPage();
  page.on("pageerror", (error) => errors.push(String(error)));
  page.on("console", (line) => { if (line.type() === "error" && !/status of (40[0134]|410)/.test(line.text())) errors.push(line.text()); });
  page.on("request", (request) => { if (!request.url().startsWith(`${base}/`) && !request.url().startsWith("data:")) foreign.push(request.url()); });
  page.on("dialog", (dialog) => { errors.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  if (token) await page.addInitScript((text) => sessionStorage.setItem("dray-token", text), token);
  if (hash !== null) await page.goto(`${base}/ui/${hash}`);
  return page;
}

export async function test(name, body) {
  if (only && !new RegExp(only).test(name)) return;
  const began = Date.now();
  try {
    await body();
    console.log(`ok ${name} (${Date.now() - began} ms)`);
  } catch (error) {
    failures += 1;
    for (const page of opened) await page.close();
    opened.clear();
    console.log(`not ok ${name}: ${error.stack.replace(/Browser logs:.*?(?=\n    at )/s, "")}`);
  }
}

export async function kube(path, options = {}) {
  const response = await context.request.fetch(url + path, {...options, ignoreHTTPSErrors: true,
    headers: {Authorization: "Bearer all", "Content-Type": "application/json", ...options.headers}});
  assert.ok(response.ok(), `${path}: ${response.status()} ${await response.text()}`);
  return response.json();
}

/// The findings of axe, one line each; `rules`: of these only.
export async function findings(page, rules = []) {
  if (!await page.evaluate(() => Boolean(globalThis.axe))) await page.evaluate(axe);
  const {violations} = await page.evaluate((chosen) => globalThis.axe.run(document, {resultTypes: ["violations"], ...(chosen.length > 0 ? {runOnly: chosen} : {})}), rules);
  return violations.map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map((node) => node.html.slice(0, 200)).join(" | ")}`);
}

/// The findings of axe, and no text that leaves the window sideways.
export async function check(page, name) {
  for (const theme of ["light", "dark"]) {
    await page.getByLabel("Theme").selectOption(theme);
    await onlyOwnColours(page);
    assert.deepEqual(await findings(page, theme === "light" ? [] : ["color-contrast"]), [], `${name} ${theme}`); // themes differ in colours only
    if (theme === "light") await nothingCovered(page, name);
    if (pictures && (theme === "light" ? !WITHOUT_PICTURE.includes(name) : name === "devices")) {
      await mkdir(pictures, {recursive: true});
      await page.screenshot({...(name === "whatif" ? {fullPage: true, clip: {x: 0, y: 0, width: 1240, height: 1180}} : {}), path: `${pictures}/ui-${name}${theme === "dark" ? "-dark" : ""}.png`});
    }
  }
  await page.getByLabel("Theme").selectOption("auto");
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name}: wider than the window`);
}

/// The map is painted in the colours of the theme.
async function onlyOwnColours(page) {
  await page.waitForFunction(() => {
    const map = document.querySelector("canvas");
    if (!map) return true;
    const pixel = map.getContext("2d").getImageData(map.width - 1, map.height - 1, 1, 1).data;
    return getComputedStyle(document.body).backgroundColor === `rgb(${pixel[0]}, ${pixel[1]}, ${pixel[2]})`;
  });
}

export async function live(page) {
  await page.getByText("● live").waitFor();
}

/// What a screen reader finds on the page, compared with what was recorded. Pictures of pixels differ with fonts and
/// versions, so people learn to accept their differences; roles, names and texts do not, and a difference is one that a
/// user notices. Masked are times, ages, names that the server makes up, and which of equal devices a claim got.
export async function matchGolden(part, name) {
  const text = (await part.ariaSnapshot())
    .replace(/\b\d+ (s|min|h|d)\b/g, "AGE")
    .replace(/\w{3} \d+, \d{4}, \d+:\d\d:\d\d\s[AP]M UTC/g, "TIME")
    .replace(/\d+:\d\d(:\d\d)?\s[AP]M/g, "CLOCK")
    .replace(/(-(?:gpus?|shared))-[a-z0-9]{5}\b/g, "$1-MADE")
    .replace(/\b(gpu-?)\d/g, "$1N");
  const file = `${golden}/${name}.yaml`;
  if (update) {
    await mkdir(golden, {recursive: true});
    await writeFile(file, `${text}\n`);
    return;
  }
  assert.equal(`${text}\n`, await readFile(file, "utf8"), `${name} is not what ${file} has; --update records it`);
}

/// No control covers another, and none is outside of the window sideways.
export async function nothingCovered(page, name) {
  const wrong = await page.evaluate(() => {
    const seen = [...document.querySelectorAll("main a, main button, main input, main select, main textarea, main canvas, header a, header button")].filter((one) => (
      one.checkVisibility() && !one.closest(".columns > div, .skip") && one.className !== "skip"));
    const boxes = seen.map((one) => ({one, box: one.getBoundingClientRect()})).filter(({box}) => box.width > 0 && box.height > 0);
    const found = [];
    boxes.forEach(({one, box}, i) => {
      if (box.left < -1 || (box.right > innerWidth + 1 && !one.closest(".scroll"))) found.push(`outside: ${one.outerHTML.slice(0, 120)}`);
      for (const other of boxes.slice(i + 1)) {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (across > 2 && down > 2 && !one.contains(other.one) && one.closest(".scroll") === other.one.closest(".scroll")) found.push(`covered: ${one.outerHTML.slice(0, 90)} by ${other.one.outerHTML.slice(0, 90)}`);
      }
    });
    return found.slice(0, 5);
  });
  assert.deepEqual(wrong, [], name);
}

/// Presses a key until `until` holds in the page.
export async function press(page, key, until, most = 80) {
  for (let i = 0; i < most; ++i) {
    if (await page.evaluate(until)) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not reach ${until}`);
}
