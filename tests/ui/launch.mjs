// SPDX-License-Identifier: Apache-2.0
// How the tests and benches start a browser: headless, and without requests of its own.

export const launchOptions = (executablePath) => ({executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-quic",
  "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"]});
