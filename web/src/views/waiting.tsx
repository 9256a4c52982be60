// SPDX-License-Identifier: Apache-2.0
// Waiting: pods that no node has yet, by reason, and the explanation of one of them.
import type {JSX} from "preact";
import {useMemo} from "preact/hooks";
import {serverNow} from "../client.ts";
import {change, linkTo, useQuestion, useShown} from "../hooks.ts";
import {keyOf, type Pod} from "../kube.ts";
import type {ExplainAnswer} from "../explain.ts";
import {describeCommand, quoted} from "../kubectl.ts";
import {count, span, visible} from "../text.ts";
import {reasonsOf, waitingSince} from "../waiting.ts";
import {Tree} from "./explanation.tsx";
import {Commands, Missing, Name, Pick} from "./parts.tsx";

const PODS_SHOWN = 12;

function Explained({pod}: {pod: string}): JSX.Element {
  const {cluster, version} = useShown();
  const [namespace = "", name = ""] = pod.split("/");
  const query = new URLSearchParams({for: `pod/${name}`, namespace});
  if (cluster.moment) query.set("resourceVersion", cluster.moment);
  const {value, error, isAsking} = useQuestion<ExplainAnswer>(`/ui/api/explain?${query.toString()}`, version);
  const commands = [describeCommand("pod", pod), `dray explain ${quoted(`pod/${name}`)} -n ${quoted(namespace)}`];
  return (
    <section class="explained" aria-label="Explanation" aria-busy={isAsking}>
      <h2>Why does <Pick what={`pod:${pod}`} /> wait?</h2>
      {isAsking && <p class="muted">Asking …</p>}
      {error && <p class="notice" role="alert">{visible(error)}</p>}
      {value?.unread && value.unread.length > 0 && <p class="notice">You may not list {value.unread.join(", ")} everywhere, so this may lack something.</p>}
      {value?.explanations.map((one) => <Tree key={one.for} one={one} pod={pod} />)}
      <p class="muted">On a command line:</p><Commands commands={commands} />
    </section>
  );
}

export function Waiting(): JSX.Element {
  const {cluster, route} = useShown();
  const podsVersion = cluster.versionOf("pods");
  const reasons = useMemo(() => reasonsOf(cluster.pods.values()), [cluster, podsVersion]);
  const all = reasons.reduce((sum, reason) => sum + reason.pods.length, 0);
  const first = reasons[0]?.pods[0];
  const chosen = route.at.explain ?? (first ? keyOf(first) : "");
  const now = serverNow();
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
              {reason.pods.length > PODS_SHOWN && <p class="muted">and {reason.pods.length - PODS_SHOWN} more: <a href={linkTo("objects", {phase: "waiting"})}>all in a table</a></p>}
            </article>
          ))}
        </div>
        {chosen && <Explained key={chosen} pod={chosen} />}
      </div>
    </section>
  );
}
