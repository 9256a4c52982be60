// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"net/http"
)

// write creates an object of up to 1.4 MB, replaces it and deletes it. Its bodies are filled up with
// blanks, to the last byte that the server takes at times.
func (w *worker) write() {
	name := fmt.Sprintf("written-%d-%d", w.number, w.rng.Uint32())
	const path = "/apis/apps/v1/namespaces/default/deployments"
	size := w.rng.IntN(largeBytesMax)
	first := w.filled(create(path, deployment(name, size, 0)))
	if w.run.send(w.connection, first).status != http.StatusCreated {
		return // refused by rule
	}
	second := w.filled(create(path, deployment(name, size, 1)))
	second.method, second.path, second.want = http.MethodPut, path+"/"+name, nil
	w.run.send(w.connection, second)
	w.run.send(w.connection, call{method: http.MethodDelete, path: path + "/" + name, form: forms[0]})
}

// filled makes the body as long as the limit, or leaves it.
func (w *worker) filled(what call) call {
	what.form, what.isGzip, what.lengthless = forms[w.rng.IntN(3)], isOne(w.rng, 3), isOne(w.rng, 3)
	if isOne(w.rng, 2) {
		what.body = append(what.body, bytes.Repeat([]byte(" "), bodyBytesMax-len(what.body))...)
	}
	return what
}

// writeTooMuch sends a body one byte past the limit, or far past it.
func (w *worker) writeTooMuch() {
	what := create("/api/v1/namespaces/default/configmaps", configMap("too-large", 100))
	length := bodyBytesMax + 1
	if isOne(w.rng, 2) {
		length += w.rng.IntN(5 << 20)
	}
	what.body = append(what.body, bytes.Repeat([]byte(" "), length-len(what.body))...)
	what.lengthless = isOne(w.rng, 2)
	what.want = []int{http.StatusRequestEntityTooLarge}
	w.run.send(w.connection, what)
}
