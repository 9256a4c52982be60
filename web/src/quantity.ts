// SPDX-License-Identifier: Apache-2.0
// Quantities of Kubernetes as numbers, good enough to draw: 1.5Gi, 200m, 1e3.

const SUFFIXES: Record<string, number> = {
  n: 1e-9, u: 1e-6, m: 1e-3, "": 1, k: 1e3, M: 1e6, G: 1e9, T: 1e12, P: 1e15, E: 1e18,
  Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40, Pi: 2 ** 50, Ei: 2 ** 60,
};

/// The number, or NaN for a text that is no quantity.
export function parseQuantity(text: string): number {
  const found = /^([+-]?(?:\d+\.?\d*|\.\d+))(?:([eE][+-]?\d+)|([A-Za-z]*))$/.exec(text.trim());
  if (!found) return NaN;
  if (found[2]) return Number(found[1] + found[2]);
  const factor = SUFFIXES[found[3] ?? ""];
  return factor === undefined ? NaN : Number(found[1]) * factor;
}
