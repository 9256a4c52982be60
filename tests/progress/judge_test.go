// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"
	"time"
)

// step is the same observation, several times in a row.
type step struct {
	times      int
	idle       bool
	moves      bool // the transfer gets a byte in each of them
	othersMove bool
	pausing    bool
	serverTime time.Duration
}

func TestWhatStandsStill(t *testing.T) {
	owesNothing := func() bool { return false }
	for name, test := range map[string]struct {
		steps   []step
		owed    func() bool
		stalled bool
	}{
		"no byte for five idle seconds":              {steps: []step{{times: 50, idle: true}}, stalled: true},
		"one tenth less":                             {steps: []step{{times: 49, idle: true}}},
		"a byte in between":                          {steps: []step{{times: 49, idle: true}, {times: 1, moves: true}, {times: 49, idle: true}}},
		"a busy machine, for an hour":                {steps: []step{{times: 36000}}},
		"busy time is left out, not what was before": {steps: []step{{times: 30, idle: true}, {times: 900}, {times: 20, idle: true}}, stalled: true},
		"a reader that pauses":                       {steps: []step{{times: 100, idle: true, pausing: true}}},
		"a watch without events":                     {steps: []step{{times: 100, idle: true}}, owed: owesNothing},
		"the server computes for ever":               {steps: []step{{times: 601, serverTime: judgeInterval}}, stalled: true},
		"the server computes for others":             {steps: []step{{times: 601, serverTime: judgeInterval, othersMove: true}}},
	} {
		j := newJudge()
		judged, other := j.begin(name, nil, test.owed), j.begin("other", nil, nil)
		var stalled []*transfer
		for _, s := range test.steps {
			for range s.times {
				if s.moves {
					judged.receive(1)
				}
				if s.othersMove {
					other.receive(1)
				}
				judged.pauses.Store(0)
				if s.pausing {
					judged.pauses.Store(1)
				}
				stalled = append(stalled, j.observe(judgeInterval, s.idle, s.serverTime)...)
				other.idle = 0
			}
		}
		if found := contains(stalled, judged); found != test.stalled {
			t.Errorf("%s: stalled %v, want %v", name, found, test.stalled)
		}
	}
}

func contains(list []*transfer, one *transfer) bool {
	for _, t := range list {
		if t == one {
			return true
		}
	}
	return false
}

func TestNothingBeginsWhileOneIsSuspect(t *testing.T) {
	j := newJudge()
	suspect := j.begin("suspect", nil, nil)
	for range 50 {
		j.observe(judgeInterval, false, 0)
	}
	begun := make(chan bool)
	go func() { j.begin("next", nil, nil); close(begun) }()
	if !j.closed {
		t.Fatal("a suspect, and requests may begin")
	}
	suspect.receive(1)
	j.observe(judgeInterval, false, 0)
	<-begun
}

func TestPausesOfASharedWindowExcuseItsConnection(t *testing.T) {
	for _, shared := range []bool{true, false} {
		l := &link{sharedWindow: shared}
		j := newJudge()
		pausing, peer := j.begin("pausing", l, nil), j.begin("peer", l, nil)
		pausing.setPausing(true)
		if peer.wants() == shared {
			t.Errorf("shared %v: the peer's wish counts: %v", shared, peer.wants())
		}
		pausing.setPausing(false)
		if !peer.wants() || !pausing.wants() {
			t.Errorf("shared %v: a pause that has ended still excuses", shared)
		}
	}
}
