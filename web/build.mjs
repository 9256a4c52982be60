// SPDX-License-Identifier: Apache-2.0
// build.mjs FOLDER: writes the dashboard's files into FOLDER.
import {copyFile, mkdir, readFile, writeFile} from "node:fs/promises";
import {join} from "node:path";
import {build} from "esbuild";

const out = process.argv[2];
await mkdir(out, {recursive: true});
await build({
  entryPoints: ["src/app.tsx"],
  bundle: true,
  minify: true,
  format: "esm",
  target: ["chrome100", "firefox100", "safari15.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  charset: "utf8",
  legalComments: "none", // licences.txt has them
  outfile: join(out, "app.js"),
});
for (const name of ["index.html", "style.css", "icon.svg"]) {
  await copyFile(join("src", name), join(out, name));
}
const licence = await readFile("node_modules/preact/LICENSE", "utf8");
const {version} = JSON.parse(await readFile("node_modules/preact/package.json", "utf8"));
await writeFile(join(out, "licences.txt"),
  `The dashboard is a part of Dray (Apache-2.0) and contains:\n\npreact ${version}\n\n${licence}`);
