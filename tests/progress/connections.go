// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync/atomic"
)

// connection is one client of net/http: over HTTP/2 one connection with many streams, over HTTP/1.1
// as many connections as it has requests at once.
type connection struct {
	link
	name   string
	base   string // URL without a path
	token  string // of plain HTTP; with TLS the certificate says who asks
	client *http.Client
	resets atomic.Int32
}

// resetsMax is what one connection calls off: below the server's limit on streams that end early.
const resetsMax = 300

func (c *connection) mayReset() bool { return c.resets.Add(1) <= resetsMax }

func (c *connection) close() { c.client.CloseIdleConnections() }

// dialUsual returns what most programs have: HTTP/2 over TLS with the defaults of net/http.
func dialUsual(server *server) *connection {
	transport := &http.Transport{DisableCompression: true, ForceAttemptHTTP2: true, TLSClientConfig: server.tls.Clone()}
	return &connection{name: "Go, HTTP/2 over TLS, one list at a time", base: "https://" + server.address,
		client: &http.Client{Transport: transport}}
}

// dial returns a random client: protocol, TLS, sizes of windows, of the socket's buffer and of frames
// decide in which pieces and bursts bytes and window updates travel.
func dial(rng *rand.Rand, server *server, number int) *connection {
	c := &connection{}
	transport := &http.Transport{DisableCompression: true, Protocols: &http.Protocols{}}
	isPlain, isHTTP2 := rng.IntN(6) == 0, rng.IntN(4) != 0
	c.base, c.name = "https://"+server.address, "over TLS"
	if isPlain {
		c.base, c.name, c.token = "http://"+server.address, "plain", server.token
	} else {
		transport.TLSClientConfig = server.tls.Clone()
		if rng.IntN(5) == 0 {
			transport.TLSClientConfig.MaxVersion = tls.VersionTLS12
			c.name = "over TLS 1.2"
		}
	}
	if isHTTP2 {
		c.name = "HTTP/2 " + c.name
		transport.Protocols.SetHTTP2(!isPlain)
		transport.Protocols.SetUnencryptedHTTP2(isPlain)
		chooseWindows(rng, c, transport)
	} else {
		c.name = "HTTP/1.1 " + c.name
		transport.Protocols.SetHTTP1(true)
		transport.MaxIdleConnsPerHost = streamsMax
		if rng.IntN(4) == 0 {
			transport.DisableKeepAlives = true
			c.name += ", a connection for each request"
		}
	}
	c.name = fmt.Sprintf("Go %d, %s", number, c.name)
	c.client = &http.Client{Transport: transport}
	return c
}

func chooseWindows(rng *rand.Rand, c *connection, transport *http.Transport) {
	switch rng.IntN(4) {
	case 0: // small windows: an update for every few frames
		transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10, MaxReceiveBufferPerConnection: 128 << 10}
		c.sharedWindow = true
		c.name += ", small windows"
	case 1: // a small window of each stream alone
		transport.HTTP2 = &http.HTTP2Config{MaxReceiveBufferPerStream: 64 << 10}
		c.name += ", small windows of streams"
	case 2:
		transport.HTTP2 = &http.HTTP2Config{MaxReadFrameSize: 1 << 20}
	}
}
