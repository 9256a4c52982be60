// SPDX-License-Identifier: Apache-2.0
// Timeline: which claim had which device when, how many devices were in use, and the way back to a moment.
// The pictures are SVG of our own: a step curve and bars are all that is needed.
import type {JSX} from "preact";
import {useEffect, useMemo, useState} from "preact/hooks";
import {serverNow} from "../client.ts";
import {change, useQuestion, useShown} from "../hooks.ts";
import {joined, spansOf, thinned, ticksOf, usageOf, type ClaimChange, type HistoryAnswer, type Span, type Step} from "../history.ts";
import type {Device} from "../model.ts";
import {count, localTime, span as lasting, visible} from "../text.ts";
import {Choice, Missing, Pick, Search, Table, type Column} from "./parts.tsx";

const ROWS_AT_ONCE = 60;
const STEPS_MAX = 600; // more are not seen on a screen
const LAST_TICK = 92; // percent; a later one has no room for its text
const TICKS_MAX = 6;
const SINCE: Record<string, number> = {"10m": 600_000, "1h": 3_600_000, "1d": 86_400_000};

interface Window {from: number; to: number}

function share(at: number, {from, to}: Window): number {
  return to > from ? Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100)) : 0;
}

function clock(at: number, {from, to}: Window): string {
  const isLong = to - from > 86_400_000;
  return new Date(at).toLocaleString(undefined, isLong ? {dateStyle: "short", timeStyle: "short"} : {timeStyle: to - from < 600_000 ? "medium" : "short"});
}

function Axis({window: shown}: {window: Window}): JSX.Element {
  return <div class="axis" aria-hidden="true">{ticksOf(shown.from, shown.to, TICKS_MAX).filter((at) => share(at, shown) <= LAST_TICK).map((at) => (
    <span key={at} style={{left: `${share(at, shown)}%`}}>{clock(at, shown)}</span>))}</div>;
}

/// The curve of devices in use, as steps; `cursor` is the moment that is looked at.
function Usage({steps, total, window: shown, cursor}: {steps: Step[]; total: number; window: Window; cursor: number}): JSX.Element {
  const most = Math.max(1, total, ...steps.map((step) => step.used));
  const y = (used: number) => 40 - (used / most) * 39;
  let path = "";
  for (const step of thinned(steps, STEPS_MAX, shown.from, shown.to)) path += `${path ? `H${share(step.at, shown)}` : "M0 40"}V${y(step.used)}`;
  const now = steps[steps.length - 1]?.used ?? 0;
  const peak = Math.max(0, ...steps.map((step) => step.used));
  return (
    <figure class="usage"><figcaption>Devices in use: {now} now, {peak} at most, of {total}</figcaption>
      <svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label={`Devices in use over time: ${now} at the end, ${peak} at most, of ${total}. The table has the spans.`}>
        <path class="area" d={`${path}H100V40Z`} /><path class="curve" d={`${path}H100`} />
        <line class="cursor" x1={share(cursor, shown)} x2={share(cursor, shown)} y1="0" y2="40" />
      </svg></figure>
  );
}

function Rows({spans, window: shown, cursor}: {spans: Span[]; window: Window; cursor: number}): JSX.Element {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const rows = useMemo(() => {
    const byDevice = new Map<string, Span[]>();
    for (const one of spans) {
      const list = byDevice.get(one.device);
      if (list) list.push(one);
      else byDevice.set(one.device, [one]);
    }
    return [...byDevice].sort(([a], [b]) => a.localeCompare(b, "en", {numeric: true}));
  }, [spans]);
  return (
    <>
      <ul class="plain lanes" aria-label="Devices and the claims that had them">{rows.slice(0, most).map(([device, own]) => (
        <li key={device}><span class="lane"><Pick what={`device:${device}`} /></span>
          <svg viewBox="0 0 100 10" preserveAspectRatio="none" role="img" aria-label={visible(own.map((one) => `${one.claim}, ${lasting(one.to - one.from)}${one.isOpen ? " so far" : ""}`).join("; "))}>
            <rect class="rest" x="0" y="0" width="100" height="10" />
            {own.map((one, i) => {
              const x = share(one.from, shown);
              return <rect key={i} class={one.isOpen ? "held open" : "held"} x={x} y="1" height="8" width={Math.max(0.3, share(one.to, shown) - x)}><title>{visible(one.claim)}</title></rect>;
            })}
            <line class="cursor" x1={share(cursor, shown)} x2={share(cursor, shown)} y1="0" y2="10" />
          </svg></li>))}</ul>
      {rows.length === 0 && <p class="empty">No claim had a device in this time.</p>}
      {rows.length > most && <p><button type="button" onClick={() => setMost(most + ROWS_AT_ONCE * 5)}>Show more</button> {count(rows.length - most, "device")} left</p>}
    </>
  );
}

function BarLegend(): JSX.Element {
  const looks = [["held", "the claim had the device"], ["held open", "the claim has it still"]] as const;
  return <ul class="legend" aria-label="Bars">{looks.map(([look, text]) => (
    <li key={look} class="state"><svg class="mark" viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><rect x="0" y="3" width="16" height="10" class={look} /></svg>{text}</li>))}</ul>;
}

function momentText(one: ClaimChange | undefined): string {
  if (!one) return "now";
  const what = one.devices.length > 0 ? `claim ${one.claim} got ${count(one.devices.length, "device")}` : `claim ${one.claim} gave its devices back`;
  return visible(`${localTime(one.time)}: ${what}`);
}

/// Steps through the changes. What is chosen is shown in all views once the button is pressed.
function Scrub({changes, at, setAt}: {changes: ClaimChange[]; at: number; setAt: (at: number) => void}): JSX.Element {
  const {route} = useShown();
  const chosen = changes[at];
  const isShown = chosen ? route.at.rev === chosen.revision : !route.at.rev;
  return (
    <div class="scrub">
      <label class="field wide">Moment <input type="range" min={0} max={changes.length} step={1} value={at} aria-valuetext={momentText(chosen)}
        onInput={(event) => setAt(Number(event.currentTarget.value))} /></label>
      <p class="chips"><button type="button" disabled={at <= 0} onClick={() => setAt(at - 1)}>Earlier</button>
        <button type="button" disabled={at >= changes.length} onClick={() => setAt(at + 1)}>Later</button>
        <button type="button" class="main" disabled={isShown} onClick={() => change({rev: chosen?.revision, when: chosen?.time})}>Show all views at this moment</button>
        <span role="status">{momentText(chosen)}</span></p>
    </div>
  );
}

const SPANS: Column<Span>[] = [
  {name: "Device", cell: (one) => <Pick what={`device:${one.device}`} />, order: (one) => one.device},
  {name: "Claim", cell: (one) => <Pick what={`claim:${one.claim}`} />, order: (one) => one.claim},
  {name: "From", cell: (one) => `${one.isOpenBefore ? "before " : ""}${localTime(new Date(one.from).toISOString())}`, order: (one) => one.from},
  {name: "To", cell: (one) => one.isOpen ? "still has it" : localTime(new Date(one.to).toISOString()), order: (one) => one.isOpen ? Infinity : one.to},
  {name: "Lasted", cell: (one) => lasting(one.to - one.from), order: (one) => one.to - one.from, isNumber: true},
];

export function Timeline({devices}: {devices: Device[]}): JSX.Element {
  const {cluster, route, version} = useShown();
  const {as = "bars", q = "", since = "", rev = ""} = route.at;
  const only = cluster.kinds.get("resourceclaims")!.namespace;
  const {value: history, error, status, isAsking} = useQuestion<HistoryAnswer>(only ? `/ui/api/history?namespace=${encodeURIComponent(only)}` : "/ui/api/history", cluster.claimsSince);
  const [moment, setMoment] = useState(rev); // a revision; "": now
  const all = useMemo(() => joined(history, cluster.moment ? [] : cluster.claimChanges), [history, version, cluster]);
  const shown = useMemo((): Window => {
    const last = history ? Date.parse(history.to.time) : 0;
    const to = cluster.moment && last ? last : Math.max(last, serverNow());
    const begin = history ? Date.parse(history.from.time) : cluster.claimsSince;
    return {from: Math.min(to, since && SINCE[since] ? Math.max(begin, to - SINCE[since]!) : begin), to};
  }, [history, since, version, cluster]);
  const wanted = q.toLowerCase();
  const spans = useMemo(() => spansOf(all, cluster.claims.values(), shown.from, shown.to)
    .filter((one) => !wanted || one.device.toLowerCase().includes(wanted) || one.claim.toLowerCase().includes(wanted)), [all, shown, wanted]);
  const steps = useMemo(() => usageOf(spans, shown.from), [spans, shown]);
  const changes = useMemo(() => all.filter((one) => Date.parse(one.time) >= shown.from &&
    (!wanted || one.claim.toLowerCase().includes(wanted) || one.devices.some((id) => id.toLowerCase().includes(wanted)))), [all, shown, wanted]);
  useEffect(() => setMoment(rev), [rev]); // a link to a moment, or the way back to now
  const before = moment ? changes.filter((one) => Number(one.revision) <= Number(moment)).length : changes.length + 1;
  const place = Math.max(0, before - 1);
  const cursor = changes[place] ? Date.parse(changes[place]!.time) : shown.to;
  return (
    <section class="view" aria-label="Timeline" aria-busy={isAsking}>
      <h1>Timeline</h1>
      <Missing kinds={["resourceclaims", "resourceslices"]} />
      {error && <p class="notice" role="alert">{status === 404 ? "The server does not remember earlier allocations. The timeline begins when this page was opened." : visible(error)}</p>}
      {isAsking && <p class="muted">Asking …</p>}
      <div class="tools">
        <Search label="Device or claim" />
        <Choice label="Since" name="since" first="" options={[["", "all that is known"], ["10m", "10 minutes ago"], ["1h", "an hour ago"], ["1d", "a day ago"]]} />
        <Choice label="Show as" name="as" first="bars" options={[["bars", "bars"], ["table", "table"]]} />
      </div>
      <p class="muted">Known from {localTime(new Date(shown.from).toISOString())}.</p>
      <Scrub changes={changes} at={place} setAt={(at) => setMoment(changes[at]?.revision ?? "")} />
      {as === "table" ? <Table id="t" caption="Allocations" columns={SPANS} rows={spans} keyOf={(one) => `${one.device} ${one.claim} ${one.from} ${one.to}`} empty="No claim had a device in this time." />
        : <><BarLegend /><Usage steps={steps} total={devices.length} window={shown} cursor={cursor} />
          <div class="laned"><Axis window={shown} /></div>
          <Rows spans={spans} window={shown} cursor={cursor} /></>}
    </section>
  );
}
