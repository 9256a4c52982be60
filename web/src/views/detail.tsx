// SPDX-License-Identifier: Apache-2.0
// What is known of the picked object, with links to its neighbours, and its YAML.
import type {ComponentChildren, JSX} from "preact";
import {useEffect, useRef, useState} from "preact/hooks";
import type {Kind} from "../cluster.ts";
import {change, linkTo, useShown} from "../hooks.ts";
import {keyOf, type Kubernetes, type KubeNode, type Pod, type ResourceClaim} from "../kube.ts";
import {deleteCommands, describeCommand, openCommands, taintText} from "../kubectl.ts";
import {attributeText, claimsOf, claimState, STATE_TEXT, type Device} from "../model.ts";
import {localTime, visible} from "../text.ts";
import {isWaiting, reasonOf} from "../waiting.ts";
import {toYaml} from "../yaml.ts";
import {Commands, Copy, Name, picked, Pick, StateName} from "./parts.tsx";

function Fact({name, children}: {name: string; children: ComponentChildren}): JSX.Element {
  return <><dt>{visible(name)}</dt><dd>{children}</dd></>;
}

function DeviceFacts({device}: {device: Device}): JSX.Element {
  return (
    <dl>
      <Fact name="State"><StateName state={device.state} /> <span class="muted">{STATE_TEXT[device.state]}</span></Fact>
      <Fact name="Node">{device.node ? <Pick what={`node:${device.node}`} /> : "several can use it"}</Fact>
      {device.holders.map((holder) => {
        const namespace = holder.claim.split("/")[0]!;
        return (
          <Fact key={holder.claim} name={holder.isAdmin ? "Administered by" : "Held by"}>
            <Pick what={`claim:${holder.claim}`} /> <span class="muted">request <Name text={holder.request} /></span>
            {holder.pods.map((pod) => <div key={pod}>pod <Pick what={`pod:${namespace}/${pod}`} /></div>)}
            {Object.entries(holder.consumed).map(([name, value]) => <div key={name} class="muted"><Name text={`${name}: ${value}`} /></div>)}
          </Fact>
        );
      })}
      {device.taints.map((taint, i) => <Fact key={i} name="Taint"><Name text={taintText(taint)} /></Fact>)}
      {Object.entries(device.capacity).map(([name, value]) => <Fact key={name} name={name}><Name text={value} /></Fact>)}
      {Object.entries(device.attributes).map(([name, value]) => <Fact key={name} name={name}><Name text={attributeText(value)} /></Fact>)}
      {device.counters.map((counter) => <Fact key={counter} name="Draws"><Name text={counter} /></Fact>)}
      <Fact name="Slice"><Name text={device.slice} /></Fact>
    </dl>
  );
}

function PodFacts({pod}: {pod: Pod}): JSX.Element {
  return (
    <dl>
      <Fact name="Phase">{isWaiting(pod) ? <>waiting: <a href={linkTo("waiting", {explain: keyOf(pod)})}>why?</a></> : pod.status?.phase ?? "Unknown"}</Fact>
      {isWaiting(pod) && <Fact name="Reason"><Name text={reasonOf(pod)} /></Fact>}
      {pod.spec?.nodeName && <Fact name="Node"><Pick what={`node:${pod.spec.nodeName}`} /></Fact>}
      {claimsOf(pod).map((one) => <Fact key={one.name} name={`Claim ${one.name}`}>{one.claim ? <Pick what={`claim:${one.claim}`} /> : "not made yet"}</Fact>)}
      <Fact name="Created">{localTime(pod.metadata.creationTimestamp)}</Fact>
    </dl>
  );
}

function ClaimFacts({claim}: {claim: ResourceClaim}): JSX.Element {
  const namespace = claim.metadata.namespace ?? "";
  return (
    <dl>
      <Fact name="State">{claimState(claim)}</Fact>
      {(claim.status?.allocation?.devices?.results ?? []).map((one, i) => (
        <Fact key={i} name={`Request ${one.request}`}><Pick what={`device:${one.driver}/${one.pool}/${one.device}`} /></Fact>))}
      {(claim.status?.reservedFor ?? []).map((one) => (
        <Fact key={one.uid} name="Reserved for">{one.resource === "pods" ? <Pick what={`pod:${namespace}/${one.name}`} /> : <Name text={`${one.resource} ${one.name}`} />}</Fact>))}
      <Fact name="Created">{localTime(claim.metadata.creationTimestamp)}</Fact>
    </dl>
  );
}

function NodeFacts({name, devices}: {name: string; devices: Device[]}): JSX.Element {
  const {cluster} = useShown();
  const node = cluster.nodes.get(name);
  const own = devices.filter((device) => device.node === name);
  return (
    <dl>
      <Fact name="Devices"><ul class="plain">{own.map((device) => <li key={device.id}><StateName state={device.state} /> <Pick what={`device:${device.id}`} /></li>)}</ul>{own.length === 0 && "none of its own"}</Fact>
      {node?.spec?.unschedulable && <Fact name="Cordoned">no new pods</Fact>}
      {(node?.spec?.taints ?? []).map((taint, i) => <Fact key={i} name="Taint"><Name text={taintText(taint)} /></Fact>)}
      {Object.entries(node?.metadata.labels ?? {}).map(([key, value]) => <Fact key={key} name={key}><Name text={value} /></Fact>)}
    </dl>
  );
}

const KINDS: Record<string, Kind> = {pod: "pods", claim: "resourceclaims", node: "nodes", device: "resourceslices"};

/// The YAML of all of the object, which the page does not keep; read again when it changes.
function useYaml(kind: string, object: Kubernetes | undefined, isWanted: boolean): string {
  const {cluster} = useShown();
  const [yaml, setYaml] = useState("");
  const key = object && isWanted ? keyOf(object) : "";
  useEffect(() => {
    let isOver = false;
    setYaml("");
    if (key) {
      cluster.whole(KINDS[kind]!, key).then((whole) => { if (!isOver) setYaml(whole ? toYaml(whole) : "It is not there any more.\n"); },
        (error: unknown) => { if (!isOver) setYaml(`${(error as Error).message}\n`); });
    }
    return () => { isOver = true; };
  }, [cluster, kind, key, object?.metadata.resourceVersion]);
  return key ? yaml || "Reading …\n" : "";
}

/// What kubectl can do about the picked object.
function commandsFor(kind: string, name: string, object: Kubernetes): string[] {
  switch (kind) {
    case "pod": return [describeCommand("pod", name), ...deleteCommands("pod", [name])];
    case "claim": {
      const isUnused = !(object as ResourceClaim).status?.reservedFor?.length;
      return [describeCommand("resourceclaim", name), ...(isUnused ? deleteCommands("resourceclaim", [name]) : [])];
    }
    case "node": return [describeCommand("node", name), ...openCommands([object as KubeNode])];
    case "device": return [describeCommand("resourceslice", object.metadata.name)];
    default: return [];
  }
}

export function Detail({devices}: {devices: Device[]}): JSX.Element | null {
  const {cluster, route} = useShown();
  const {kind, name} = picked();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({preventScroll: innerWidth > 900}), [kind, name]);
  if (!kind) return null;
  const device = kind === "device" ? devices.find((one) => one.id === name) : undefined;
  const sources: Record<string, Map<string, Kubernetes>> = {pod: cluster.pods, claim: cluster.claims, node: cluster.nodes};
  const object = kind === "device" ? (device && cluster.slices.get(device.slice)) : sources[kind]?.get(name);
  const yaml = useYaml(kind, object, Boolean(route.at.yaml));
  return (
    <aside class="detail" aria-label={`The picked ${kind}`}>
      <header>
        <h2 ref={heading} tabIndex={-1}><span class="muted">{visible(kind)}</span> <Name text={name} /></h2>
        <button type="button" aria-label="Close" onClick={() => change({pick: undefined, yaml: undefined})}>×</button>
      </header>
      {device && <DeviceFacts device={device} />}
      {kind === "pod" && object && <PodFacts pod={object as Pod} />}
      {kind === "claim" && object && <ClaimFacts claim={object as ResourceClaim} />}
      {kind === "node" && <NodeFacts name={name} devices={devices} />}
      {kind === "node" && object && <p><a class="button" href={linkTo("whatif", {do: `drain ${name}`})}>What if it were drained?</a></p>}
      {object && <details><summary>On a command line</summary><Commands commands={commandsFor(kind, name, object)} /></details>}
      {!object && <p class="notice">It is not there, or you may not see it.</p>}
      {object && <p><button type="button" aria-pressed={Boolean(yaml)} onClick={() => change({yaml: yaml ? undefined : "1"})}>
        {kind === "device" ? "YAML of its slice" : "YAML"}</button> {yaml && <Copy text={yaml}>Copy</Copy>}</p>}
      {yaml && <pre tabIndex={0} aria-label="YAML">{visible(yaml)}</pre>}
    </aside>
  );
}
