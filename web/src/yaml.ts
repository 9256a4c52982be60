// SPDX-License-Identifier: Apache-2.0
// A JSON value as YAML, for reading and for copying. Texts that YAML could take for something else are quoted, and
// characters that hide or turn text are escaped.
import {HIDDEN} from "./text.ts";

const PLAIN = /^[A-Za-z_/.][\w./ @+-]*$/;
const WORDS = /^(?:y|n|yes|no|on|off|true|false|null|~|\.inf|\.nan)$/i;

function scalar(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value) ?? "null";
  const isPlain = PLAIN.test(value) && !WORDS.test(value) && !/^[.\d]+$/.test(value) &&
    !value.endsWith(" ");
  return isPlain ? value : JSON.stringify(value).replace(HIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function isEmpty(value: unknown): boolean {
  return typeof value !== "object" || value === null || Object.keys(value).length === 0;
}

function lines(value: unknown, indent: string, out: string[]): void {
  if (Array.isArray(value)) {
    for (const item of value) {
      if (isEmpty(item)) {
        out.push(`${indent}- ${scalar(item)}`);
        continue;
      }
      const from = out.length;
      lines(item, `${indent}  `, out);
      out[from] = `${indent}- ${out[from]!.slice(indent.length + 2)}`;
    }
    return;
  }
  for (const [key, item] of Object.entries(value as Record<string, unknown>)) {
    if (isEmpty(item)) {
      out.push(`${indent}${scalar(key)}: ${scalar(item)}`);
    } else {
      out.push(`${indent}${scalar(key)}:`);
      lines(item, Array.isArray(item) ? indent : `${indent}  `, out);
    }
  }
}

export function toYaml(value: unknown): string {
  if (isEmpty(value)) return `${scalar(value)}\n`;
  const out: string[] = [];
  lines(value, "", out);
  return `${out.join("\n")}\n`;
}
