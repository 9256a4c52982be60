// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
)

// bursts are events of one namespace. After each burst an object is created whose name the watchers
// know; when that create is answered, every watch owes the event of it.
type bursts struct {
	path      string
	total     int
	announced atomic.Int64
}

// watchBytesMax bounds what the events of a round weigh, over all watches.
const watchBytesMax = 100 << 20

func lastOf(burst int) string { return fmt.Sprintf("last-of-%03d-end", burst) }

// seen follows one watch through its text.
type seen struct {
	bursts atomic.Int64
	tail   []byte
}

// take looks for the ends of bursts, one after the other.
func (s *seen) take(text []byte) {
	text = append(s.tail, text...)
	for {
		mark := []byte(lastOf(int(s.bursts.Load())))
		at := bytes.Index(text, mark)
		if at < 0 {
			s.tail = append([]byte{}, text[max(0, len(text)-len(mark)+1):]...)
			return
		}
		s.bursts.Add(1)
		text = text[at+len(mark):]
	}
}

// watch opens watches on the connections of a round, then writes bursts, and ends when each watch
// has seen them.
func (r *run) watch(rng *rand.Rand, number, watchers int, connections []*connection) {
	space := fmt.Sprintf("bursts-%d", number)
	r.createNamespace(space)
	b := &bursts{path: "/api/v1/namespaces/" + space + "/configmaps", total: 2 + rng.IntN(3)}
	var group sync.WaitGroup
	opened := make(chan bool, watchers)
	for range watchers {
		own := rand.New(rand.NewPCG(rng.Uint64(), 0))
		group.Add(1)
		go func() {
			defer group.Done()
			r.follow(own, b, connections[own.IntN(len(connections))], opened)
		}()
	}
	for range watchers {
		<-opened
	}
	for burst := range b.total {
		r.write(rng, b, burst, watchers)
		b.announced.Add(1)
	}
	group.Wait()
	r.send(r.setUp[0], call{method: http.MethodDelete, path: b.path, form: forms[0]})
}

// write makes one burst: a few large events, or many small ones; the last burst begins with the
// deletion of all that was written.
func (r *run) write(rng *rand.Rand, b *bursts, burst, watchers int) {
	if burst == b.total-1 {
		r.send(r.setUp[0], call{method: http.MethodDelete, path: b.path, form: forms[0]})
	}
	size := []int{100, 2_000, 50_000}[rng.IntN(3)]
	objects := []int{1, 20, 200}[rng.IntN(3)]
	objects = max(1, min(objects, watchBytesMax/b.total/watchers/size))
	var creates []call
	for number := range objects {
		creates = append(creates, create(b.path, configMap(fmt.Sprintf("burst-%d-%d", burst, number), size)))
	}
	r.sendAll(creates)
	r.send(r.setUp[0], create(b.path, configMap(lastOf(burst), 1)))
}

// follow is one watcher.
func (r *run) follow(rng *rand.Rand, b *bursts, c *connection, opened chan<- bool) {
	var progress seen
	var isOpen atomic.Bool
	open := func() {
		if !isOpen.Swap(true) {
			opened <- true
		}
	}
	defer open()
	what := call{method: http.MethodGet, path: b.path + "?watch=true&allowWatchBookmarks=true&resourceVersion=0",
		form: []form{forms[0], {"protobuf", "application/vnd.kubernetes.protobuf;stream=watch"}}[rng.IntN(2)]}
	what.owed = func() bool { return !isOpen.Load() || b.announced.Load() > progress.bursts.Load() }
	var expired counter
	expired.mark = []byte("Expired")
	what.stop = func(text []byte) bool {
		progress.take(text)
		expired.count(text)
		return progress.bursts.Load() == int64(b.total)
	}
	what.opened = open
	if isOne(rng, 10) {
		what.pace = sips(rng)
	}
	got := r.send(c, what)
	switch {
	case got.stopped:
	case expired.times > 0 || got.status != http.StatusOK: // it was too slow for the server's queue
		r.refusals.expired.Add(1)
	default:
		r.fail("%s: a watch of %s ended after %d of %d bursts", c.name, b.path, progress.bursts.Load(), b.total)
	}
}

// initial watches a namespace that does not change, until the bookmark that ends its initial events.
func (w *worker) initial() {
	if !w.connection.mayReset() {
		return
	}
	from := w.run.stored.choose(w.rng)
	end := counter{mark: []byte("k8s.io/initial-events-end")}
	defer w.run.lists.take(from.weight)()
	what := call{method: http.MethodGet, form: forms[0], mark: objectMark, marksMin: from.objects,
		path: from.path + "?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion="}
	what.owed = func() bool { return true }
	what.stop = func(text []byte) bool {
		end.count(text)
		return end.times > 0
	}
	if isOne(w.rng, 4) {
		what.pace = sips(w.rng)
	}
	if got := w.run.send(w.connection, what); !got.stopped && got.status == http.StatusOK {
		w.run.fail("%s: %s ended without the end of its initial events", w.connection.name, what.path)
	}
}
