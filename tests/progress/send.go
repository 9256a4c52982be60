// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"slices"
	"time"
)

// call is one request of a Go client and what is expected of its answer.
type call struct {
	method, path string
	form         form
	isGzip       bool // asked for
	body         []byte
	lengthless   bool // the body is sent without its length
	contentType  string
	want         []int // codes; none: 200
	mark         string
	marksMin     int // how often `mark` stands in the answer at least
	pace         pace
	abandonAfter int64       // bytes; 0: the answer is read to its end
	owed         func() bool // of a watch
	opened       func()      // called when the answer begins
	stop         func(text []byte) bool
}

// reply is what came.
type reply struct {
	status  int
	start   []byte // of the body
	stopped bool   // by call.stop, not ended by the server
}

var errAbandoned = errors.New("abandoned")

const startBytesMax = 8 << 10

// send makes one request and judges its answer. A failure ends the program; what comes back is
// a success, or one of the refusals that the rules of refusals allow.
func (r *run) send(c *connection, what call) reply {
	t := r.judge.begin(fmt.Sprintf("%s: %s %s (%s%s)", c.name, what.method, what.path, what.form.name, gzipNote(what.isGzip)), &c.link, what.owed)
	defer r.judge.end(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got, err := exchange(httptrace.WithClientTrace(ctx, stages(t)), c, t, what)
	switch {
	case errors.Is(err, errAbandoned):
	case err != nil && r.refusals.breaks(what, got.status, err):
	case err != nil:
		r.fail("%v\n  failed: %v", t, err)
	default:
		r.expect(t, what, got)
	}
	r.figures.add(t, what.pace.isSlow() || what.owed != nil)
	return got
}

func gzipNote(isGzip bool) string {
	if isGzip {
		return ", gzip"
	}
	return ""
}

// stages notes how far a request has come: a handshake or an upload that stands still is a stall, too.
func stages(t *transfer) *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:              func(httptrace.GotConnInfo) { t.enter(sending) },
		WroteRequest:         func(httptrace.WroteRequestInfo) { t.enter(waiting) },
		GotFirstResponseByte: func() { t.enter(reading) },
	}
}

func exchange(ctx context.Context, c *connection, t *transfer, what call) (reply, error) {
	var body io.Reader
	if what.body != nil {
		body = &countedBody{bytes.NewReader(what.body), t}
	}
	request, err := http.NewRequestWithContext(ctx, what.method, c.base+what.path, body)
	if err != nil {
		return reply{}, err
	}
	if what.body != nil {
		request.Header.Set("Content-Type", what.contentType)
		if !what.lengthless {
			request.ContentLength = int64(len(what.body))
		}
	}
	request.Header.Set("Accept", what.form.accept)
	if what.isGzip {
		request.Header.Set("Accept-Encoding", "gzip")
	}
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	answer, err := c.client.Do(request)
	if err != nil {
		return reply{}, err
	}
	defer answer.Body.Close()
	if what.opened != nil {
		what.opened()
	}
	got := reply{status: answer.StatusCode}
	wire := io.Reader(&wire{body: answer.Body, transfer: t, pace: what.pace, left: what.abandonAfter})
	if answer.Header.Get("Content-Encoding") == "gzip" {
		if wire, err = gzip.NewReader(wire); err != nil {
			return got, err
		}
	}
	return got, readAnswer(wire, what, &got)
}

// readAnswer reads to the end, or until call.stop says that it is enough.
func readAnswer(wire io.Reader, what call, got *reply) error {
	found := counter{mark: []byte(what.mark)}
	buffer := make([]byte, 32<<10)
	for {
		size, err := wire.Read(buffer)
		text := buffer[:size]
		if left := startBytesMax - len(got.start); left > 0 {
			got.start = append(got.start, text[:min(left, size)]...)
		}
		found.count(text)
		if what.stop != nil && what.stop(text) {
			got.stopped = true
		} else if err == nil {
			continue
		} else if err != io.EOF {
			return err
		}
		if got.status == http.StatusOK && found.times < what.marksMin {
			return fmt.Errorf("%d of %d objects", found.times, what.marksMin)
		}
		return nil
	}
}

// expect fails unless the code is one of those wanted, or a refusal that the rules allow.
func (r *run) expect(t *transfer, what call, got reply) {
	want := what.want
	r.refusals.count(got.status)
	if want == nil {
		want = []int{http.StatusOK}
	}
	if !slices.Contains(want, got.status) && !r.refusals.allows(got.status, what) {
		r.fail("%v\n  answered %d, want %v: %.500s", t, got.status, want, got.start)
	}
}

// countedBody is a request's body that the transport reads as it sends it.
type countedBody struct {
	*bytes.Reader
	transfer *transfer
}

func (b *countedBody) Read(buffer []byte) (int, error) {
	size, err := b.Reader.Read(buffer)
	b.transfer.moves.Add(1)
	return size, err
}

// wire is an answer's body as it comes: counted, read at a client's pace, perhaps abandoned.
type wire struct {
	body     io.Reader
	transfer *transfer
	pace     pace
	left     int64 // until it is abandoned; 0: never
}

func (w *wire) Read(buffer []byte) (int, error) {
	if pause := w.pace.next(w.transfer.received.Load()); pause > 0 {
		w.transfer.setPausing(true)
		time.Sleep(pause)
		w.transfer.setPausing(false)
	}
	size, err := w.body.Read(buffer[:min(len(buffer), w.pace.pieceMax())])
	w.transfer.receive(size)
	if w.left > 0 {
		if w.left -= int64(size); w.left <= 0 {
			return size, errAbandoned
		}
	}
	return size, err
}

// counter counts a mark in a text that comes in pieces.
type counter struct {
	mark  []byte
	tail  []byte
	times int
}

func (c *counter) count(text []byte) {
	if len(c.mark) == 0 {
		return
	}
	edge := append(c.tail, text[:min(len(text), len(c.mark)-1)]...)
	c.times += bytes.Count(edge, c.mark) + bytes.Count(text, c.mark)
	if len(text) >= len(c.mark)-1 {
		edge = text
	}
	c.tail = append([]byte{}, edge[max(0, len(edge)-len(c.mark)+1):]...)
}
