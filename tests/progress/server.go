// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// server is the one under test, and what a client needs to speak with it.
type server struct {
	address string // host:port, of both plain HTTP and TLS
	pid     int
	token   string
	tls     *tls.Config
	ca, pem string // files for curl and Python: authority; certificate and key
}

func findServer(address string, pid int, token, folder string) (*server, error) {
	s := &server{address: address, pid: pid, token: token,
		ca: filepath.Join(folder, "certificate-authority.pem"), pem: filepath.Join(folder, "client.pem")}
	authority, err := os.ReadFile(s.ca)
	if err != nil {
		return nil, err
	}
	certificate, err := tls.LoadX509KeyPair(s.pem, s.pem)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	s.tls = &tls.Config{RootCAs: roots, Certificates: []tls.Certificate{certificate}}
	return s, nil
}

// metrics returns the lines of /metrics that say what the server is doing.
func (s *server) metrics() string {
	request, _ := http.NewRequest(http.MethodGet, "http://"+s.address+"/metrics", nil)
	request.Header.Set("Authorization", "Bearer "+s.token)
	answer, err := (&http.Client{Timeout: 2 * patience}).Do(request)
	if err != nil {
		return fmt.Sprintf("/metrics: %v\n", err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var lines strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") && !strings.Contains(line, "_bucket{") && concernsRequests(line) {
			lines.WriteString("  " + line)
		}
	}
	return lines.String()
}

func concernsRequests(line string) bool {
	for _, word := range []string{"inflight", "longrunning", "oldest", "waited", "process_cpu", "process_resident", "process_open"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
