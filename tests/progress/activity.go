// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// activity is the state of the threads of one process.
type activity struct {
	threads map[string]time.Duration // CPU time used, plus time spent waiting for a CPU
	blocked bool                     // a thread waits for the disk
}

// readActivity reads /proc. The second number of schedstat is what makes the judgement independent of
// load: a thread that is ready and gets no CPU shows there.
func readActivity(pid int) (activity, error) {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if len(tasks) == 0 {
		return activity{}, fmt.Errorf("process %d has ended", pid)
	}
	now := activity{threads: make(map[string]time.Duration, len(tasks))}
	for _, task := range tasks {
		times, err := os.ReadFile(task + "/schedstat")
		if err != nil {
			continue // the thread has ended
		}
		var ran, waited int64
		fmt.Sscan(string(times), &ran, &waited)
		now.threads[task] = time.Duration(ran + waited)
		stat, _ := os.ReadFile(task + "/stat")
		if _, rest, found := strings.Cut(string(stat), ") "); found && strings.HasPrefix(rest, "D") {
			now.blocked = true
		}
	}
	return now, nil
}

// since returns the time that the process used or wanted since the earlier reading.
func (a activity) since(before activity) time.Duration {
	var sum time.Duration
	for task, total := range a.threads {
		sum += total - before.threads[task]
	}
	return sum
}

// processes are the children of this program: curl and Python.
type processes struct {
	mutex sync.Mutex
	pids  map[int]bool
}

func (p *processes) add(pid int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.pids[pid] = true
}

func (p *processes) remove(pid int) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	delete(p.pids, pid)
}

func (p *processes) list() []int {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	pids := []int{os.Getpid()}
	for pid := range p.pids {
		pids = append(pids, pid)
	}
	return pids
}

// machine says whether the server and its clients are idle. Other programs do not count.
type machine struct {
	server  int
	clients *processes
	last    map[int]activity
}

// A process that used or wanted less of a CPU than this is idle. The clients include the judge.
const (
	idleServer  = judgeInterval / 10
	idleClients = judgeInterval / 3
)

// look compares with the last call. It fails when the server has ended.
func (m *machine) look() (idle bool, serverTime time.Duration, err error) {
	now := map[int]activity{}
	if now[m.server], err = readActivity(m.server); err != nil {
		return false, 0, err
	}
	serverTime = now[m.server].since(m.last[m.server])
	idle = serverTime < idleServer && !now[m.server].blocked
	var clientTime time.Duration
	for _, pid := range m.clients.list() {
		client, err := readActivity(pid)
		if err != nil {
			continue // a child that has just ended
		}
		now[pid] = client
		clientTime += client.since(m.last[pid])
		idle = idle && !client.blocked
	}
	m.last = now
	return idle && clientTime < idleClients, serverTime, nil
}
