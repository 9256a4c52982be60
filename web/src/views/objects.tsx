// SPDX-License-Identifier: Apache-2.0
// Claims and pods: tables that link both ways.
import type {JSX} from "preact";
import {useMemo} from "preact/hooks";
import {serverNow} from "../client.ts";
import {linkTo, useShown} from "../hooks.ts";
import {devicesOfClaim} from "../history.ts";
import {keyOf, type Pod, type ResourceClaim} from "../kube.ts";
import {claimsOf, claimState} from "../model.ts";
import {localTime, span} from "../text.ts";
import {isWaiting} from "../waiting.ts";
import {Choice, Missing, Name, Pick, Search, Table, type Column} from "./parts.tsx";

const DEVICES_SHOWN = 6;

function Age({object}: {object: Pod | ResourceClaim}): JSX.Element {
  const at = object.metadata.creationTimestamp;
  return at ? <time dateTime={at} title={localTime(at)}>{span(serverNow() - Date.parse(at))}</time> : <></>;
}

function podPhase(pod: Pod): string {
  if (pod.metadata.deletionTimestamp) return "Terminating";
  return isWaiting(pod) ? "waiting" : pod.status?.phase ?? "Unknown";
}

const CLAIMS: Column<ResourceClaim>[] = [
  {name: "Claim", cell: (claim) => <Pick what={`claim:${keyOf(claim)}`} />, order: keyOf},
  {name: "State", cell: claimState, order: claimState},
  {name: "Devices", cell: (claim) => {
    const devices = devicesOfClaim(claim);
    return <ul class="plain">{devices.slice(0, DEVICES_SHOWN).map((id) => <li key={id}><Pick what={`device:${id}`} /></li>)}{devices.length > DEVICES_SHOWN && <li class="muted">and {devices.length - DEVICES_SHOWN} more</li>}</ul>;
  }, order: (claim) => devicesOfClaim(claim)[0] ?? ""},
  {name: "Pods", cell: (claim) => <ul class="plain">{(claim.status?.reservedFor ?? []).slice(0, DEVICES_SHOWN).map((one) => (
    <li key={one.uid}>{one.resource === "pods" ? <Pick what={`pod:${claim.metadata.namespace ?? ""}/${one.name}`} /> : <Name text={`${one.resource} ${one.name}`} />}</li>))}</ul>},
  {name: "Age", cell: (claim) => <Age object={claim} />, order: (claim) => claim.metadata.creationTimestamp ?? ""},
];
const PODS: Column<Pod>[] = [
  {name: "Pod", cell: (pod) => <Pick what={`pod:${keyOf(pod)}`} />, order: keyOf},
  {name: "Phase", cell: (pod) => isWaiting(pod) ? <a href={linkTo("waiting", {explain: keyOf(pod)})}>waiting: why?</a> : podPhase(pod), order: podPhase},
  {name: "Node", cell: (pod) => pod.spec?.nodeName ? <Pick what={`node:${pod.spec.nodeName}`} /> : "", order: (pod) => pod.spec?.nodeName ?? ""},
  {name: "Claims", cell: (pod) => <ul class="plain">{claimsOf(pod).map((one) => <li key={one.name}>{one.claim ? <Pick what={`claim:${one.claim}`} /> : <span class="muted"><Name text={one.name} />: not made yet</span>}</li>)}</ul>},
  {name: "Age", cell: (pod) => <Age object={pod} />, order: (pod) => pod.metadata.creationTimestamp ?? ""},
];

export function Objects(): JSX.Element {
  const {cluster, route} = useShown();
  const [claimsVersion, podsVersion] = [cluster.versionOf("resourceclaims"), cluster.versionOf("pods")];
  const {q = "", phase = "", state = "", pods: which = "claims"} = route.at;
  const wanted = q.toLowerCase();
  const claims = useMemo(() => [...cluster.claims.values()].filter((claim) => (!state || claimState(claim).includes(state)) &&
    (!wanted || keyOf(claim).toLowerCase().includes(wanted) || devicesOfClaim(claim).some((id) => id.toLowerCase().includes(wanted)))), [cluster, claimsVersion, wanted, state]);
  const pods = useMemo(() => [...cluster.pods.values()].filter((pod) => (which === "all" || isWaiting(pod) || claimsOf(pod).length > 0) &&
    (!phase || podPhase(pod).toLowerCase() === phase) &&
    (!wanted || keyOf(pod).toLowerCase().includes(wanted) || (pod.spec?.nodeName ?? "").toLowerCase().includes(wanted))), [cluster, podsVersion, wanted, phase, which]);
  return (
    <section class="view" aria-label="Claims and pods">
      <h1>Claims and pods</h1>
      <Missing kinds={["resourceclaims", "pods"]} />
      <div class="tools">
        <Search label="Search" />
        <Choice label="Claims" name="state" first="" options={[["", "all"], ["pending", "pending"], ["allocated", "allocated"], ["reserved", "reserved"]]} />
        <Choice label="Pods" name="pods" first="claims" options={[["claims", "with claims, or waiting"], ["all", "all"]]} />
        <Choice label="Phase" name="phase" first="" options={[["", "all"], ["waiting", "waiting"], ["pending", "Pending"], ["running", "Running"], ["succeeded", "Succeeded"], ["failed", "Failed"], ["terminating", "Terminating"]]} />
      </div>
      <Table id="c" caption="Claims" columns={CLAIMS} rows={claims} keyOf={keyOf} empty="No claim matches." />
      <Table id="p" caption="Pods" columns={PODS} rows={pods} keyOf={keyOf} empty="No pod matches." />
    </section>
  );
}
