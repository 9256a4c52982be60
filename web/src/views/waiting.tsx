// SPDX-License-Identifier: Apache-2.0
// Waiting: pods that no node has yet, by reason, and the explanation of one of them.
import type {JSX} from "preact";
import {useMemo} from "preact/hooks";
import {change, useQuestion, useShown} from "../hooks.ts";
import {keyOf, type Pod} from "../kube.ts";
import {count, localTime, span, visible} from "../text.ts";
import {isWaiting, reasonsOf, waitingSince} from "../waiting.ts";
import {Bar, Copy, Missing, Name, Pick} from "./parts.tsx";

const PODS_SHOWN = 12;
const NODES_SHOWN = 12;

interface Removal {step: string; devices: number; why?: string; error?: string;
  have?: {name: string; value: string; devices: number}[]; missing?: string[]}
interface Funnel {claim: string; request: string; deviceClassName: string; allocationMode: string; count?: number;
  adminAccess?: boolean; devices: number; removed: Record<string, number>; usable: number; why: Removal[]}
interface NodeGroup {trouble: string; claim?: string; request?: string; wanted?: number; usable?: number; step?: string;
  left?: number; objection?: string; detail?: string; nodes: string[]}
interface Part {request?: string; constraint?: string; holder?: boolean; claim: string}
interface Explanation {for: string; verdict: string; state?: string; reason?: string; fix?: string; note?: string; event?: string;
  evicts?: string[]; requests?: Funnel[]; nodes?: number; nodeGroups?: NodeGroup[]; closestNode?: string; fitsWhenEmpty?: boolean;
  holders?: {claim: string; pods: string[]; since?: string; state?: string; devices: string[]}[];
  conflict?: {node: string; parts: Part[]}; suggestions?: {change: string; text: string; node: string}[]}
export interface ExplainAnswer {explanations: Explanation[]; unread?: string[]}

const STEPS: Record<string, string> = {elsewhere: "on nodes that the pod may not use", class: "not of the class", selectors: "not selected by the request",
  pool: "in an incomplete or old pool", switchedOff: "need a feature that is off", node: "not for this node", tooSmall: "too small",
  taints: "tainted", inUse: "in use", counters: "counters used up", capacity: "shared capacity used up"};
const VERDICTS: Record<string, string> = {fits: "It fits now", doesNotFit: "It fits nowhere", refused: "Something is wrong with it",
  undecided: "Not decided: the search was given up", settled: "It does not wait"};

function troubleText(group: NodeGroup): string {
  const what = group.request ? `request ${group.request} of claim ${group.claim}` : "";
  switch (group.trouble) {
    case "none": return "nothing is in the way";
    case "undecided": return "the search was given up";
    case "together": return `${what}: enough devices alone, but not beside what was asked for before`;
    case "constraints": return `${what}: enough devices, but no ${group.wanted ?? ""} of them meet the constraints`;
    case "atOnce": return "enough devices for each request, but not for all at once";
    case "tooFew": return `${what} wants ${group.wanted ?? "?"}, and ${group.left ?? 0} can be had; the others: ${STEPS[group.step ?? ""] ?? group.step ?? ""}`;
    default: return group.objection ?? group.trouble;
  }
}

function Request({funnel}: {funnel: Funnel}): JSX.Element {
  const steps = Object.entries(funnel.removed).filter(([, many]) => many > 0);
  const wants = funnel.allocationMode === "All" ? "all devices" : count(funnel.count ?? 1, "device");
  let left = funnel.devices;
  return (
    <li>
      <p>Request <b><Name text={funnel.request} /></b> of claim <Pick what={`claim:${funnel.claim}`} /> wants {wants} of class <Name text={funnel.deviceClassName} />
        {funnel.adminAccess ? ", for administration" : ""}.</p>
      <table class="funnel">
        <caption class="hidden">What is left of {funnel.devices} devices</caption>
        <tbody>
          <tr><th scope="row">in the cluster</th><td class="number">{funnel.devices}</td><td><Bar parts={[{name: "whole", amount: left}]} total={funnel.devices} label={`${left} devices`} /></td></tr>
          {steps.map(([step, many]) => {
            left -= many;
            return (
              <tr key={step}><th scope="row">{STEPS[step] ?? step}</th><td class="number">−{many}</td>
                <td><Bar parts={[{name: "whole", amount: left}, {name: "gone", amount: many}]} total={funnel.devices} label={`${left} left`} /></td></tr>
            );
          })}
          <tr class="sum"><th scope="row">usable</th><td class="number">{funnel.usable}</td><td><Bar parts={[{name: "good", amount: funnel.usable}]} total={funnel.devices} label={`${funnel.usable} usable`} /></td></tr>
        </tbody>
      </table>
      {funnel.why.length > 0 && <ul class="why">{funnel.why.map((removal, i) => (
        <li key={i}>{count(removal.devices, "device")} {STEPS[removal.step] ?? removal.step}{removal.why ? <>: <Name text={removal.why} /></> : ""}
          {removal.error ? <> <code>{visible(removal.error)}</code></> : ""}
          {removal.have?.map((have, n) => <div key={n} class="muted"><Name text={`${have.name} = ${have.value}`} /> on {count(have.devices, "device")}</div>)}
          {removal.missing?.map((missing) => <div key={missing} class="muted">none has <Name text={missing} /></div>)}</li>))}</ul>}
    </li>
  );
}

function partText(part: Part): JSX.Element {
  if (part.holder) return <>what claim <Pick what={`claim:${part.claim}`} /> has</>;
  if (part.constraint) return <>constraint <Name text={part.constraint} /> of claim <Pick what={`claim:${part.claim}`} /></>;
  return <>request <Name text={part.request ?? ""} /> of claim <Pick what={`claim:${part.claim}`} /></>;
}

function Tree({one}: {one: Explanation}): JSX.Element {
  return (
    <>
      <p class={`verdict ${one.verdict}`}><b>{VERDICTS[one.verdict] ?? one.verdict}.</b> {one.state ? visible(one.state) : ""}{one.reason ? <Name text={one.reason} /> : ""}</p>
      {one.fix && <p class="fix"><b>Fix:</b> <Name text={one.fix} /> <Copy text={one.fix}>Copy</Copy></p>}
      {one.note && <p class="muted"><Name text={one.note} /></p>}
      {one.evicts && <p>The scheduler would evict {one.evicts.map((pod) => <Pick key={pod} what={`pod:${pod}`} />)}.</p>}
      {one.suggestions && one.suggestions.length > 0 && <details open><summary>What would help</summary>
        <p class="muted">Each of these is enough by itself.</p>
        <ol>{one.suggestions.map((suggestion, i) => <li key={i}><Name text={suggestion.text} /> {suggestion.node && <>(then it fits on <Pick what={`node:${suggestion.node}`} />)</>} <Copy text={suggestion.text}>Copy</Copy></li>)}</ol></details>}
      {one.requests && one.requests.length > 0 && <details open><summary>{count(one.requests.length, "request")} for devices</summary><ul class="plain">{one.requests.map((funnel) => <Request key={`${funnel.claim}/${funnel.request}`} funnel={funnel} />)}</ul></details>}
      {one.nodeGroups && one.nodeGroups.length > 0 && <details open><summary>{count(one.nodes ?? 0, "node")}, by what is in the way</summary>
        <ul>{one.nodeGroups.map((group, i) => <li key={i}><b>{count(group.nodes.length, "node")}</b>: <Name text={troubleText(group)} />
          {group.detail && <div class="muted"><Name text={group.detail} /></div>}
          <div class="chips">{group.nodes.slice(0, NODES_SHOWN).map((node) => <Pick key={node} what={`node:${node}`} />)}{group.nodes.length > NODES_SHOWN && <span class="muted">and {group.nodes.length - NODES_SHOWN} more</span>}</div></li>)}</ul></details>}
      {one.holders && one.holders.length > 0 && <details open><summary>Who has the devices on {one.closestNode ? <Name text={one.closestNode} /> : "the closest node"}</summary>
        <ul>{one.holders.map((holder) => <li key={holder.claim}><Pick what={`claim:${holder.claim}`} />
          {holder.pods.length > 0 && <> of {holder.pods.map((pod) => <Pick key={pod} what={`pod:${holder.claim.split("/")[0]!}/${pod}`} />)}</>}
          {holder.since && <span class="muted"> since {localTime(holder.since)}</span>}{holder.state && <span class="muted"> ({holder.state})</span>}
          <div class="chips">{holder.devices.slice(0, NODES_SHOWN).map((device) => <Pick key={device} what={`device:${device}`} />)}</div></li>)}</ul></details>}
      {one.conflict && <details><summary>What cannot hold together on <Name text={one.conflict.node} /></summary><ul>{one.conflict.parts.map((part, i) => <li key={i}>{partText(part)}</li>)}</ul></details>}
    </>
  );
}

function Explained({pod}: {pod: string}): JSX.Element {
  const {version} = useShown();
  const [namespace = "", name = ""] = pod.split("/");
  const query = new URLSearchParams({for: `pod/${name}`, namespace});
  const {value, error, isAsking} = useQuestion<ExplainAnswer>(`/ui/api/explain?${query.toString()}`, version);
  const command = `dray explain pod/${name} -n ${namespace}`;
  return (
    <section class="explained" aria-label="Explanation" aria-busy={isAsking}>
      <h2>Why does <Pick what={`pod:${pod}`} /> wait?</h2>
      {isAsking && <p class="muted">Asking …</p>}
      {error && <p class="notice" role="alert">{visible(error)}</p>}
      {value?.unread && value.unread.length > 0 && <p class="notice">You may not list {value.unread.join(", ")} everywhere, so this may lack something.</p>}
      {value?.explanations.map((one) => <Tree key={one.for} one={one} />)}
      <p class="muted">The same on a command line: <code>{visible(command)}</code> <Copy text={command}>Copy</Copy></p>
    </section>
  );
}

export function Waiting(): JSX.Element {
  const {cluster, route, version} = useShown();
  const reasons = useMemo(() => reasonsOf(cluster.pods.values()), [version]);
  const all = reasons.reduce((sum, reason) => sum + reason.pods.length, 0);
  const first = reasons[0]?.pods[0];
  const chosen = route.at.explain ?? (first ? keyOf(first) : "");
  const now = Date.now();
  const one = (pod: Pod) => (
    <li key={keyOf(pod)}><button type="button" class="link" aria-current={keyOf(pod) === chosen ? "true" : undefined}
      onClick={() => change({explain: keyOf(pod)})}><Name text={keyOf(pod)} /></button> <span class="muted">for {span(now - Date.parse(waitingSince(pod)))}</span></li>
  );
  return (
    <section class="view" aria-label="Waiting">
      <h1>Waiting <span class="many">{count(all, "pod")}</span></h1>
      <Missing kinds={["pods"]} />
      {all === 0 && cluster.kinds.get("pods")!.phase === "live" && <p class="empty">No pod waits for a node.</p>}
      <div class="split">
        <div class="reasons">
          {reasons.map((reason) => (
            <article key={reason.key}>
              <h2><span class="many">{reason.pods.length}</span> <Name text={reason.text} /></h2>
              <ul class="plain">{reason.pods.slice(0, PODS_SHOWN).map(one)}</ul>
              {reason.pods.length > PODS_SHOWN && <p class="muted">and {reason.pods.length - PODS_SHOWN} more: <a href="#/objects?phase=waiting">all in a table</a></p>}
            </article>
          ))}
        </div>
        {chosen && <Explained key={chosen} pod={chosen} />}
      </div>
    </section>
  );
}

export {isWaiting};
