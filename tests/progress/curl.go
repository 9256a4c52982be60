// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const h2cFlag = "--http2-prior-knowledge"

// runCurls starts one curl after the other.
func (r *run) runCurls(rng *rand.Rand, o *round) {
	for !o.isOver() {
		if isOne(rng, 4) {
			r.curlUpload(rng)
		} else {
			r.curlLists(rng)
		}
	}
}

// curlBase returns flags and a URL without a path, of a random protocol.
func (r *run) curlBase(rng *rand.Rand) (flags []string, base, name string) {
	flags = []string{"--silent", "--show-error", "--no-progress-meter", "--write-out", "%{stderr}code=%{http_code} "}
	if isOne(rng, 4) {
		flags = append(flags, "--header", "Authorization: Bearer "+r.server.token)
		if isOne(rng, 2) {
			return append(flags, h2cFlag), "http://" + r.server.address, "HTTP/2 plain"
		}
		return append(flags, "--http1.1"), "http://" + r.server.address, "HTTP/1.1 plain"
	}
	flags = append(flags, "--cacert", r.server.ca, "--cert", r.server.pem)
	if isOne(rng, 4) {
		return append(flags, "--http1.1"), "https://" + r.server.address, "HTTP/1.1 over TLS"
	}
	return append(flags, "--http2"), "https://" + r.server.address, "HTTP/2 over TLS"
}

// curlLists lets one curl list up to eight collections at a time.
func (r *run) curlLists(rng *rand.Rand) {
	flags, base, name := r.curlBase(rng)
	wanted := chooseForm(rng)
	flags = append(flags, "--parallel", "--header", "Accept: "+wanted.accept)
	if isOne(rng, 3) {
		flags = append(flags, "--header", "Accept-Encoding: gzip")
	}
	if isOne(rng, 6) {
		flags = append(flags, "--limit-rate", strconv.Itoa(1+rng.IntN(20))+"M")
	}
	var paths, codes []string
	weight := 0
	urls := 1 + rng.IntN(8)
	if slices.Contains(flags, h2cFlag) {
		urls = 1 // curl 7.88 fails when several share such a connection, with servers of net/http, too
	}
	for range urls {
		from := r.stored.choose(rng)
		if weight += from.weight; weight > r.objects && len(paths) > 0 {
			break
		}
		paths = append(paths, from.path)
		flags = append(flags, base+from.path)
		codes = append(codes, "200")
	}
	defer r.lists.take(min(weight, r.objects))()
	var slow pace
	if isOne(rng, 6) {
		slow = sips(rng)
	}
	r.curl(fmt.Sprintf("curl, %s: GET %s (%s)", name, strings.Join(paths, " "), wanted.name), flags, codes, slow)
}

// curlUpload sends a body around the server's limit. curl asks with "Expect: 100-continue" over HTTP/1.1.
func (r *run) curlUpload(rng *rand.Rand) {
	flags, base, name := r.curlBase(rng)
	const path = "/api/v1/namespaces/default/configmaps?dryRun=All"
	length, code := bodyBytesMax+1, "413"
	if isOne(rng, 2) {
		length, code = bodyBytesMax-rng.IntN(100), "201"
	}
	what := create(path, configMap("from-curl", 100_000))
	body, err := os.CreateTemp("", "body")
	if err != nil {
		r.fail("%v", err)
	}
	defer os.Remove(body.Name())
	defer body.Close()
	body.Write(append(what.body, bytes.Repeat([]byte(" "), length-len(what.body))...))
	flags = append(flags, "--header", "Content-Type: "+jsonType, "--data-binary", "@"+body.Name(), base+path)
	r.curl(fmt.Sprintf("curl, %s: POST %s, %d bytes", name, path, length), flags, []string{code}, pace{})
}

var curlCode = regexp.MustCompile(`code=(\d+) `)

// curl runs one curl and compares the codes that it prints.
func (r *run) curl(what string, flags, codes []string, slow pace) {
	t := r.judge.begin(what, nil, nil)
	defer r.judge.end(t)
	command := exec.Command("curl", flags...)
	var said bytes.Buffer
	command.Stderr = &said
	output, err := command.StdoutPipe()
	if err == nil {
		err = r.start(command)
	}
	if err != nil {
		r.fail("%s: %v", what, err)
	}
	t.enter(reading)
	_, err = io.Copy(io.Discard, &wire{body: output, transfer: t, pace: slow})
	if ended := r.wait(command); err == nil {
		err = ended
	}
	var got []string
	for _, found := range curlCode.FindAllStringSubmatch(said.String(), -1) {
		if found[1] == "429" {
			r.refusals.tooMany.Add(1)
			found[1] = codes[0]
		}
		got = append(got, found[1])
	}
	if err != nil || !slices.Equal(got, codes) {
		r.fail("%v\n  %v, printed %q, want %q; curl %s", t, err, said.String(), codes, strings.Join(flags, " "))
	}
	r.figures.add(t, slow.isSlow())
}

// start begins a child of this program that counts as a client, and that ends with it.
func (r *run) start(command *exec.Cmd) error {
	if err := command.Start(); err != nil {
		return err
	}
	r.clients.add(command.Process.Pid)
	return nil
}

func (r *run) wait(command *exec.Cmd) error {
	err := command.Wait()
	r.clients.remove(command.Process.Pid)
	return err
}
