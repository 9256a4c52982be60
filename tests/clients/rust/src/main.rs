// SPDX-License-Identifier: Apache-2.0
//! What programs built on kube-rs do, with its defaults. One line for each thing that works; the first
//! thing that does not ends the program with status 1. KUBECONFIG says where the server is.
//!
//! To see a watcher through a restart it writes the file `restart` and goes on when it is gone.
use std::{error::Error, fs, path::Path, time::Duration};

use futures::{future::try_join_all, StreamExt};
use k8s_openapi::api::{
    core::v1::Namespace,
    resource::v1::{DeviceClass, ResourceClaim, ResourceClaimConsumerReference},
};
use kube::{
    api::{DeleteParams, ListParams, Patch, PatchParams, PostParams},
    core::{ApiResource, DynamicObject, GroupVersionKind},
    runtime::{watcher, WatchStreamExt},
    Api, Client,
};
use serde_json::json;
use tokio::time::{sleep, timeout};

type Step = Result<(), Box<dyn Error>>;

const NAMESPACE: &str = "client-rust";
const DRIVER: &str = "gpu.example.com";
const PATIENCE: Duration = Duration::from_secs(600); // only ever used up by a bug

fn expect(good: bool, what: impl Into<String>) -> Step {
    if good {
        return Ok(());
    }
    Err(what.into().into())
}

/// Expects a Status of this reason.
fn refused<T>(reason: &str, result: kube::Result<T>) -> Step {
    match result {
        Ok(_) => Err(format!("was not refused as {reason}").into()),
        Err(kube::Error::Api(status)) if status.reason == reason => Ok(()),
        Err(other) => Err(other.into()),
    }
}

fn claim(name: &str) -> ResourceClaim {
    serde_json::from_value(json!({
        "metadata": {"name": name, "labels": {"app": "x"}},
        "spec": {"devices": {
            "requests": [{"name": "gpu", "exactly": {
                "deviceClassName": "gpu", "allocationMode": "ExactCount", "count": 1}}],
            "config": [{"opaque": {"driver": DRIVER, "parameters": {"mode": "fast"}}}]}}
    }))
    .expect("a claim")
}

async fn writes(client: &Client, claims: &Api<ResourceClaim>) -> Step {
    let post = PostParams::default();
    let space = serde_json::from_value(json!({"metadata": {"name": NAMESPACE}}))?;
    Api::<Namespace>::all(client.clone()).create(&post, &space).await?;
    let class = serde_json::from_value(json!({"metadata": {"name": "gpu"}, "spec": {}}))?;
    Api::<DeviceClass>::all(client.clone()).create(&post, &class).await?;
    let mut made = claims.create(&post, &claim("a")).await?;
    made.metadata.labels = Some([("app".into(), "y".into())].into());
    let replaced = claims.replace("a", &post, &made).await?;
    expect(replaced.spec == made.spec, "another spec")?;
    refused("Conflict", claims.replace("a", &post, &made).await)?;
    refused("AlreadyExists", claims.create(&post, &claim("a")).await)?;
    refused("Invalid", claims.create(&post, &claim("A_b")).await)?;
    refused("NotFound", claims.get("missing").await)?;
    expect(claims.get_opt("missing").await?.is_none(), "there is one")
}

async fn patches(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    let change = json!({"metadata": {"annotations": {"note": "x"}}});
    for patch in [Patch::Merge(&change), Patch::Strategic(&change)] {
        let patched = claims.patch("a", &PatchParams::default(), &patch).await?;
        let notes = patched.metadata.annotations.unwrap_or_default();
        expect(notes.get("note").is_some_and(|note| note == "x"), "no annotation")?;
    }
    Ok(())
}

async fn status(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    let result = json!({"request": "gpu", "driver": DRIVER, "pool": "node", "device": "gpu-0"});
    let device = json!({"driver": DRIVER, "pool": "node", "device": "gpu-0", "data": {"t": 40}});
    let allocation = json!({"status": {"allocation": {"devices": {"results": [result]}}}});
    let devices = json!({"status": {"devices": [device]}});
    let patch = PatchParams::default();
    claims.patch_status("a", &patch, &Patch::Merge(&allocation)).await?;
    let told = claims.patch_status("a", &patch, &Patch::Merge(&devices)).await?;
    let status = told.status.unwrap_or_default();
    expect(status.allocation.is_some(), "the allocation went")?;
    expect(status.devices.is_some_and(|devices| devices.len() == 1), "no device")
}

async fn lists(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    for i in 0..7 {
        claims.create(&PostParams::default(), &claim(&format!("list-{i}"))).await?;
    }
    let selected = ListParams::default().labels("app=x");
    let mut names = Vec::new();
    let mut page = selected.clone().limit(3);
    loop {
        let part = claims.list(&page).await?;
        names.extend(part.items.into_iter().filter_map(|item| item.metadata.name));
        match part.metadata.continue_.filter(|token| !token.is_empty()) {
            Some(token) => page = page.continue_token(&token),
            None => break,
        }
    }
    expect(names.len() == 7 && names[6] == "list-6", format!("names are {names:?}"))?;
    claims.delete_collection(&DeleteParams::default(), &selected).await?;
    expect(claims.list(&ListParams::default()).await?.items.len() == 1, "more are left")
}

async fn through_restart(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    let events = watcher(claims.clone(), watcher::Config::default()).default_backoff();
    let mut seen = events.filter_map(|event| async move { event.ok() }).boxed();
    let mut made = claims.create(&PostParams::default(), &claim("before")).await?;
    let mut next = async |wanted: &str| -> Step {
        loop {
            let (kind, object) = match timeout(PATIENCE, seen.next()).await? {
                Some(watcher::Event::Apply(o) | watcher::Event::InitApply(o)) => ("applied", o),
                Some(watcher::Event::Delete(o)) => ("deleted", o),
                Some(_) => continue,
                None => return Err("the watcher ended".into()),
            };
            let app = object.metadata.labels.unwrap_or_default().remove("app").unwrap_or_default();
            let name = object.metadata.name.unwrap_or_default();
            if format!("{kind} {name} {app}") == wanted {
                return Ok(());
            }
        }
    };
    next("applied before x").await?;
    fs::write("restart", "")?;
    let restarted = async {
        while Path::new("restart").exists() {
            sleep(Duration::from_millis(20)).await; // between polls of another process
        }
    };
    timeout(PATIENCE, restarted).await?;
    made.metadata.labels = Some([("app".into(), "z".into())].into());
    claims.replace("before", &PostParams::default(), &made).await?;
    next("applied before z").await?;
    claims.delete("before", &DeleteParams::default()).await?;
    next("deleted before z").await
}

/// Consumers that all want to be in reservedFor: none gets lost.
async fn reservations(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    let reserve = |name: String| async move {
        loop {
            let mut read = claims.get_status("a").await?;
            let consumer = ResourceClaimConsumerReference {
                resource: "pods".into(),
                name: name.clone(),
                uid: name.clone(),
                ..Default::default()
            };
            let status = read.status.get_or_insert_default();
            status.reserved_for.get_or_insert_default().push(consumer);
            match claims.replace_status("a", &PostParams::default(), &read).await {
                Err(kube::Error::Api(status)) if status.code == 409 => continue,
                other => return other.map(|_| ()),
            }
        }
    };
    try_join_all((0..8).map(|i| reserve(format!("p{i}")))).await?;
    let status = claims.get("a").await?.status.unwrap_or_default();
    let reserved = status.reserved_for.unwrap_or_default().len();
    expect(reserved == 8, format!("reserved for {reserved}"))
}

async fn apply(_: &Client, claims: &Api<ResourceClaim>) -> Step {
    let wanted = |app: &str| {
        let mut wanted = claim("applied");
        wanted.metadata.labels = Some([("app".into(), app.into())].into());
        wanted
    };
    claims.patch("applied", &PatchParams::apply("one"), &Patch::Apply(wanted("x"))).await?;
    let two = PatchParams::apply("two");
    refused("Conflict", claims.patch("applied", &two, &Patch::Apply(wanted("y"))).await)?;
    let forced = claims.patch("applied", &two.force(), &Patch::Apply(wanted("y"))).await?;
    let entries = forced.metadata.managed_fields.unwrap_or_default();
    let mut managers: Vec<_> = entries.into_iter().filter_map(|entry| entry.manager).collect();
    managers.sort();
    expect(managers == ["one", "two"], format!("managers are {managers:?}"))
}

/// A claim as the clients of 1.31 see it.
async fn old_versions(client: &Client, claims: &Api<ResourceClaim>) -> Step {
    let kind = GroupVersionKind::gvk("resource.k8s.io", "v1alpha3", "ResourceClaim");
    let old = Api::<DynamicObject>::namespaced_with(
        client.clone(), NAMESPACE, &ApiResource::from_gvk(&kind));
    let body = serde_json::from_value(json!({
        "apiVersion": "resource.k8s.io/v1alpha3",
        "kind": "ResourceClaim",
        "metadata": {"name": "old"},
        "spec": {"devices": {"requests": [{"name": "r", "deviceClassName": "gpu"}]}}
    }))?;
    old.create(&PostParams::default(), &body).await?;
    let devices = claims.get("old").await?.spec.and_then(|spec| spec.devices);
    let requests = devices.and_then(|devices| devices.requests).unwrap_or_default();
    let exactly = requests.into_iter().next().and_then(|request| request.exactly);
    expect(exactly.is_some_and(|exactly| exactly.device_class_name == "gpu"), "not seen by v1")
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Step {
    let client = Client::try_default().await?;
    let claims = Api::<ResourceClaim>::namespaced(client.clone(), NAMESPACE);
    macro_rules! steps {
        ($($name:literal: $step:ident,)*) => {$(
            if let Err(error) = $step(&client, &claims).await {
                println!("{}: {error}", $name);
                std::process::exit(1);
            }
            println!($name);
        )*};
    }
    steps! {
        "writes and their errors": writes,
        "patches": patches,
        "status": status,
        "lists in pages": lists,
        "a watcher through a restart": through_restart,
        "races for reservations": reservations,
        "apply and its conflicts": apply,
        "old versions": old_versions,
    }
    Ok(())
}
