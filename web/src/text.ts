// SPDX-License-Identifier: Apache-2.0
// Texts from clients, made safe to look at. Markup needs no care, because the views make text nodes
// only. Control and bidirectional characters could make one name look like another, so they are
// shown by number.

export const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

export function visible(text: string): string {
  return text.replace(HIDDEN, (found) => {
    if (found === "\n" || found === "\t") return found;
    return `‹U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}›`;
  });
}

/// "3 pods", "1 pod".
export function count(many: number, one: string, more = `${one}s`): string {
  return `${many.toLocaleString("en").replaceAll(",", " ")} ${many === 1 ? one : more}`;
}

/// A local time with its zone, or the text itself when it is no time.
export function localTime(text: string | undefined): string {
  if (!text) return "";
  const time = new Date(text);
  if (Number.isNaN(time.getTime())) return visible(text);
  return time.toLocaleString(undefined, {dateStyle: "medium", timeStyle: "long"});
}

/// "5 s", "3 min", "2 h", "4 d": how long `milliseconds` are. A clock that is behind gives "0 s".
export function span(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}
