// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

const (
	streamsMax  = 64
	requestsMax = 128 // at once, over all connections of a round
)

// round is a few seconds with the same clients; the next one has others.
type round struct {
	number, connections, streams, curls, pythons, watchers int
	length                                                 time.Duration
	hasStop                                                bool // a reader that does not read for a while
	end                                                    time.Time
	stops                                                  atomic.Int32 // such readers under way
	chances                                                int          // of all kinds of requests; what is past the others is lists
}

// chooseRound takes turns: every second round has few streams. A wake-up that is missed shows only
// there, because with many streams the next request of another one wakes the connection again.
func chooseRound(rng *rand.Rand, number int) *round {
	o := &round{
		number:      number,
		connections: 1 + rng.IntN(4),
		streams:     1 + rng.IntN(2),
		length:      time.Duration(1000+rng.IntN(2000)) * time.Millisecond,
		hasStop:     number%4 == 2,
		chances:     180,
	}
	if number%2 == 1 {
		o.chances = 100
		o.connections = []int{1, 1, 2, 4, 8, 16, 32, 64}[rng.IntN(8)]
		o.streams = []int{2, 8, 16, 32, streamsMax}[rng.IntN(5)]
		o.curls, o.pythons = rng.IntN(3), rng.IntN(3)
		o.watchers = []int{0, 1, 8, 64, 300}[rng.IntN(5)]
	}
	return o
}

func (o *round) String() string {
	stop := ""
	if o.hasStop {
		stop = ", a reader that stops"
	}
	return fmt.Sprintf("round %d: %d connections with up to %d requests each, %d curl, %d Python, %d watches%s",
		o.number, o.connections, o.streams, o.curls, o.pythons, o.watchers, stop)
}

// isOver: a reader that has stopped needs others beside it, so the round lasts as long.
func (o *round) isOver() bool { return o.stops.Load() == 0 && !time.Now().Before(o.end) }

// worker makes one request after the other over one connection.
type worker struct {
	run        *run
	number     int
	rng        *rand.Rand
	connection *connection
}

func (w *worker) work(o *round) {
	for !o.isOver() {
		switch at := w.rng.IntN(o.chances); {
		case at >= 55:
			w.list()
		case at < 5:
			w.initial()
		case at < 8:
			w.writeTooMuch()
		case at < 15:
			w.write()
		case at < 30:
			w.pages()
		default:
			w.get()
		}
	}
}

// play runs a round and returns when its last request has ended.
func (r *run) play(o *round, rng *rand.Rand) {
	fmt.Println(o)
	connections := make([]*connection, o.connections)
	for at := range connections {
		connections[at] = dial(rng, r.server, at)
		defer connections[at].close()
	}
	var group sync.WaitGroup
	start := func(task func(own *rand.Rand)) {
		own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
		group.Add(1)
		go func() {
			defer group.Done()
			task(own)
		}()
	}
	o.end = time.Now().Add(o.length)
	if o.hasStop {
		o.stops.Add(1)
		start(func(own *rand.Rand) {
			(&worker{r, 0, own, connections[0]}).stop()
			o.stops.Add(-1)
		})
	}
	for at := range o.connections * max(1, min(o.streams, requestsMax/o.connections)) {
		start(func(own *rand.Rand) { (&worker{r, at, own, connections[at%o.connections]}).work(o) })
	}
	start(func(own *rand.Rand) { r.relist(own, o) })
	for range o.curls {
		start(func(own *rand.Rand) { r.runCurls(own, o) })
	}
	for range o.pythons {
		start(func(own *rand.Rand) { r.runPython(own, o) })
	}
	if o.watchers > 0 {
		start(func(own *rand.Rand) { r.watch(own, o.number, o.watchers, connections) })
	}
	group.Wait()
}
