// SPDX-License-Identifier: Apache-2.0
// The door: a token, unless the browser shows a client certificate.
import type {JSX} from "preact";
import {useState} from "preact/hooks";
import {token} from "../client.ts";
import {visible} from "../text.ts";
import {Copy} from "./parts.tsx";

const TOKEN_CHARACTERS_MAX = 16_384;
// What the views show, and what an explanation looks at.
const KINDS = ["nodes", "namespaces", "pods", "services", "persistentvolumes", "persistentvolumeclaims", "replicationcontrollers", "resourcequotas", "limitranges", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "poddisruptionbudgets.policy", "storageclasses.storage.k8s.io", "priorityclasses.scheduling.k8s.io", "podgroups.scheduling.k8s.io", "deviceclasses.resource.k8s.io", "resourceslices.resource.k8s.io", "resourceclaims.resource.k8s.io", "resourceclaimtemplates.resource.k8s.io", "devicetaintrules.resource.k8s.io"].join();
const COMMANDS = `kubectl create clusterrole dashboard --verb=get,list,watch --resource=${KINDS}
kubectl create serviceaccount dashboard
kubectl create clusterrolebinding dashboard --clusterrole=dashboard --serviceaccount=default:dashboard
kubectl create token dashboard --duration=24h`;

export function Login({why, enter}: {why: string; enter: () => void}): JSX.Element {
  const [text, setText] = useState("");
  const trimmed = text.trim();
  const isBad = trimmed !== "" && !/^[\x21-\x7e]+$/.test(trimmed);
  return (
    <main class="login">
      <h1>Dray</h1>
      <p>Who are you? The page shows what your rights allow.</p>
      {why && <p class="notice" role="alert">{visible(why)}</p>}
      <form onSubmit={(event) => {
        event.preventDefault();
        if (!trimmed || isBad) return;
        token.set(trimmed);
        enter();
      }}>
        <label class="field">Bearer token
          <input type="password" autocomplete="off" autofocus value={text} maxLength={TOKEN_CHARACTERS_MAX} onInput={(event) => setText(event.currentTarget.value)}
            aria-invalid={isBad} aria-describedby="tokenhint" />
        </label>
        <button type="submit" class="main" disabled={!trimmed || isBad}>Log in</button>
        <p id="tokenhint" class="muted">{isBad ? "A token has no spaces and only ASCII characters." : "It stays in this tab and is gone when you close it."}</p>
      </form>
      <details><summary>How do I get one?</summary>
        <p>A service account that may read, with kubectl as an administrator; the last line prints the token:</p>
        <pre tabIndex={0} aria-label="Commands">{COMMANDS}</pre><Copy text={COMMANDS}>Copy</Copy>
        <p>A browser that has a client certificate of this server needs no token.</p>
      </details>
    </main>
  );
}
