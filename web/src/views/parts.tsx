// SPDX-License-Identifier: Apache-2.0
// Small parts of all views: names, links, state marks, tables, copying.
import type {ComponentChildren, JSX} from "preact";
import {useState} from "preact/hooks";
import {change, useShown} from "../hooks.ts";
import type {Kind} from "../cluster.ts";
import type {State} from "../model.ts";
import {parseRoute, routeText, withParts} from "../route.ts";
import {count, visible} from "../text.ts";

/// A text from a client. <bdi> keeps the direction of its letters to itself.
export function Name({text}: {text: string}): JSX.Element {
  return <bdi class="name">{visible(text)}</bdi>;
}

/// A link that picks an object: "device:ID", "pod:NS/NAME", "claim:NS/NAME", "node:NAME".
export function Pick({what, children}: {what: string; children?: ComponentChildren}): JSX.Element {
  const {route} = useShown();
  const text = what.slice(what.indexOf(":") + 1);
  return (
    <a class="pick" href={routeText(withParts(route, {pick: what}))} aria-current={route.at.pick === what ? "true" : undefined}>
      {children ?? <Name text={text} />}
    </a>
  );
}

export function picked(): {kind: string; name: string} {
  const pick = parseRoute(location.hash).at.pick ?? "";
  const colon = pick.indexOf(":");
  return colon < 0 ? {kind: "", name: ""} : {kind: pick.slice(0, colon), name: pick.slice(colon + 1)};
}

const SHAPES: Record<State, string> = {free: "", used: "", shared: "", blocked: "M3 13 13 3", tainted: "M3 13 13 3M3 3 13 13",
  cordoned: "M8 3V13", "node-tainted": "M8 3V13M3 8H13",
  unhealthy: "M8 3.5V9M8 11V12.5", incomplete: "M3 8H6M7 8H10M11 8H13", absent: ""};

/// The mark of a state as on the map: its shape tells it without its colour.
export function Mark({state}: {state: State}): JSX.Element {
  return (
    <svg class={`mark ${state}`} viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
      <rect x="1" y="1" width="14" height="14" class="edge" />
      {state === "used" && <rect x="1" y="1" width="14" height="14" class="full" />}
      {state === "shared" && <rect x="1" y="8" width="14" height="7" class="full" />}
      {SHAPES[state] && <path d={SHAPES[state]} class="edge" />}
    </svg>
  );
}

export function StateName({state}: {state: State}): JSX.Element {
  return <span class="state"><Mark state={state} />{state}</span>;
}

export function Search({label}: {label: string}): JSX.Element {
  const {route} = useShown();
  return (
    <label class="field">{label}
      <input type="search" value={route.at.q ?? ""} spellcheck={false} maxLength={253}
        onInput={(event) => change({q: event.currentTarget.value}, true)} />
    </label>
  );
}

export function Choice({label, name, options, first}: {
  label: string; name: string; options: readonly (readonly [string, string])[]; first: string;
}): JSX.Element {
  const {route} = useShown();
  return (
    <label class="field">{label}
      <select value={route.at[name] ?? first} onChange={(event) => {
        const {value} = event.currentTarget;
        change({[name]: value === first ? undefined : value});
      }}>
        {options.map(([value, text]) => <option key={value} value={value}>{visible(text)}</option>)}
      </select>
    </label>
  );
}

export function Copy({text, children}: {text: string; children: ComponentChildren}): JSX.Element {
  const [said, setSaid] = useState("");
  const copy = () => navigator.clipboard.writeText(text).then(() => setSaid("copied"), () => setSaid("the browser refused"));
  return <span class="copy"><button type="button" onClick={() => void copy()}>{children}</button><span role="status">{said}</span></span>;
}

/// Commands, each with a button that copies it.
export function Commands({commands}: {commands: string[]}): JSX.Element | null {
  if (commands.length === 0) return null;
  return <ul class="plain commands">{commands.map((command) => (
    <li key={command}><code>{visible(command)}</code> <Copy text={command}>{command.startsWith("kubectl") ? "Copy as kubectl" : "Copy"}</Copy></li>))}</ul>;
}

export interface Column<T> {
  name: string;
  cell: (row: T) => ComponentChildren;
  order?: (row: T) => string | number;
  isNumber?: boolean;
}
const ROWS_AT_ONCE = 200;

/// A table that sorts by its columns, hides those that the user does not choose, and shows long lists in parts.
export function Table<T>({caption, columns, rows, keyOf, id, empty}: {
  caption: string; columns: Column<T>[]; rows: T[]; keyOf: (row: T) => string; id: string; empty: string;
}): JSX.Element {
  const {route} = useShown();
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const hidden = new Set((route.at[`${id}hide`] ?? "").split(","));
  const [sortName = "", direction = "up"] = (route.at[`${id}sort`] ?? "").split(".");
  const by = columns.find((column) => column.name === sortName)?.order;
  const sorted = by ? [...rows].sort((a, b) => compare(by(a), by(b)) * (direction === "down" ? -1 : 1)) : rows;
  const shown = columns.filter((column) => !hidden.has(column.name));
  const toggle = (name: string) => {
    const next = new Set(hidden);
    if (!next.delete(name)) next.add(name);
    change({[`${id}hide`]: [...next].filter(Boolean).join(",")});
  };
  return (
    <section class="tabled">
      <header><h2>{caption} <span class="many">{rows.length}</span></h2>
        <details class="columns"><summary>Columns</summary><div>
          {columns.slice(1).map((column) => (
            <label key={column.name}><input type="checkbox" checked={!hidden.has(column.name)} onChange={() => toggle(column.name)} />{column.name}</label>
          ))}
        </div></details>
      </header>
      <div class="scroll" tabIndex={0} role="group" aria-label={caption}>
        <table>
          <thead><tr>{shown.map((column) => (
            <th key={column.name} scope="col" class={column.isNumber ? "number" : ""}
              aria-sort={sortName !== column.name ? undefined : direction === "down" ? "descending" : "ascending"}>
              {column.order
                ? <button type="button" onClick={() => change({[`${id}sort`]: `${column.name}.${sortName === column.name && direction === "up" ? "down" : "up"}`})}>
                    {column.name}<span aria-hidden="true">{sortName !== column.name ? "" : direction === "down" ? " ▾" : " ▴"}</span></button>
                : column.name}
            </th>))}</tr></thead>
          <tbody>
            {sorted.slice(0, most).map((row) => (
              <tr key={keyOf(row)}>{shown.map((column) => <td key={column.name} class={column.isNumber ? "number" : ""}>{column.cell(row)}</td>)}</tr>
            ))}
            {rows.length === 0 && <tr><td colSpan={shown.length} class="muted">{empty}</td></tr>}
          </tbody>
        </table>
      </div>
      {rows.length > most && <p><button type="button" onClick={() => setMost(most + ROWS_AT_ONCE * 5)}>Show more</button> {count(rows.length - most, "row")} left</p>}
    </section>
  );
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a).localeCompare(String(b), "en", {numeric: true});
}

/// What of these kinds is missing in a view, and why.
export function Missing({kinds}: {kinds: Kind[]}): JSX.Element | null {
  const {cluster} = useShown();
  const lines: ComponentChildren[] = [];
  for (const kind of kinds) {
    const {phase, why, namespace} = cluster.kinds.get(kind)!;
    if (phase === "refused") lines.push(<>You may not list {kind}, so this view lacks them. <span class="muted">{visible(why)}</span></>);
    if (phase === "gone") lines.push(<>The {kind} of this moment are no longer kept. <span class="muted">{visible(why)}</span></>);
    if (phase === "reading") lines.push(<>Reading {kind} …</>);
    if (phase === "absent" && kind !== "devicetaintrules") lines.push(<>The server has no {kind}.</>);
    if (namespace && phase !== "refused") lines.push(<>Only {kind} of the namespace <Name text={namespace} /> are shown.</>);
  }
  if (lines.length === 0) return null;
  return <ul class="notice">{lines.map((line, i) => <li key={i}>{line}</li>)}</ul>;
}

/// A bar of parts of a whole.
export function Bar({parts, total, label}: {parts: {name: string; amount: number}[]; total: number; label: string}): JSX.Element {
  let x = 0;
  return (
    <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={label}>
      <rect x="0" y="0" width="100" height="10" class="rest" />
      {parts.map(({name, amount}) => {
        const width = total > 0 ? (amount / total) * 100 : 0;
        x += width;
        return width > 0 && <rect key={name} x={x - width} y="0" width={width} height="10" class={name} />;
      })}
    </svg>
  );
}
