// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
)

const bodyBytesMax = 3 << 20 // the server's limit, kBodyBytesMax

// refusals counts answers that are right though they are no success.
type refusals struct {
	tooMany, expired, tooLarge atomic.Int64
}

// allows says whether a request may be answered so.
func (f *refusals) allows(status int, what call) bool {
	switch {
	case status == http.StatusTooManyRequests:
		f.tooMany.Add(1)
		return true
	case status == http.StatusGone && (what.owed != nil || strings.Contains(what.path, "continue=")):
		f.expired.Add(1) // compaction has passed the page, or the begin of the watch
		return true
	}
	return false
}

// count counts the answers to bodies past the limit; only calls that want a 413 may get one.
func (f *refusals) count(status int) {
	if status == http.StatusRequestEntityTooLarge {
		f.tooLarge.Add(1)
	}
}

// breaks says whether a connection may break like this: the server answers 413 before it has read
// the body, and a client that is still sending may find the connection closed.
func (f *refusals) breaks(what call, status int, err error) bool {
	if status != 0 || len(what.body) <= bodyBytesMax || !isConnectionLoss(err) {
		return false
	}
	f.tooLarge.Add(1)
	return true
}

func isConnectionLoss(err error) bool {
	for _, words := range []string{"connection reset", "broken pipe", "EOF"} {
		if strings.Contains(err.Error(), words) {
			return true
		}
	}
	return false
}

func (f *refusals) String() string {
	return fmt.Sprintf("429 %d, 410 %d, 413 %d", f.tooMany.Load(), f.expired.Load(), f.tooLarge.Load())
}
