// SPDX-License-Identifier: Apache-2.0

// How long envtest's Environment.Start takes with the programs in KUBEBUILDER_ASSETS, several times:
// each time in milliseconds, and the median.
package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/envtest"
)

func main() {
	rounds := 5
	if len(os.Args) > 1 {
		asked, err := strconv.Atoi(os.Args[1])
		if err != nil || asked < 1 {
			fmt.Fprintln(os.Stderr, "usage: begin [ROUNDS]")
			os.Exit(2)
		}
		rounds = asked
	}
	var took []int64
	for range rounds {
		environment := &envtest.Environment{}
		began := time.Now()
		_, err := environment.Start()
		took = append(took, time.Since(began).Milliseconds())
		if err == nil {
			err = environment.Stop()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	slices.Sort(took)
	fmt.Printf("Environment.Start, ms: %v, median %d\n", took, took[len(took)/2])
}
