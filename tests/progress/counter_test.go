// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

func TestMarksAreCountedAcrossPieces(t *testing.T) {
	const text = "a-mark, a-mark, a-mar k a-marka-mark"
	for size := 1; size <= len(text); size++ {
		found := counter{mark: []byte("a-mark")}
		for rest := text; rest != ""; {
			piece := min(size, len(rest))
			found.count([]byte(rest[:piece]))
			rest = rest[piece:]
		}
		if found.times != 4 {
			t.Errorf("pieces of %d bytes: %d marks, want 4", size, found.times)
		}
	}
}
