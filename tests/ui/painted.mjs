// SPDX-License-Identifier: Apache-2.0
// Whether the map is drawn as the cluster is: where each device has to be and in which state is computed here, from the
// API and the page's own functions, and compared with the pixels.
import assert from "node:assert/strict";
import {build} from "esbuild";
import {kube} from "./harness.mjs";

await build({stdin: {contents: 'export {DeviceModel} from "./src/devices.ts"; export {groupsOf} from "./src/model.ts"; export * from "./src/map.ts";', resolveDir: ".", loader: "ts"},
  bundle: true, platform: "node", format: "esm", outfile: "made/functions.mjs", logLevel: "warning"});
const {DeviceModel, groupsOf, layOut} = await import("./made/functions.mjs");

/// The share of a box that is not the page, and its most frequent colour, for each box.
function looks([boxes, top]) {
  const canvas = document.querySelector("canvas");
  const context = canvas.getContext("2d");
  const hex = (data, i) => `#${[0, 1, 2].map((n) => data[i + n].toString(16).padStart(2, "0")).join("")}`;
  const page = getComputedStyle(document.documentElement).getPropertyValue("--page").trim();
  return boxes.map(({x, y, width, height}) => {
    const {data} = context.getImageData(Math.round(x), Math.round(y - top), Math.round(width), Math.round(height));
    const many = new Map();
    for (let i = 0; i < data.length; i += 4) many.set(hex(data, i), (many.get(hex(data, i)) ?? 0) + 1);
    const inked = (data.length / 4) - (many.get(page) ?? 0);
    many.delete(page);
    return {inked: inked / (data.length / 4), colour: [...many].sort((a, b) => b[1] - a[1])[0]?.[0] ?? ""};
  });
}

/// Compares each device of the map by node, whose cells have `cell` pixels.
export async function mapIsTrue(page, cell) {
  const read = async (path) => (await kube(path)).items;
  const group = "/apis/resource.k8s.io/v1";
  const nodes = await read("/api/v1/nodes");
  const model = new DeviceModel().update({slices: await read(`${group}/resourceslices`), claims: await read(`${group}/resourceclaims`), rules: [], nodes});
  const width = await page.evaluate(() => document.querySelector("canvas").clientWidth);
  const layout = layOut(groupsOf(model.devices, "node", new Map(nodes.map((node) => [node.metadata.name, node]))), width, cell);
  const cells = layout.blocks.flatMap((block) => block.cells);
  assert.ok(cells.length > 20);
  const colours = await page.evaluate(() => Object.fromEntries(["free", "used", "shared", "blocked", "tainted"].map((state) => [state, getComputedStyle(document.documentElement).getPropertyValue(`--${state}`).trim()])));
  const top = await page.evaluate(() => document.querySelector(".mapframe").scrollTop);
  const seen = await page.evaluate(looks, [cells.map(({x, y, width: across, height}) => ({x, y, width: across, height})), top]);
  cells.forEach(({device}, i) => {
    const {inked, colour} = seen[i];
    assert.equal(colour, colours[device.state], `${device.id} is ${device.state}`);
    if (device.state === "used") assert.ok(inked > 0.95, `${device.id} is full: ${inked}`);
    if (device.state === "free") assert.ok(inked < 0.75, `${device.id} is empty at ${cell}: ${inked}`);
  });
}
