// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
)

const (
	largeObjects  = 12
	largeBytesMax = 1_400_000 // an object's limit, kept below: what is stored has defaults, too
	jsonType      = "application/json"
	objectMark    = "object-"
	allMaps       = "/api/v1/configmaps" // of every namespace, the last of the collections
)

// collection is a place that is listed.
type collection struct {
	path    string
	objects int
	weight  int // in the budget
	chances int // how often it is chosen, beside the others
}

// population is what is stored before the first round, and does not change.
type population struct {
	collections []collection
	chances     int
	objects     int
}

func (p *population) add(c collection) {
	p.collections = append(p.collections, c)
	p.chances += c.chances
}

// choose takes a collection; small ones come often, so that big answers have small ones beside them.
func (p *population) choose(rng *rand.Rand) collection {
	at := rng.IntN(p.chances)
	for _, c := range p.collections {
		if at -= c.chances; at < 0 {
			return c
		}
	}
	panic("the chances do not add up")
}

// chooseSettled takes one in which nothing else is written.
func (p *population) chooseSettled(rng *rand.Rand) collection {
	for {
		if c := p.choose(rng); c.path != allMaps {
			return c
		}
	}
}

// listed takes one of the collections whose lists are about a megabyte and more.
func (p *population) listed(rng *rand.Rand) collection {
	for {
		if c := p.chooseSettled(rng); c.objects >= min(1000, p.objects/2) {
			return c
		}
	}
}

// populate stores config maps in namespaces of 1, 10, 100, … and the rest of `objects`, and a few
// objects of up to 1.4 MB. All are created through many streams of few connections, at once.
func (r *run) populate(objects int) *population {
	all := population{objects: objects}
	var creates []call
	left := objects
	for size, chances := 1, 6; left > 0; size, chances = size*10, max(1, chances-1) {
		if size*3 > left || size > 10_000 {
			size = left
		}
		space := fmt.Sprintf("maps-%d", size)
		r.createNamespace(space)
		path := "/api/v1/namespaces/" + space + "/configmaps"
		for number := range size {
			creates = append(creates, create(path, configMap(fmt.Sprintf("%s%05d", objectMark, number), 600)))
		}
		all.add(collection{path, size, size, chances})
		left -= size
	}
	r.createNamespace("large")
	const large = "/apis/apps/v1/namespaces/large/deployments"
	for number := range largeObjects {
		creates = append(creates, create(large, deployment(fmt.Sprintf("%s%05d", objectMark, number), largeBytesMax*(number+1)/largeObjects, 0)))
	}
	all.add(collection{large, largeObjects, objects / 8, 2})
	all.add(collection{allMaps, objects, objects, 1})
	r.sendAll(creates)
	return &all
}

func (r *run) createNamespace(name string) {
	r.send(r.setUp[0], create("/api/v1/namespaces", map[string]any{"metadata": map[string]any{"name": name}}))
}

// sendAll makes the calls over the connections that are there for it, sixteen at a time over each.
func (r *run) sendAll(calls []call) {
	var next atomic.Int64
	var group sync.WaitGroup
	for _, c := range r.setUp {
		for range 16 {
			group.Add(1)
			go func() {
				defer group.Done()
				for at := next.Add(1) - 1; at < int64(len(calls)); at = next.Add(1) - 1 {
					r.send(c, calls[at])
				}
			}()
		}
	}
	group.Wait()
}

func create(path string, object any) call {
	body, err := json.Marshal(object)
	if err != nil {
		panic(err)
	}
	return call{method: http.MethodPost, path: path, form: forms[0], body: body, contentType: jsonType, want: []int{http.StatusCreated}}
}

func configMap(name string, bytes int) any {
	return map[string]any{"metadata": map[string]any{"name": name}, "data": map[string]any{"a": strings.Repeat("x", bytes)}}
}

// deployment has a variable of so many bytes: of all that is served, the object without a limit of its own.
func deployment(name string, bytes, replicas int) any {
	labels := map[string]any{"app": name}
	container := map[string]any{"name": "c", "image": "i", "env": []any{map[string]any{"name": "LARGE", "value": strings.Repeat("y", bytes)}}}
	return map[string]any{
		"metadata": map[string]any{"name": name},
		"spec": map[string]any{"replicas": replicas, "selector": map[string]any{"matchLabels": labels},
			"template": map[string]any{"metadata": map[string]any{"labels": labels}, "spec": map[string]any{"containers": []any{container}}}}}
}
