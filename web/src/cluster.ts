// SPDX-License-Identifier: Apache-2.0
// The cluster as the user may see it: lists, then watches, of the kinds that the views show. Nothing is
// asked again and again: at rest there are only open watches. Or the cluster as it was at one revision: lists only.
import {getJson, linesOf, Refused, request, serverNow} from "./client.ts";
import {devicesTakenBy, type ClaimChange} from "./history.ts";
import {keyOf, type ClaimTemplate, type Kubernetes, type KubeNode, type Pod, type ResourceClaim, type ResourceSlice,
  type TaintRule} from "./kube.ts";
import {slim} from "./slim.ts";

export const KINDS = ["nodes", "pods", "resourceslices", "resourceclaims", "devicetaintrules"] as const;
export type Kind = (typeof KINDS)[number];

/// "live" is read and followed, or read as it was at the moment; "gone": that moment is not kept any more.
export type Phase = "reading" | "live" | "lost" | "refused" | "absent" | "gone";

export interface Followed {
  objects: Map<string, Kubernetes>;
  phase: Phase;
  why: string; // of lost and refused
  namespace: string; // the only one that is read; "": all
  since: number; // when the phase began
  version: number; // changes with the objects
  group: string; // the path of its API
}

const NAMESPACED: readonly Kind[] = ["pods", "resourceclaims"];
const CORE: readonly Kind[] = ["nodes", "pods"];
const VERSIONS = ["v1", "v1beta2", "v1beta1"];
const PAGE_OBJECTS = 500;
const WATCH_SECONDS = 600;
const RETRY_MILLISECONDS_MAX = 15_000;
const CLAIM_CHANGES_MAX = 50_000;

interface List {
  apiVersion?: string;
  kind?: string;
  items?: Kubernetes[];
  metadata?: {resourceVersion?: string; continue?: string};
}
interface Event {
  type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  object: Kubernetes & {code?: number; message?: string};
}

export class Cluster {
  readonly kinds = new Map<Kind, Followed>();
  lastChange = 0; // when an object came last
  claimsSince = 0; // when the claims were listed
  claimChanges: ClaimChange[] = []; // that came since then
  private readonly stop = new AbortController();

  /// The cluster at the revision `moment`, or now if that is empty. `changed` is called after each change;
  /// `expired` when the credentials are valid no more.
  constructor(namespace: string, readonly moment: string, private readonly changed: () => void,
    private readonly expired: () => void) {
    for (const kind of KINDS) {
      const only = NAMESPACED.includes(kind) ? namespace : "";
      this.kinds.set(kind, {objects: new Map(), phase: "reading", why: "", namespace: only, since: Date.now(), version: 0, group: ""});
    }
  }

  start(): void {
    void this.run();
  }

  end(): void {
    this.stop.abort();
  }

  get nodes() { return this.of("nodes") as Map<string, KubeNode>; }
  get pods() { return this.of("pods") as Map<string, Pod>; }
  get slices() { return this.of("resourceslices") as Map<string, ResourceSlice>; }
  get claims() { return this.of("resourceclaims") as Map<string, ResourceClaim>; }
  /// A number that changes with the objects of the kind.
  versionOf(kind: Kind): number {
    return this.kinds.get(kind)!.version;
  }

  get rules() { return this.of("devicetaintrules") as Map<string, TaintRule>; }

  private of(kind: Kind): Map<string, Kubernetes> {
    return this.kinds.get(kind)!.objects;
  }

  private enter(kind: Kind, phase: Phase, why = ""): void {
    const followed = this.kinds.get(kind)!;
    if (followed.phase !== phase) followed.since = Date.now();
    followed.phase = phase;
    followed.why = why;
    this.changed();
  }

  private async run(): Promise<void> {
    const version = await this.resourceVersion();
    for (const kind of KINDS) {
      const group = CORE.includes(kind) ? "/api/v1" : `/apis/resource.k8s.io/${version}`;
      void this.follow(kind, kind === "devicetaintrules" ? await this.ruleGroup() : group);
    }
  }

  private async served(version: string): Promise<string[]> {
    try {
      const list = await getJson<{resources?: {name: string}[]}>(`/apis/resource.k8s.io/${version}`, this.stop.signal);
      return (list.resources ?? []).map((resource) => resource.name);
    } catch {
      return [];
    }
  }

  private async resourceVersion(): Promise<string> {
    for (const version of VERSIONS) {
      if ((await this.served(version)).includes("resourceslices")) return version;
    }
    return VERSIONS[0]!;
  }

  private async ruleGroup(): Promise<string> {
    for (const version of ["v1", "v1beta2", "v1alpha3"]) {
      if ((await this.served(version)).includes("devicetaintrules")) return `/apis/resource.k8s.io/${version}`;
    }
    return "";
  }

  private async follow(kind: Kind, group: string): Promise<void> {
    if (!group) return this.enter(kind, "absent");
    this.kinds.get(kind)!.group = group;
    let failures = 0;
    while (!this.stop.signal.aborted) {
      try {
        let version = await this.list(kind, group);
        failures = 0;
        this.enter(kind, "live");
        if (this.moment) return;
        while (version) version = await this.watch(kind, group, version);
      } catch (error) {
        if (this.stop.signal.aborted) return;
        const next = error instanceof Refused ? this.afterRefusal(kind, error) : "later";
        if (next === "never") return;
        if (next === "now") continue;
        this.enter(kind, "lost", error instanceof Error ? error.message : String(error));
        await this.pause(Math.min(1000 * 2 ** failures++, RETRY_MILLISECONDS_MAX));
      }
    }
  }

  /// When to list again; a user who may not list all namespaces is served one.
  private afterRefusal(kind: Kind, error: Refused): "now" | "later" | "never" {
    const followed = this.kinds.get(kind)!;
    if (error.status === 401) {
      this.expired();
      return "never";
    }
    if (error.status === 404) {
      this.enter(kind, "absent");
      return "never";
    }
    if (error.status === 410 && this.moment) {
      this.enter(kind, "gone", error.message);
      return "never";
    }
    if (error.status === 410) return "now";
    if (error.status !== 403 && !this.moment) return "later";
    if (error.status === 403 && NAMESPACED.includes(kind) && !followed.namespace) {
      followed.namespace = "default";
      return "now";
    }
    this.enter(kind, "refused", error.message);
    return "never";
  }

  private pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds);
      this.stop.signal.addEventListener("abort", () => { clearTimeout(timer); resolve(); }, {once: true});
    });
  }

  /// All of one object, whose key is `key`; undefined: it is not there. Errors: as request.
  whole(kind: Kind, key: string): Promise<Kubernetes | undefined> {
    return this.read(this.kinds.get(kind)!.group, kind, key);
  }

  /// A ResourceClaimTemplate; undefined: it is not there. Errors: as request.
  template(namespace: string, name: string): Promise<ClaimTemplate | undefined> {
    return this.read(this.kinds.get("resourceclaims")!.group, "resourceclaimtemplates", `${namespace}/${name}`);
  }

  private async read(group: string, plural: string, key: string): Promise<Kubernetes | undefined> {
    const slash = key.indexOf("/");
    const place = slash < 0 ? "" : `/namespaces/${encodeURIComponent(key.slice(0, slash))}`;
    const query = new URLSearchParams({fieldSelector: `metadata.name=${key.slice(slash + 1)}`});
    if (this.moment) this.setMoment(query);
    const list = await getJson<List>(`${group}${place}/${plural}?${query.toString()}`, this.stop.signal);
    const object = list.items?.[0];
    delete object?.metadata.managedFields;
    return object && {...typeOf(list), ...object};
  }

  private setMoment(query: URLSearchParams): void {
    query.set("resourceVersion", this.moment);
    query.set("resourceVersionMatch", "Exact");
  }

  private pathOf(kind: Kind, group: string): string {
    const {namespace} = this.kinds.get(kind)!;
    return namespace ? `${group}/namespaces/${encodeURIComponent(namespace)}/${kind}` : `${group}/${kind}`;
  }

  /// The resource version of the list.
  private async list(kind: Kind, group: string): Promise<string> {
    const followed = this.kinds.get(kind)!;
    const objects = new Map<string, Kubernetes>();
    // The first list is shown while it comes; a later one takes the place of what is shown when it is complete.
    if (followed.objects.size === 0) followed.objects = objects;
    let more = "";
    let version = "";
    do {
      const query = new URLSearchParams({limit: String(PAGE_OBJECTS)});
      if (more) query.set("continue", more);
      else if (this.moment) this.setMoment(query);
      const page = await getJson<List>(`${this.pathOf(kind, group)}?${query.toString()}`, this.stop.signal);
      const type = typeOf(page);
      for (const object of page.items ?? []) objects.set(keyOf(object), {...type, ...slim(kind, object)});
      followed.version += 1;
      version = page.metadata?.resourceVersion ?? "";
      more = page.metadata?.continue ?? "";
      if (more && followed.objects === objects) this.changed();
    } while (more);
    followed.objects = objects;
    this.lastChange = Date.now();
    if (kind === "resourceclaims") {
      this.claimsSince = serverNow();
      this.claimChanges = [];
    }
    return version;
  }

  /// Follows until the server ends the watch; returns the version to go on from, "" to list again.
  private async watch(kind: Kind, group: string, version: string): Promise<string> {
    const query = new URLSearchParams({watch: "true", allowWatchBookmarks: "true", resourceVersion: version,
      timeoutSeconds: String(WATCH_SECONDS)});
    let response: Response;
    try {
      response = await request(`${this.pathOf(kind, group)}?${query.toString()}`, {signal: this.stop.signal});
    } catch (error) {
      if (error instanceof Refused && error.status === 410) return "";
      throw error;
    }
    let reached = version;
    for await (const line of linesOf(response)) {
      const event = JSON.parse(line) as Event;
      if (event.type === "ERROR") {
        if (event.object.code === 410) return "";
        throw new Refused(event.object.code ?? 500, event.object.message ?? "the watch failed");
      }
      reached = event.object.metadata.resourceVersion ?? reached;
      if (event.type !== "BOOKMARK") this.take(kind, event);
    }
    return reached;
  }

  private take(kind: Kind, event: Event): void {
    const objects = this.of(kind);
    if (kind === "resourceclaims") this.remember(event);
    if (event.type === "DELETED") objects.delete(keyOf(event.object));
    else objects.set(keyOf(event.object), {apiVersion: event.object.apiVersion, kind: event.object.kind, ...slim(kind, event.object)});
    this.kinds.get(kind)!.version += 1;
    this.lastChange = Date.now();
    this.changed();
  }

  /// Notes when a claim got other devices than it had.
  private remember(event: Event): void {
    const claim = event.object as ResourceClaim;
    const before = this.claims.get(keyOf(claim));
    const devices = event.type === "DELETED" ? [] : devicesTakenBy(claim);
    const had = devicesTakenBy(before);
    const isOther = before !== undefined && before.metadata.uid !== claim.metadata.uid;
    const point = {revision: claim.metadata.resourceVersion ?? "", time: new Date(serverNow()).toISOString(), claim: keyOf(claim)};
    if (isOther && had.length > 0) this.claimChanges.push({...point, uid: before.metadata.uid ?? "", devices: []});
    if (isOther ? devices.length > 0 : devices.join() !== had.join()) {
      this.claimChanges.push({...point, uid: claim.metadata.uid ?? "", devices});
    }
    if (this.claimChanges.length > CLAIM_CHANGES_MAX) this.claimChanges.splice(0, CLAIM_CHANGES_MAX / 2);
  }
}

/// Of the items of a list, which do not say it themselves.
function typeOf(list: List): {apiVersion: string | undefined; kind: string | undefined} {
  return {apiVersion: list.apiVersion, kind: list.kind?.replace(/List$/, "")};
}
