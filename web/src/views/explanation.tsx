// SPDX-License-Identifier: Apache-2.0
// An explanation as a tree: what would help, how the devices fell away, the nodes, who has the devices.
import type {JSX} from "preact";
import {useEffect, useState} from "preact/hooks";
import {isClosed, STEPS, troubleText, VERDICTS, type ExplanationAnswer, type Funnel, type Part} from "../explain.ts";
import {linkTo, useShown} from "../hooks.ts";
import {openCommands} from "../kubectl.ts";
import {planOf, subjectOf, type Subject} from "../suggestion.ts";
import {count, localTime, visible} from "../text.ts";
import {Bar, Commands, Copy, Name, Pick} from "./parts.tsx";

const NODES_SHOWN = 12;

/// What the suggestions for a pod are about, read again when the pod or its claims change; undefined: not yet, or there is no pod.
function useSubject(pod: string): Subject | undefined {
  const {cluster} = useShown();
  const [known, setKnown] = useState<{pod: string; subject: Subject}>();
  const version = pod ? cluster.pods.get(pod)?.metadata.resourceVersion : undefined;
  useEffect(() => {
    let isWanted = version !== undefined;
    if (isWanted) subjectOf(cluster, pod).then((subject) => { if (isWanted) setKnown({pod, subject}); }, () => undefined); // without it, no more is offered
    return () => { isWanted = false; };
  }, [cluster, pod, version]);
  return known?.pod === pod ? known.subject : undefined;
}

/// A suggestion, with what can be done about it from here.
function Help({text, node, pod, subject}: {text: string; node: string; pod: string; subject: Subject | undefined}): JSX.Element {
  const plan = subject && planOf(text, subject);
  return (
    <li><Name text={text} /> {node && <>(then it fits on <Pick what={`node:${node}`} />)</>}
      <div class="chips">
        {plan && plan.work.length > 0 && <a class="button" href={linkTo("whatif", {pod, try: text})}>Try it</a>}
        {plan && plan.commands.length > 0 && <Copy text={plan.commands.join("\n")}>Copy as kubectl</Copy>}
        <Copy text={text}>Copy</Copy>
      </div>
      {plan?.note && <p class="muted"><Name text={plan.note} /></p>}
      {plan && plan.commands.length > 0 && <details><summary>The commands</summary><pre tabIndex={0} aria-label="Commands">{visible(plan.commands.join("\n"))}</pre></details>}</li>
  );
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

export function Tree({one, pod = ""}: {one: ExplanationAnswer; pod?: string}): JSX.Element {
  const {cluster} = useShown();
  const subject = useSubject(one.suggestions?.length ? pod : "");
  return (
    <>
      <p class={`verdict ${one.verdict}`}><b>{VERDICTS[one.verdict] ?? one.verdict}.</b> {one.state ? visible(one.state) : ""}{one.reason ? <Name text={one.reason} /> : ""}</p>
      {one.fix && <p class="fix"><b>Fix:</b> <Name text={one.fix} /> <Copy text={one.fix}>Copy</Copy></p>}
      {one.note && <p class="muted"><Name text={one.note} /></p>}
      {one.evicts && <p>The scheduler would evict {one.evicts.map((pod) => <Pick key={pod} what={`pod:${pod}`} />)}.</p>}
      {one.suggestions && one.suggestions.length > 0 && <details open><summary>What would help</summary>
        <p class="muted">Each of these is enough by itself.</p>
        <ol>{one.suggestions.map((suggestion, i) => <Help key={i} text={suggestion.text} node={suggestion.node} pod={pod} subject={subject} />)}</ol></details>}
      {one.requests && one.requests.length > 0 && <details open><summary>{count(one.requests.length, "request")} for devices</summary><ul class="plain">{one.requests.map((funnel) => <Request key={`${funnel.claim}/${funnel.request}`} funnel={funnel} />)}</ul></details>}
      {one.nodeGroups && one.nodeGroups.length > 0 && <details open><summary>{count(one.nodes ?? 0, "node")}, by what is in the way</summary>
        <ul>{one.nodeGroups.map((group, i) => <li key={i}><b>{count(group.nodes.length, "node")}</b>: <Name text={troubleText(group)} />
          {group.detail && <div class="muted"><Name text={group.detail} /></div>}
          {isClosed(group) && <Commands commands={openCommands(group.nodes.flatMap((name) => cluster.nodes.get(name) ?? []))} />}
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
