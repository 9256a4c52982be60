// SPDX-License-Identifier: Apache-2.0

package main

import (
	"sync"
	"time"
)

const (
	judgeInterval = 100 * time.Millisecond
	patience      = 5 * time.Second
	spinningMax   = 60 * time.Second // of the server's CPU time, while no transfer moves
)

// judge finds requests that wait for ever. No rule of it depends on speed.
//
// A transfer that wants bytes and gets none for `patience` is suspect. While there are suspects no new
// request begins, so that the others end and nothing else is at work. A suspect stands still once
// server and clients were idle for `patience` since its last byte. Time in which one of them computes,
// waits for a CPU or waits for the disk does not count, nor does time in which the judge itself was late.
type judge struct {
	mutex     sync.Mutex
	reopened  *sync.Cond
	closed    bool
	transfers map[*transfer]bool
}

func newJudge() *judge {
	j := &judge{transfers: map[*transfer]bool{}}
	j.reopened = sync.NewCond(&j.mutex)
	return j
}

// begin waits until no transfer is suspect, and then adds one.
func (j *judge) begin(what string, l *link, owed func() bool) *transfer {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	for j.closed {
		j.reopened.Wait()
	}
	t := &transfer{what: what, link: l, owed: owed, begun: time.Now()}
	j.transfers[t] = true
	return t
}

func (j *judge) end(t *transfer) {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	delete(j.transfers, t)
}

// observe takes in what happened in the last `elapsed` and returns the transfers that stand still.
func (j *judge) observe(elapsed time.Duration, idle bool, serverTime time.Duration) []*transfer {
	j.mutex.Lock()
	defer j.mutex.Unlock()
	var silent, stalled []*transfer
	anyMoved := false
	for t := range j.transfers {
		moves := t.moves.Load()
		if moved := moves != t.seen; moved || !t.wants() {
			anyMoved = anyMoved || moved
			t.seen, t.silent, t.idle, t.serverTime = moves, 0, 0, 0
			continue
		}
		t.silent += elapsed
		silent = append(silent, t)
	}
	closed := false
	for _, t := range silent {
		if idle {
			t.idle += min(elapsed, judgeInterval)
		}
		if !anyMoved {
			t.serverTime += serverTime
		}
		closed = closed || t.silent >= patience
		if t.idle >= patience || t.serverTime >= spinningMax {
			stalled = append(stalled, t)
		}
	}
	if j.closed && !closed {
		j.reopened.Broadcast()
	}
	j.closed = closed
	return stalled
}

// watch observes until something stands still, the server ends, or `done` is closed.
func (j *judge) watch(m *machine, done <-chan struct{}) ([]*transfer, error) {
	ticker := time.NewTicker(judgeInterval)
	defer ticker.Stop()
	last := time.Now()
	for {
		select {
		case <-done:
			return nil, nil
		case <-ticker.C:
		}
		idle, serverTime, err := m.look()
		if err != nil {
			return nil, err
		}
		elapsed := time.Since(last)
		last = last.Add(elapsed)
		onTime := elapsed < 2*judgeInterval
		if stalled := j.observe(elapsed, idle && onTime, serverTime); stalled != nil {
			return stalled, nil
		}
	}
}
