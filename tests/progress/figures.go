// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"sync"
	"time"
)

// figures are what the last line says. They judge nothing.
type figures struct {
	mutex                      sync.Mutex
	requests, watches, stalled int
	bytes                      int64
	slowest                    time.Duration
	slowestIs                  string
}

// add counts a request that has ended. One whose client pauses, or waits for events, is never the slowest.
func (f *figures) add(t *transfer, isLong bool) {
	took := time.Since(t.begun)
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.requests++
	f.bytes += t.received.Load()
	if t.owed != nil {
		f.watches++
	}
	if !isLong && took > f.slowest {
		f.slowest, f.slowestIs = took, t.what
	}
}

func (f *figures) print(seed uint64, refused *refusals) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if f.slowestIs != "" {
		fmt.Println("slowest:", f.slowestIs)
	}
	fmt.Printf("seed %d: %d requests, %.1f MB, %d watches, slowest request %.3f s, %d stalls (refused by rule: %v)\n",
		seed, f.requests, float64(f.bytes)/1e6, f.watches, f.slowest.Seconds(), f.stalled, refused)
}
