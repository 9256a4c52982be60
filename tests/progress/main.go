// SPDX-License-Identifier: Apache-2.0

// Progress asks a server for big answers, with real clients, and fails when a request stands still:
// no byte for five seconds while nothing else is at work. README.md says what is asked and how it is judged.
package main

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// run is one execution of the test.
type run struct {
	seed     uint64
	objects  int
	server   *server
	python   string // client.py
	clients  *processes
	judge    *judge
	setUp    []*connection // what populates and writes bursts
	stored   *population
	lists    *budget
	refusals refusals
	figures  figures
	ending   sync.Once
}

func main() {
	address := flag.String("server", "", "HOST:PORT")
	pid := flag.Int("pid", 0, "process of the server")
	token := flag.String("token", "", "bearer token, for plain HTTP")
	folder := flag.String("credentials", ".", "folder of certificate-authority.pem and client.pem")
	python := flag.String("python", "client.py", "the client in Python")
	seconds := flag.Int("seconds", 20, "how long requests are made, after the objects are stored")
	objects := flag.Int("objects", 5000, "how many are stored")
	seed := flag.Uint64("seed", rand.Uint64()>>40, "what the mix of requests comes from")
	flag.Parse()
	r := &run{seed: *seed, objects: *objects, python: *python, clients: &processes{pids: map[int]bool{}}, judge: newJudge(),
		lists: newBudget(max(listedMax, *objects))}
	var err error
	if r.server, err = findServer(*address, *pid, *token, *folder); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Printf("seed %d, %d s, %d objects\n", r.seed, *seconds, *objects)
	go r.stopAtSignal()
	done := make(chan struct{})
	go func() {
		r.makeRequests(time.Duration(*seconds) * time.Second)
		close(done)
	}()
	r.finish(r.judge.watch(&machine{server: *pid, clients: r.clients}, done))
}

// makeRequests stores the objects and plays rounds until the time is over.
func (r *run) makeRequests(length time.Duration) {
	rng := rand.New(rand.NewPCG(r.seed, 0))
	for number := range 4 {
		r.setUp = append(r.setUp, dial(rng, r.server, 1000+number))
	}
	begun := time.Now()
	r.stored = r.populate(r.objects)
	fmt.Printf("%d objects stored in %.1f s\n", r.objects, time.Since(begun).Seconds())
	end := time.Now().Add(length)
	for number := 0; time.Now().Before(end); number++ {
		r.play(chooseRound(rng, number), rng)
	}
}

const (
	listedMax  = 20_000 // objects in all lists under way
	printedMax = 20
)

// finish prints what stands still, or the figures alone, and ends the program.
func (r *run) finish(stalled []*transfer, err error) {
	switch {
	case err != nil:
		r.fail("%v", err)
	case stalled == nil:
		r.exit(0)
	}
	r.figures.stalled = len(stalled)
	for _, t := range stalled[:min(len(stalled), printedMax)] {
		fmt.Printf("STANDS STILL: %v\n", t)
	}
	fmt.Printf("%d requests stand still\n", len(stalled))
	fmt.Printf("seed %d, /metrics:\n%s", r.seed, r.server.metrics())
	r.exit(1)
}

// fail ends the program with an error. The first one wins.
func (r *run) fail(format string, arguments ...any) {
	r.exit(1, fmt.Sprintf("FAILED: "+format, arguments...))
}

// exit prints the figures and ends the children. It does not return.
func (r *run) exit(status int, words ...any) {
	r.ending.Do(func() {
		if len(words) > 0 {
			fmt.Println(words...)
		}
		r.figures.print(r.seed, &r.refusals)
		for _, pid := range r.clients.list() {
			if pid != os.Getpid() {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
		os.Exit(status)
	})
	select {} // another one is ending the program
}

func (r *run) stopAtSignal() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	r.fail("ended by %v", <-signals)
}
