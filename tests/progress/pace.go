// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand/v2"
	"time"
)

// pace is how a client reads: as fast as it can, in sips, or with one long stop.
type pace struct {
	piece     int // bytes read at a time; 0: any number
	pause     time.Duration
	pausesMax int
	after     int64 // bytes received before the first pause
}

const (
	pieceBytesMax = 256 << 10
	longStop      = patience + 2*time.Second // longer than what is allowed to be silent
)

func (p *pace) isSlow() bool { return p.pausesMax > 0 }

func (p *pace) pieceMax() int {
	if p.piece == 0 {
		return pieceBytesMax
	}
	return p.piece
}

// next returns how long the client pauses before it reads on.
func (p *pace) next(received int64) time.Duration {
	if p.pausesMax == 0 || received < p.after {
		return 0
	}
	p.pausesMax--
	return p.pause
}

// sips reads a little and pauses, for two seconds at most.
func sips(rng *rand.Rand) pace {
	return pace{piece: 512 << rng.IntN(8), pause: time.Duration(1+rng.IntN(50)) * time.Millisecond, pausesMax: 40}
}

// stops reads a little, stops for longer than anything else may stand still, and goes on.
func stops(rng *rand.Rand) pace {
	return pace{pause: longStop, pausesMax: 1, after: int64(rng.IntN(64 << 10))}
}
