// SPDX-License-Identifier: Apache-2.0

package main

import "sync"

// budget bounds how many objects all lists under way carry together: sixty lists of 50 000 objects at
// once would measure the memory of the machine.
type budget struct {
	mutex sync.Mutex
	freed *sync.Cond
	left  int
}

func newBudget(size int) *budget {
	b := &budget{left: size}
	b.freed = sync.NewCond(&b.mutex)
	return b
}

// take waits until there is room and returns how to give it back.
func (b *budget) take(amount int) (giveBack func()) {
	b.mutex.Lock()
	defer b.mutex.Unlock()
	for b.left < amount {
		b.freed.Wait()
	}
	b.left -= amount
	return func() {
		b.mutex.Lock()
		defer b.mutex.Unlock()
		b.left += amount
		b.freed.Broadcast()
	}
}
