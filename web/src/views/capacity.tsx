// SPDX-License-Identifier: Apache-2.0
// Free capacity: the numbers of `dray capacity`.
import type {JSX} from "preact";
import {useQuestion, useShown} from "../hooks.ts";
import {count, visible} from "../text.ts";
import {Bar, Choice, Missing, Name, Table, type Column} from "./parts.tsx";

type Counts = Record<string, number>;
interface Shape {driver: string; shape: string; example: string; devices: number; sizePercent?: number;
  fit: {atLeast: number; atMost: number; exact: boolean}; together: number}
interface Shared {driver: string; capacity: string; devices: number; total: string; used: string; unavailable?: string; left: string; mostOnOne?: string}
interface Row {driver?: string; pool?: string; class?: string; node?: string; devices: Counts;
  partitions?: {largest?: string; fragmentationPercent?: number; fragmented?: {shape: string; fit: number; ifTogether: number}; shapes?: Shape[]};
  shared?: Shared[]}
export interface CapacityAnswer {by: string; pools: number; devices: Counts; rows: Row[]}

const PARTS = ["used", "free", "blocked", "tainted", "nodeTainted", "cordoned", "unusable"];
const WORDS: Record<string, string> = {nodeTainted: "node tainted"};

function nameOf(row: Row): string {
  return [row.driver, row.pool, row.class, row.node].filter(Boolean).join(" / ") || "all";
}

function barOf(devices: Counts): JSX.Element {
  const parts = PARTS.map((name) => ({name, amount: devices[name] ?? 0}));
  const label = parts.filter((part) => part.amount > 0).map((part) => `${part.amount} ${WORDS[part.name] ?? part.name}`).join(", ");
  return <Bar parts={parts} total={devices.total ?? 0} label={label || "no devices"} />;
}

const FIT: Column<{row: Row; shape: Shape}>[] = [
  {name: "Of", cell: ({row}) => <Name text={nameOf(row)} />, order: ({row}) => nameOf(row)},
  {name: "Partition", cell: ({shape}) => <Name text={shape.shape} />, order: ({shape}) => -(shape.sizePercent ?? 0)},
  {name: "Like", cell: ({shape}) => <Name text={shape.example} />},
  {name: "Devices", cell: ({shape}) => shape.devices, order: ({shape}) => shape.devices, isNumber: true},
  {name: "Fit", cell: ({shape}) => shape.fit.exact ? shape.fit.atMost : `${shape.fit.atLeast}–${shape.fit.atMost}`, order: ({shape}) => shape.fit.atLeast, isNumber: true},
  {name: "Together", cell: ({shape}) => shape.together, order: ({shape}) => shape.together, isNumber: true},
];
const SHARED: Column<{row: Row; shared: Shared}>[] = [
  {name: "Of", cell: ({row}) => <Name text={nameOf(row)} />, order: ({row}) => nameOf(row)},
  {name: "Capacity", cell: ({shared}) => <Name text={shared.capacity} />, order: ({shared}) => shared.capacity},
  {name: "Devices", cell: ({shared}) => shared.devices, isNumber: true, order: ({shared}) => shared.devices},
  {name: "Total", cell: ({shared}) => shared.total, isNumber: true},
  {name: "Used", cell: ({shared}) => shared.used, isNumber: true},
  {name: "Left", cell: ({shared}) => shared.left, isNumber: true},
  {name: "Most on one", cell: ({shared}) => shared.mostOnOne ?? "", isNumber: true},
];

export function Capacity(): JSX.Element {
  const {cluster, route, version} = useShown();
  const by = ["driver", "pool", "class", "node"].find((one) => one === route.at.by) ?? "driver";
  const {value, error, isAsking} = useQuestion<CapacityAnswer>(`/ui/api/capacity?by=${by}${cluster.moment ? `&resourceVersion=${cluster.moment}` : ""}`, version);
  const columns: Column<Row>[] = [
    {name: by[0]!.toUpperCase() + by.slice(1), cell: (row) => <Name text={nameOf(row)} />, order: nameOf},
    {name: "Share", cell: (row) => barOf(row.devices)},
    {name: "Devices", cell: (row) => row.devices.total ?? 0, order: (row) => row.devices.total ?? 0, isNumber: true},
    ...PARTS.filter((part) => value && (part === "used" || part === "free" || value.rows.some((row) => (row.devices[part] ?? 0) > 0))).map((part) => (
      {name: WORDS[part] ?? part, cell: (row: Row) => row.devices[part] ?? 0, order: (row: Row) => row.devices[part] ?? 0, isNumber: true})),
    {name: "Fragmented", cell: (row) => row.partitions?.fragmentationPercent === undefined ? "" : `${row.partitions.fragmentationPercent}%`, order: (row) => row.partitions?.fragmentationPercent ?? -1, isNumber: true},
  ];
  const shapes = value?.rows.flatMap((row) => (row.partitions?.shapes ?? []).map((shape) => ({row, shape}))) ?? [];
  const shared = value?.rows.flatMap((row) => (row.shared ?? []).map((one) => ({row, shared: one}))) ?? [];
  return (
    <section class="view" aria-label="Free capacity" aria-busy={isAsking}>
      <h1>Free capacity</h1>
      <Missing kinds={["resourceslices", "resourceclaims", "nodes"]} />
      <div class="tools"><Choice label="A row for each" name="by" first="driver" options={[["driver", "driver"], ["pool", "pool"], ["class", "class"], ["node", "node"]]} /></div>
      {error && <p class="notice" role="alert">{visible(error)}</p>}
      {isAsking && <p class="muted">Counting …</p>}
      {value && <>
        <p class="sums"><b>{count(value.devices.free ?? 0, "device")}</b> of {value.devices.total ?? 0} free in {count(value.pools, "pool")}.</p>
        <Table id="r" caption="Devices" columns={columns} rows={value.rows} keyOf={nameOf} empty="There are no devices." />
        {shapes.length > 0 && <Table id="s" caption="Partitions that can still be cut" columns={FIT} rows={shapes} keyOf={({row, shape}) => `${nameOf(row)} ${shape.driver} ${shape.shape} ${shape.example}`} empty="" />}
        {shared.length > 0 && <Table id="h" caption="Capacity that is shared" columns={SHARED} rows={shared} keyOf={({row, shared: one}) => `${nameOf(row)} ${one.driver} ${one.capacity}`} empty="" />}
      </>}
    </section>
  );
}
