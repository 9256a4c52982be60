// SPDX-License-Identifier: Apache-2.0
// The devices that an answer of what-if changes: two maps, and a table with the same.
import type {JSX} from "preact";
import {useMemo, useState} from "preact/hooks";
import {comparedMaps, idOf, stateOf} from "../compared.ts";
import type {Device} from "../model.ts";
import {STATE_TEXT, STATES} from "../model.ts";
import {useShown} from "../hooks.ts";
import {count} from "../text.ts";
import type {DeviceChange, DeviceSituation, WhatIfAnswer} from "../whatif.ts";
import {DeviceMap} from "./map.tsx";
import {Mark, Name, Pick, StateName, Table, type Column} from "./parts.tsx";

function situationCell(situation: DeviceSituation | undefined, isShareable: boolean): JSX.Element {
  return <><StateName state={stateOf(situation, isShareable)} />{situation?.claims?.map((claim) => <div key={claim} class="muted"><Name text={claim} /></div>)}</>;
}

function columnsFor(shareable: ReadonlySet<string>): Column<DeviceChange>[] {
  const state = (one: DeviceChange, side: "before" | "after") => stateOf(one[side], shareable.has(idOf(one)));
  return [
    {name: "Device", cell: (one) => one.before ? <Pick what={`device:${idOf(one)}`} /> : <Name text={idOf(one)} />, order: idOf},
    {name: "Node", cell: ({node}) => node ? <Pick what={`node:${node}`} /> : <span class="muted">several</span>, order: ({node}) => node ?? ""},
    {name: "State before", cell: (one) => situationCell(one.before, shareable.has(idOf(one))), order: (one) => state(one, "before")},
    {name: "State after", cell: (one) => situationCell(one.after, shareable.has(idOf(one))), order: (one) => state(one, "after")},
  ];
}

/// `devices`: of the cluster as it is now; none when the page shows another moment.
export function Compared({answer, devices, theme}: {answer: WhatIfAnswer; devices: readonly Device[]; theme: string}): JSX.Element | null {
  const changes = answer.deviceChanges ?? [];
  const [cursor, setCursor] = useState("");
  const maps = useMemo(() => comparedMaps(changes, devices), [answer]); // as it was when the answer came
  const columns = useMemo(() => columnsFor(new Set(devices.filter((one) => one.isShareable).map((one) => one.id))), [answer]);
  const {route} = useShown();
  if (changes.length === 0) return null;
  const seen = new Set([...maps.before, ...maps.after].flatMap((group) => group.devices.map((device) => device.state)));
  const drawn = maps.before.length;
  return (
    <section class="compared" aria-label="Devices before and after"><h2>Devices before and after</h2>
      <p class="muted">{drawn < maps.places ? `Of ${count(maps.places, "node")} where devices change, ${drawn} are drawn. ` : `Only nodes where devices change are drawn. `}
        {route.at.rev ? "Of their devices, only those that change. " : ""}A full corner marks a device that changes.</p>
      <ul class="legend">{STATES.filter((state) => seen.has(state)).map((state) => <li key={state} class="state" title={STATE_TEXT[state]}><Mark state={state} />{state}</li>)}
        <li class="state"><svg class="mark" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><rect x="1" y="1" width="14" height="14" class="edge" /><path d="M7 1H15V9Z" class="full" /></svg>changes</li></ul>
      <div class="twomaps">{(["before", "after"] as const).map((side) => (
        <div key={side}><h3>{side === "before" ? "Before" : "After"}</h3>
          <DeviceMap groups={maps[side]} stamp={0} theme={theme} cursor={cursor} setCursor={setCursor} changed={maps.changed} name={side} /></div>))}</div>
      <details><summary>The same as a table</summary>
        <Table id="c" caption="Devices that change" columns={columns} rows={changes} keyOf={idOf} empty="" /></details>
      {answer.deviceChangesLeftOut !== undefined && <p class="muted">{count(answer.deviceChangesLeftOut, "more device")} {answer.deviceChangesLeftOut === 1 ? "changes" : "change"}; the answer does not list {answer.deviceChangesLeftOut === 1 ? "it" : "them"}.</p>}
    </section>
  );
}
