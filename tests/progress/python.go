// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
)

// pythonRequest is a line that client.py reads.
type pythonRequest struct {
	Method       string  `json:"method"`
	Path         string  `json:"path"`
	Accept       string  `json:"accept"`
	Gzip         bool    `json:"gzip"`
	Body         string  `json:"body"`
	BodyBytes    int     `json:"bodyBytes"` // filled up with blanks
	PieceBytes   int     `json:"pieceBytes"`
	PauseSeconds float64 `json:"pauseSeconds"`
	PausesMax    int     `json:"pausesMax"`
}

// python is one process with one connection (http.client, ssl).
type python struct {
	run     *run
	command *exec.Cmd
	input   *json.Encoder
	output  *bufio.Scanner
	name    string
}

// runPython starts client.py and gives it one request after the other.
func (r *run) runPython(rng *rand.Rand, o *round) {
	isPlain := isOne(rng, 4)
	p := &python{run: r, name: "Python, HTTP/1.1 over TLS"}
	arguments := []string{r.python, r.server.address, r.server.ca, r.server.pem}
	if isPlain {
		p.name, arguments = "Python, HTTP/1.1 plain", []string{r.python, r.server.address, r.server.token}
	}
	p.command = exec.Command("python3", arguments...)
	input, err := p.command.StdinPipe()
	if err != nil {
		r.fail("%v", err)
	}
	output, err := p.command.StdoutPipe()
	if err == nil {
		err = r.start(p.command)
	}
	if err != nil {
		r.fail("%s: %v", p.name, err)
	}
	p.input, p.output = json.NewEncoder(input), bufio.NewScanner(output)
	for !o.isOver() {
		p.request(rng)
	}
	input.Close() // at which it ends
	if err := r.wait(p.command); err != nil {
		r.fail("%s: %v", p.name, err)
	}
}

func (p *python) request(rng *rand.Rand) {
	if isOne(rng, 4) {
		p.upload(rng)
		return
	}
	from := p.run.stored.choose(rng)
	wanted := chooseForm(rng)
	defer p.run.lists.take(from.weight)()
	request := pythonRequest{Method: http.MethodGet, Path: from.path, Accept: wanted.accept, Gzip: isOne(rng, 3)}
	if isOne(rng, 4) {
		slow := sips(rng)
		request.PieceBytes, request.PauseSeconds, request.PausesMax = slow.piece, slow.pause.Seconds(), slow.pausesMax
	}
	p.ask(request, http.StatusOK)
}

func (p *python) upload(rng *rand.Rand) {
	what := create("/api/v1/namespaces/default/configmaps?dryRun=All", configMap("from-python", 500_000))
	p.ask(pythonRequest{Method: http.MethodPost, Path: what.path, Accept: jsonType, Body: string(what.body),
		BodyBytes: bodyBytesMax - rng.IntN(100)}, http.StatusCreated)
}

// ask follows one request by the lines that client.py prints about it.
func (p *python) ask(request pythonRequest, want int) {
	t := p.run.judge.begin(fmt.Sprintf("%s: %s %s (%s)", p.name, request.Method, request.Path, request.Accept), nil, nil)
	defer p.run.judge.end(t)
	if err := p.input.Encode(request); err != nil {
		p.run.fail("%v\n  %v", t, err)
	}
	for p.output.Scan() {
		word, value, _ := strings.Cut(p.output.Text(), " ")
		switch word {
		case "sent":
			t.enter(waiting)
		case "head":
			t.enter(reading)
		case "bytes":
			size, _ := strconv.Atoi(value)
			t.receive(size)
		case "pause", "resume":
			t.setPausing(word == "pause")
		case "end":
			code, _ := strconv.Atoi(value)
			if !slices.Contains([]int{want, http.StatusTooManyRequests}, code) {
				p.run.fail("%v\n  answered %d, want %d", t, code, want)
			}
			p.run.figures.add(t, request.PausesMax > 0)
			return
		default:
			p.run.fail("%v\n  %s", t, p.output.Text())
		}
	}
	p.run.fail("%v\n  the process has ended", t)
}
