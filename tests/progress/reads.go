// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
)

// form is a way to be answered.
type form struct {
	name, accept string
}

var forms = []form{
	{"JSON", jsonType},
	{"YAML", "application/yaml"},
	{"protobuf", "application/vnd.kubernetes.protobuf"},
	{"Table", "application/json;as=Table;g=meta.k8s.io;v=v1"},
	{"metadata", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
	{"metadata in protobuf", "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"},
}

// pagedForms are those in which the start of a list shows its continue token as text.
var pagedForms = forms[:2]

// bigForms are those in which a thousand objects take a megabyte.
var bigForms = []form{forms[0], forms[1], forms[3]}

func chooseForm(rng *rand.Rand) form { return forms[rng.IntN(len(forms))] }

func isOne(rng *rand.Rand, of int) bool { return rng.IntN(of) == 0 }

func (w *worker) list() {
	from := w.run.stored.choose(w.rng)
	what := call{method: http.MethodGet, path: from.path, form: chooseForm(w.rng), isGzip: isOne(w.rng, 3),
		mark: objectMark, marksMin: from.objects}
	switch {
	case isOne(w.rng, 12):
		what.pace = sips(w.rng)
	case isOne(w.rng, 40) && w.connection.mayReset():
		what.abandonAfter = 1 + w.rng.Int64N(1<<20)
	}
	defer w.run.lists.take(from.weight)()
	w.run.send(w.connection, what)
}

// relist lists the same collections again and again over one connection of its own, as an informer does
// that has lost its watch. Nothing else wakes this connection when a wake-up is missed.
func (r *run) relist(rng *rand.Rand, o *round) {
	c := dialUsual(r.server)
	defer c.close()
	for !o.isOver() {
		from := r.stored.listed(rng)
		giveBack := r.lists.take(from.weight)
		r.send(c, call{method: http.MethodGet, path: from.path, form: bigForms[rng.IntN(len(bigForms))],
			mark: objectMark, marksMin: from.objects})
		giveBack()
	}
}

// stop reads a big list, but not for a while; meanwhile the round goes on.
func (w *worker) stop() {
	from := w.run.stored.collections[len(w.run.stored.collections)-1]
	defer w.run.lists.take(from.weight)()
	w.run.send(w.connection, call{method: http.MethodGet, path: from.path, form: chooseForm(w.rng), pace: stops(w.rng),
		mark: objectMark, marksMin: from.objects})
}

var continueToken = regexp.MustCompile(`"?continue"?: ?"?([\w=+/-]+)`)

func (w *worker) pages() {
	from := w.run.stored.chooseSettled(w.rng)
	limit := 1 + w.rng.IntN(500) + from.objects/10
	defer w.run.lists.take(min(limit, from.weight))()
	for left, token := from.objects, ""; left > 0; left -= limit {
		what := call{method: http.MethodGet, form: pagedForms[w.rng.IntN(len(pagedForms))], isGzip: isOne(w.rng, 3),
			path: fmt.Sprintf("%s?limit=%d&continue=%s", from.path, limit, url.QueryEscape(token)),
			mark: objectMark, marksMin: min(limit, left)}
		page := w.run.send(w.connection, what)
		if page.status != http.StatusOK {
			return // refused by rule
		}
		found := continueToken.FindSubmatch(page.start)
		if hasMore := left > limit; hasMore != (found != nil) {
			w.run.fail("%s: %s\n  %d objects are left after this page, its token: %q", w.connection.name, what.path, left-limit, found)
		}
		if found != nil {
			token = string(found[1])
		}
	}
}

func (w *worker) get() {
	from := w.run.stored.chooseSettled(w.rng)
	w.run.send(w.connection, call{method: http.MethodGet, path: fmt.Sprintf("%s/%s%05d", from.path, objectMark, w.rng.IntN(from.objects)),
		form: forms[w.rng.IntN(3)], isGzip: isOne(w.rng, 3), mark: objectMark, marksMin: 1})
}
