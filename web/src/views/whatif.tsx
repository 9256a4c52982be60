// SPDX-License-Identifier: Apache-2.0
// What if: work that is not there yet, changes to the cluster, and what would then be where.
import type {JSX} from "preact";
import {useEffect, useMemo, useRef, useState} from "preact/hooks";
import {postJson, serverNow} from "../client.ts";
import {change, linkTo, useShown, type Shown} from "../hooks.ts";
import {quoted} from "../kubectl.ts";
import type {Device} from "../model.ts";
import {planOf, subjectOf} from "../suggestion.ts";
import {count, localTime, visible} from "../text.ts";
import {BODY_BYTES_MAX, bodyOf, changeLine, CHANGES_MAX, changesOf, CHANGE_KINDS, commandOf, comparisonsOf, measuresOf, nodeChangesOf,
  type Change, type ChangeKind, type Comparison, type NodeChange, type Question, type WhatIfAnswer} from "../whatif.ts";
import {toYaml} from "../yaml.ts";
import {Compared} from "./compared.tsx";
import {Tree} from "./explanation.tsx";
import {Bar, Commands, Name, Pick, Table, type Column} from "./parts.tsx";

const WORK_DRAFT = "dray-work"; // in sessionStorage, as the token: gone with the tab
const DRIVER_DRAFT = "dray-driver";
const REPLICAS_MAX = 10_000;
const NODES_OFFERED = 200;
const LABELS: Record<ChangeKind, string> = {drain: "drain a node", removeNode: "remove a node", like: "one more node like",
  addNodes: "more nodes", taint: "taint", delete: "delete"};
const HINTS: Record<ChangeKind, string> = {drain: "NODE", removeNode: "NODE", like: "NODE", addNodes: "NODE=COUNT or PROFILE=COUNT",
  taint: "node/NAME=KEY=VALUE:EFFECT", delete: "pod/NAMESPACE/NAME"};
const PARTS: Record<Comparison["part"], string> = {work: "work", moves: "has to move", waits: "waits already"};

/// A text that the tab keeps while it is open.
function useDraft(name: string): [string, (text: string) => void] {
  const [draft, setDraft] = useState(() => sessionStorage.getItem(name) ?? "");
  return [draft, (next: string) => {
    setDraft(next);
    if (next) sessionStorage.setItem(name, next);
    else sessionStorage.removeItem(name);
  }];
}

interface QuestionParts {question: Question; isReady: boolean; write: (text: string) => void; writeDriver: (text: string) => void; notice: string}

/// The manifests and changes of the form: those of a suggestion, or what the user wrote.
function useQuestionParts(shown: Shown): QuestionParts {
  const {cluster, route} = shown;
  const {pod = "", try: text = "", do: lines = "", ns = "", replicas = ""} = route.at;
  const [draft, setDraft] = useDraft(WORK_DRAFT);
  const [driver, writeDriver] = useDraft(DRIVER_DRAFT);
  const isRead = ["pods", "resourceclaims", "resourceslices"].every((kind) => cluster.kinds.get(kind as "pods")!.phase !== "reading");
  const [known, setKnown] = useState<{for: string; why: string; manifests: string; changes: Change[]}>({for: "", why: "", manifests: "", changes: []});
  const wanted = text && isRead ? `${pod} ${text}` : "";
  // The plan is made once: what it is about may change or vanish while the user reads the answer.
  useEffect(() => {
    if (!wanted || known.for === wanted) return;
    const none = {for: wanted, manifests: "", changes: []};
    subjectOf(cluster, pod).then((subject) => {
      const plan = planOf(text, subject);
      setKnown(plan && plan.work.length > 0 ? {...none, why: "", manifests: plan.work.map(toYaml).join("---\n"), changes: changesOf(plan.changes.join("\n"))}
        : {...none, why: plan?.note || "The suggestion is not about what the cluster has now."});
    }, (error: unknown) => setKnown({...none, why: (error as Error).message}));
  }, [cluster, wanted]);
  const plan = wanted && known.for === wanted && !known.why ? known : undefined;
  const changes = useMemo(() => plan?.changes ?? changesOf(lines), [plan, lines]);
  const write = (next: string) => {
    setDraft(next);
    if (text) change({try: undefined, pod: undefined, do: changes.map(changeLine).join("\n")}, true);
  };
  const many = Math.min(REPLICAS_MAX, Math.max(0, Math.floor(Number(replicas)) || 0));
  return {write, writeDriver, isReady: text ? plan !== undefined : Boolean(draft.trim() || driver.trim() || changes.length > 0),
    notice: wanted && known.for === wanted ? known.why : "",
    question: {manifests: text ? plan?.manifests ?? "" : draft, changes, defaultNamespace: pod.split("/")[0] || ns, replicas: many,
      max: route.at.max === "1", defragment: route.at.moves === "1", driver: text ? "" : driver}};
}

interface Asked {value?: WhatIfAnswer; error?: string; body: string; at: number; isAsking: boolean; question?: Question}

function useAsking(): [Asked, (question: Question) => void] {
  const [asked, setAsked] = useState<Asked>({body: "", at: 0, isAsking: false});
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const ask = (question: Question) => {
    stop.current?.abort();
    const control = new AbortController();
    stop.current = control;
    const body = bodyOf(question);
    const bytes = new TextEncoder().encode(body).length;
    const known = {body, at: serverNow(), question};
    if (bytes > BODY_BYTES_MAX) return setAsked({...known, isAsking: false, error: `The manifests are too large: ${bytes} bytes, and ${BODY_BYTES_MAX} are allowed.`});
    setAsked({...known, isAsking: true});
    postJson<WhatIfAnswer>("/ui/api/whatif", body, control.signal).then(
      (value) => setAsked({...known, at: serverNow(), value, isAsking: false}),
      (error: unknown) => { if (!control.signal.aborted) setAsked({...known, error: (error as Error).message, isAsking: false}); });
  };
  return [asked, ask];
}

function Changes({changes, driver, writeDriver}: {changes: Change[]; driver: string; writeDriver: (text: string) => void}): JSX.Element {
  const {cluster} = useShown();
  const [kind, setKind] = useState<ChangeKind>("drain");
  const [text, setText] = useState("");
  const set = (next: Change[]) => change({do: next.map(changeLine).join("\n"), try: undefined, pod: undefined});
  const isFull = changes.length >= CHANGES_MAX;
  const add = (event: Event) => {
    event.preventDefault();
    if (!text.trim() || isFull) return;
    set([...changes, {kind, text: text.trim()}]);
    setText("");
  };
  const isNode = kind !== "taint" && kind !== "delete";
  const nodes = isNode ? [...cluster.nodes.keys()].filter((name) => name.includes(text)).slice(0, NODES_OFFERED) : [];
  return (
    <fieldset><legend>Changes to the cluster, in this order</legend>
      {changes.length > 0 && <ol>{changes.map((one, i) => (
        <li key={`${i} ${changeLine(one)}`}>{LABELS[one.kind]} <Name text={one.text} /> <button type="button"
          aria-label={visible(`Leave out: ${LABELS[one.kind]} ${one.text}`)} onClick={() => set(changes.filter((_, n) => n !== i))}>×</button></li>))}</ol>}
      <form class="tools" onSubmit={add}>
        <label class="field">Change<select value={kind} onChange={(event) => setKind(event.currentTarget.value as ChangeKind)}>
          {CHANGE_KINDS.map((one) => <option key={one} value={one}>{LABELS[one]}</option>)}</select></label>
        <label class="field">Which<input type="text" value={text} placeholder={HINTS[kind]} list="whatifnodes" maxLength={600} spellcheck={false} autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)} /></label>
        <datalist id="whatifnodes">{nodes.map((name) => <option key={name} value={kind === "addNodes" ? `${name}=1` : name} />)}</datalist>
        <button type="submit" disabled={!text.trim() || isFull}>Add</button>
        {isFull && <span class="muted">No more than {CHANGES_MAX}.</span>}
      </form>
      <details open={driver !== ""}><summary>Another version of a driver</summary>
        <label class="field wide">Its ResourceSlices, which replace all of their drivers, after the other changes
          <textarea rows={4} spellcheck={false} value={driver} onInput={(event) => writeDriver(event.currentTarget.value)} /></label>
        <p class="chips"><label class="field">Slices from files<input type="file" multiple accept=".yaml,.yml,.json" onChange={(event) => {
          void textOf(event.currentTarget.files).then(writeDriver);
          event.currentTarget.value = "";
        }} /></label></p></details>
    </fieldset>
  );
}

async function textOf(files: FileList | null | undefined): Promise<string> {
  const texts = await Promise.all([...(files ?? [])].map((file) => (
    file.size > BODY_BYTES_MAX ? Promise.resolve(`# ${file.name} is left out: it is larger than ${BODY_BYTES_MAX} bytes\n`) : file.text())));
  return texts.map((text) => (text.endsWith("\n") ? text : `${text}\n`)).join("---\n");
}

function Work({text, write}: {text: string; write: (text: string) => void}): JSX.Element {
  const [isOver, setOver] = useState(false);
  const take = (files: FileList | null | undefined) => {
    if (files && files.length > 0) void textOf(files).then((read) => write(text.trim() ? `${text.trimEnd()}\n---\n${read}` : read));
  };
  return (
    <fieldset class={isOver ? "drop over" : "drop"} onDragOver={(event) => { event.preventDefault(); setOver(true); }} onDragLeave={() => setOver(false)}
      onDrop={(event) => { event.preventDefault(); setOver(false); take(event.dataTransfer?.files); }}>
      <legend>Work that would come</legend>
      <label class="field wide">Manifests, YAML or JSON: paste them, or drop files here
        <textarea rows={8} spellcheck={false} value={text} placeholder="Pods, claims, Jobs, Deployments …" onInput={(event) => write(event.currentTarget.value)} /></label>
      <p class="chips"><label class="field">Files<input type="file" multiple accept=".yaml,.yml,.json" onChange={(event) => { take(event.currentTarget.files); event.currentTarget.value = ""; }} /></label>
        {text && <button type="button" onClick={() => write("")}>Empty</button>}</p>
    </fieldset>
  );
}

function Options({question}: {question: Question}): JSX.Element {
  return (
    <div class="tools">
      <label class="field">Copies of each<input type="number" min={1} max={REPLICAS_MAX} value={question.replicas || ""} placeholder="as written" disabled={question.max}
        onChange={(event) => change({replicas: event.currentTarget.value})} /></label>
      <label class="check"><input type="checkbox" checked={question.max} onChange={(event) => change({max: event.currentTarget.checked ? "1" : undefined})} />How many copies fit?</label>
      <label class="check"><input type="checkbox" checked={question.defragment} disabled={question.max}
        onChange={(event) => change({moves: event.currentTarget.checked ? "1" : undefined})} />Which pods would have to move?</label>
    </div>
  );
}

function deviceText(comparison: Comparison): string[] {
  return (comparison.outcome.devices ?? []).map((one) => `${one.driver}/${one.pool}/${one.device}`);
}

const DEVICES_SHOWN = 6;
const COMPARED: Column<Comparison>[] = [
  {name: "Pod or claim", cell: ({what}) => <Name text={what} />, order: ({what}) => what},
  {name: "Part", cell: ({part}) => PARTS[part], order: ({part}) => PARTS[part]},
  {name: "Before", cell: ({before, part}) => before ? <Pick what={`node:${before}`} /> : <span class="muted">{part === "waits" ? "would wait" : "no node"}</span>, order: ({before}) => before},
  {name: "After", cell: ({outcome}) => outcome.fits
    ? <><b>✓</b> {outcome.node ? <Pick what={`node:${outcome.node}`} /> : "it gets its devices"}</>
    : <><b>✗</b> <Name text={outcome.reason || (outcome.verdict === "undecided" ? "the search was given up" : "nowhere")} /></>, order: ({outcome}) => outcome.fits ? outcome.node ?? "" : "~"},
  {name: "Devices", cell: (one) => <ul class="plain">{deviceText(one).slice(0, DEVICES_SHOWN).map((id) => <li key={id}><Pick what={`device:${id}`} /></li>)}
    {deviceText(one).length > DEVICES_SHOWN && <li class="muted">and {deviceText(one).length - DEVICES_SHOWN} more</li>}</ul>},
  {name: "Pods that have to go", cell: ({outcome}) => <ul class="plain">{(outcome.evicts ?? []).map((pod) => <li key={pod}><Pick what={`pod:${pod}`} /> is evicted</li>)}
    {(outcome.moves ?? []).map((move) => <li key={move.pod}><Name text={`${move.pod} moves from ${move.from} to ${move.to}`} /></li>)}</ul>},
];
const NODES: Column<NodeChange>[] = [
  {name: "Node", cell: ({node}) => <Pick what={`node:${node}`} />, order: ({node}) => node},
  {name: "Pods that leave", cell: ({leave}) => leave, order: ({leave}) => leave, isNumber: true},
  {name: "Pods that come", cell: ({come}) => come, order: ({come}) => come, isNumber: true},
  {name: "Devices that they take", cell: ({devices}) => devices, order: ({devices}) => devices, isNumber: true},
];

function Result({answer, devices, theme}: {answer: WhatIfAnswer; devices: readonly Device[]; theme: string}): JSX.Element {
  const measures = measuresOf(answer);
  const compared = comparisonsOf(answer);
  const nodes = nodeChangesOf(answer);
  return (
    <>
      <p class={`verdict ${answer.fits ? "fits" : "doesNotFit"}`} role="status"><b>{answer.fits ? "✓ All of it fits." : "✗ Not all of it fits."}</b>
        {answer.max !== undefined && <> {count(answer.max, "copy", "copies")} would fit.</>}{answer.cutShort && " The search was given up before its end."}</p>
      {answer.unread && answer.unread.length > 0 && <p class="notice">You may not list {answer.unread.join(", ")} everywhere, so this may lack something.</p>}
      {answer.notes && answer.notes.length > 0 && <ul class="notice">{answer.notes.map((note, i) => <li key={i}><Name text={note} /></li>)}</ul>}
      {measures.length > 0 && <div class="sides">{(["before", "after"] as const).map((side) => (
        <section key={side} aria-label={side === "before" ? "Before" : "After"}><h2>{side === "before" ? "Before" : "After"}</h2>
          <dl>{measures.map((one) => <div key={one.name}><dt>{one.name}</dt><dd><b>{one[side]}</b> of {one.of}
            <Bar parts={[{name: "good", amount: one[side]}]} total={one.of} label={`${one[side]} of ${one.of}`} /></dd></div>)}</dl></section>))}</div>}
      <Compared answer={answer} devices={devices} theme={theme} />
      <Table id="w" caption="Pods and claims before and after" columns={COMPARED} rows={compared} keyOf={(one) => `${one.part} ${one.what}`} empty="Nothing has another place than before." />
      {nodes.length > 0 && <Table id="n" caption="Nodes where something changes" columns={NODES} rows={nodes} keyOf={({node}) => node} empty="" />}
      {answer.explanations?.map((one) => <section key={one.for} class="explained" aria-label={visible(`Why ${one.for} does not fit`)}><h2>Why <Name text={one.for} /> does not fit</h2><Tree one={one} /></section>)}
    </>
  );
}

/// `devices`: of the cluster, at the moment that the page shows.
export function WhatIf({devices, theme}: {devices: readonly Device[]; theme: string}): JSX.Element {
  const shown = useShown();
  const {question, isReady, write, writeDriver, notice} = useQuestionParts(shown);
  const [asked, ask] = useAsking();
  const {pod = "", try: suggestion = "", do: lines = "", rev} = shown.route.at;
  // A link that says what to ask is asked at once; what the user writes, when the button is pressed.
  useEffect(() => { if (isReady && asked.at === 0 && (suggestion || lines)) ask(question); }, [isReady, suggestion]);
  const body = bodyOf(question);
  return (
    <section class="view" aria-label="What if" aria-busy={asked.isAsking}>
      <h1>What if</h1>
      <p class="muted">Nothing is written to the cluster.</p>
      {rev && <p class="notice">This is asked about the cluster as it is now, not at the moment that the other views show.</p>}
      {suggestion && <p>Tried: <Name text={suggestion} />, for <a href={linkTo("waiting", {explain: pod})}><Name text={pod} /></a>.</p>}
      {notice && <p class="notice" role="alert">{visible(notice)}</p>}
      <div class="halves"><Work text={question.manifests} write={write} /><Changes changes={question.changes} driver={question.driver} writeDriver={writeDriver} /></div>
      <Options question={question} />
      <p class="chips"><button type="button" class="main" disabled={!isReady || asked.isAsking} onClick={() => ask(question)}>{asked.isAsking ? "Asking …" : "Ask"}</button>
        {asked.value && asked.body !== body && <span class="muted">The question has changed since: ask again.</span>}
        {asked.value && asked.body === body && <span class="muted">Answered {localTime(new Date(asked.at).toISOString())}.</span>}</p>
      {asked.error && <p class="notice" role="alert">{visible(asked.error)}</p>}
      {asked.value && <Result answer={asked.value} devices={rev ? [] : devices} theme={theme} />}
      {isReady && <details><summary>On a command line</summary><p class="muted">{question.driver.trim() ? "With the manifests in work.yaml and the slices in slices.yaml:" : "With the manifests in work.yaml:"}</p><Commands commands={[commandOf(question, quoted)]} /></details>}
    </section>
  );
}
