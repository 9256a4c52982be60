// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sync/atomic"
	"time"
)

// stage says how far a request has come.
type stage int32

const (
	connecting stage = iota
	sending
	waiting
	reading
)

func (s stage) String() string {
	return [...]string{"connecting", "sending", "sent, no answer", "answer begun"}[s]
}

// transfer is one request under way, or one process of a client that makes several.
type transfer struct {
	what  string // client, protocol, request
	begun time.Time
	link  *link       // nil: a process of its own
	owed  func() bool // nil: the client always waits for bytes

	stage    atomic.Int32
	received atomic.Int64
	moves    atomic.Int64 // every change of stage, every byte sent or received
	pauses   atomic.Int32 // above zero: the client does not read, by design

	// Only the judge uses these: what happened since the last move.
	seen       int64
	silent     time.Duration
	idle       time.Duration // the part of it in which server and clients were idle
	serverTime time.Duration // CPU time of the server while no transfer at all moved
}

// link is a connection of a Go client.
type link struct {
	// Its window is small and belongs to all its streams: one that is not read holds up the others,
	// so they are excused while it pauses.
	sharedWindow bool
	pauses       atomic.Int32
}

func (t *transfer) enter(s stage) {
	t.stage.Store(int32(s))
	t.moves.Add(1)
}

func (t *transfer) receive(bytes int) {
	if bytes > 0 {
		t.received.Add(int64(bytes))
		t.moves.Add(1)
	}
}

func (t *transfer) setPausing(pausing bool) {
	change := int32(1)
	if !pausing {
		change = -1
	}
	t.pauses.Add(change)
	if t.link != nil {
		t.link.pauses.Add(change)
	}
}

// wants tells whether the client waits for bytes that the server owes it.
func (t *transfer) wants() bool {
	if t.pauses.Load() > 0 || t.owed != nil && !t.owed() {
		return false
	}
	return t.link == nil || !t.link.sharedWindow || t.link.pauses.Load() == 0
}

func (t *transfer) String() string {
	return fmt.Sprintf("%s: %v, %d bytes received in %.1f s; no byte for %.1f s, server and clients idle for %.1f s of them",
		t.what, stage(t.stage.Load()), t.received.Load(), time.Since(t.begun).Seconds(), t.silent.Seconds(), t.idle.Seconds())
}
