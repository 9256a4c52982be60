// SPDX-License-Identifier: Apache-2.0
// What programs built on the JavaScript client do, with its defaults. One line for each thing that
// works; the first thing that does not ends the program with status 1.
//
//     node client.js KUBECONFIG
//
// To see an informer through a restart it writes the file `restart` and goes on when it is gone.
import {existsSync, writeFileSync} from 'node:fs';
import {setTimeout as pause} from 'node:timers/promises';

import * as k8s from '@kubernetes/client-node';

const namespace = 'client-javascript';
const driver = 'gpu.example.com';
const patienceMs = 600_000; // only ever used up by a bug
const as = type => k8s.setHeaderOptions('Content-Type', type);

function expect(good, what) {
  if (!good) throw new Error(what);
}

/** Expects the promise to end with a Status of this reason. */
async function refused(reason, promise) {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof k8s.ApiException)) throw error;
    expect(JSON.parse(error.body).reason === reason, `${reason}: ${error.body}`);
    return;
  }
  throw new Error(`was not refused as ${reason}`);
}

async function until(condition, what) {
  const end = Date.now() + patienceMs;
  while (!condition()) {
    expect(Date.now() < end, what);
    await pause(20); // between polls of what another process does
  }
}

function claim(name) {
  const exactly = {deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1};
  const opaque = {driver, parameters: {mode: 'fast'}};
  return {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaim',
    metadata: {name, namespace, labels: {app: 'x'}},
    spec: {devices: {requests: [{name: 'gpu', exactly}], config: [{opaque}]}},
  };
}

async function writes({config, api}) {
  await config.makeApiClient(k8s.CoreV1Api).createNamespace({body: {metadata: {name: namespace}}});
  await api.createDeviceClass({body: {metadata: {name: 'gpu'}, spec: {}}});
  const created = await api.createNamespacedResourceClaim({namespace, body: claim('a')});
  expect(created.spec.devices.config[0].opaque.parameters.mode === 'fast', 'other parameters');
  expect(created.metadata.creationTimestamp instanceof Date, 'no time of creation');
  const body = {...created, metadata: {...created.metadata, labels: {app: 'y'}}};
  const replaced = await api.replaceNamespacedResourceClaim({name: 'a', namespace, body});
  expect(replaced.metadata.labels.app === 'y', 'not replaced');
  await refused('Conflict', api.replaceNamespacedResourceClaim({name: 'a', namespace, body}));
  const again = {namespace, body: claim('a')};
  await refused('AlreadyExists', api.createNamespacedResourceClaim(again));
  const wrong = {namespace, body: claim('A_b')};
  await refused('Invalid', api.createNamespacedResourceClaim(wrong));
  await refused('NotFound', api.readNamespacedResourceClaim({name: 'missing', namespace}));
}

async function patches({api}) {
  const merge = {metadata: {annotations: {note: 'x'}}};
  for (const type of [k8s.PatchStrategy.MergePatch, k8s.PatchStrategy.StrategicMergePatch]) {
    const patched = await api.patchNamespacedResourceClaim(
        {name: 'a', namespace, body: merge}, as(type));
    expect(patched.metadata.annotations.note === 'x', type);
  }
  const step = [{op: 'replace', path: '/metadata/annotations/note', value: 'y'}];
  const patched = await api.patchNamespacedResourceClaim(
      {name: 'a', namespace, body: step}, as(k8s.PatchStrategy.JsonPatch));
  expect(patched.metadata.annotations.note === 'y', 'a JSON patch');
}

async function status({api}) {
  const read = await api.readNamespacedResourceClaimStatus({name: 'a', namespace});
  const results = [{request: 'gpu', driver, pool: 'node', device: 'gpu-0'}];
  const body = {...read, status: {allocation: {devices: {results}}}};
  await api.replaceNamespacedResourceClaimStatus({name: 'a', namespace, body});
  const devices = [{driver, pool: 'node', device: 'gpu-0', data: {temperature: 40}}];
  const patched = await api.patchNamespacedResourceClaimStatus(
      {name: 'a', namespace, body: {status: {devices}}}, as(k8s.PatchStrategy.MergePatch));
  expect(patched.status.devices[0].data.temperature === 40, 'no data of the device');
  expect(patched.status.allocation.devices.results.length === 1, 'the allocation went');
}

async function lists({api}) {
  for (let i = 0; i < 7; ++i) {
    await api.createNamespacedResourceClaim({namespace, body: claim(`list-${i}`)});
  }
  const names = [];
  let next;
  do {
    const page = await api.listNamespacedResourceClaim(
        {namespace, limit: 3, labelSelector: 'app=x', _continue: next});
    names.push(...page.items.map(item => item.metadata.name));
    next = page.metadata._continue;
  } while (next);
  expect(names.length === 7 && names[6] === 'list-6', `names are ${names}`);
  await api.deleteCollectionNamespacedResourceClaim({namespace, labelSelector: 'app=x'});
  const left = await api.listNamespacedResourceClaim({namespace});
  expect(left.items.length === 1, `${left.items.length} are left`);
}

async function informer({config, api}) {
  const path = `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
  const follower = k8s.makeInformer(
      config, path, () => api.listNamespacedResourceClaim({namespace}));
  const seen = [];
  for (const verb of ['add', 'update', 'delete']) {
    follower.on(verb, object => seen.push(`${verb} ${object.metadata.name}`));
  }
  follower.on('error', () => setTimeout(() => follower.start(), 50)); // as its users are told to
  await follower.start();
  const made = await api.createNamespacedResourceClaim({namespace, body: claim('before')});
  await until(() => seen.includes('add before'), `seen were ${seen}`);
  writeFileSync('restart', '');
  await until(() => !existsSync('restart'), 'nobody restarts the server');
  const body = {...made, metadata: {...made.metadata, labels: {app: 'z'}}};
  await api.replaceNamespacedResourceClaim({name: 'before', namespace, body});
  await until(() => seen.includes('update before'), `seen were ${seen}`);
  await api.deleteNamespacedResourceClaim({name: 'before', namespace});
  await until(() => seen.includes('delete before'), `seen were ${seen}`);
  await follower.stop();
}

/** Consumers that all want to be in reservedFor: none gets lost. */
async function reservations({api}) {
  const reserve = async name => {
    for (;;) {
      const read = await api.readNamespacedResourceClaim({name: 'a', namespace});
      const consumer = {resource: 'pods', name, uid: name};
      const reservedFor = [...(read.status.reservedFor ?? []), consumer];
      const body = {...read, status: {...read.status, reservedFor}};
      try {
        return await api.replaceNamespacedResourceClaimStatus({name: 'a', namespace, body});
      } catch (error) {
        if (error.code !== 409) throw error;
      }
    }
  };
  await Promise.all(Array.from({length: 8}, (_, i) => reserve(`p${i}`)));
  const {status} = await api.readNamespacedResourceClaim({name: 'a', namespace});
  const names = status.reservedFor.map(consumer => consumer.name).sort().join(' ');
  expect(names === 'p0 p1 p2 p3 p4 p5 p6 p7', `reserved for ${names}`);
}

async function apply({config}) {
  const objects = k8s.KubernetesObjectApi.makeApiClient(config);
  const send = (manager, app, force) => {
    const wanted = claim('applied');
    wanted.metadata.labels.app = app;
    return objects.patch(
        wanted, undefined, undefined, manager, force, k8s.PatchStrategy.ServerSideApply);
  };
  await send('one', 'x', false);
  await refused('Conflict', send('two', 'y', false));
  const forced = await send('two', 'y', true);
  const managers = forced.metadata.managedFields.map(each => each.manager).sort().join(' ');
  expect(forced.metadata.labels.app === 'y' && managers === 'one two', `managers are ${managers}`);
}

const config = new k8s.KubeConfig();
config.loadFromFile(process.argv[2]);
const cluster = {config, api: config.makeApiClient(k8s.ResourceV1Api)};
const steps = {
  'writes and their errors': writes,
  'patches': patches,
  'status': status,
  'lists in pages': lists,
  'an informer through a restart': informer,
  'races for reservations': reservations,
  'apply and its conflicts': apply,
};
for (const [name, step] of Object.entries(steps)) {
  try {
    await step(cluster);
  } catch (error) {
    console.log(`${name}: ${error.stack}`);
    process.exit(1);
  }
  console.log(name);
}
process.exit(0); // what it keeps open for the next request does not matter
