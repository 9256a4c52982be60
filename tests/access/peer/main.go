// SPDX-License-Identifier: Apache-2.0

// Asks upstream's own code who may do what. What it reads on standard input is made by dray-access:
//
//	peer rbac [-v]              worlds of roles, bindings and questions; a line for each, or details
//	peer policies SEED CASES    makes cases of admission policies, and answers them
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"sort"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

type question struct {
	User        string   `json:"user"`
	Groups      []string `json:"groups"`
	Verb        string   `json:"verb"`
	Group       string   `json:"group"`
	Resource    string   `json:"resource"`
	Subresource string   `json:"subresource"`
	Name        string   `json:"name"`
	Namespace   string   `json:"namespace"`
	Path        string   `json:"path"`
}

type grant struct {
	User      string             `json:"user"`
	Groups    []string           `json:"groups"`
	Namespace string             `json:"namespace"`
	Role      rbacv1.ClusterRole `json:"role"`
}

type world struct {
	ClusterRoles        []*rbacv1.ClusterRole        `json:"clusterRoles"`
	Roles               []*rbacv1.Role               `json:"roles"`
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding `json:"clusterRoleBindings"`
	RoleBindings        []*rbacv1.RoleBinding        `json:"roleBindings"`
	Questions           []question                   `json:"questions"`
	Grants              []grant                      `json:"grants"`
}

// The four ways that the authoriser asks for objects, as its listers answer.

func (w *world) GetRole(_ context.Context, namespace, name string) (*rbacv1.Role, error) {
	var found *rbacv1.Role
	for _, one := range w.Roles {
		if one.Namespace == namespace && one.Name == name {
			found = one
		}
	}
	if found == nil {
		return nil, apierrors.NewNotFound(rbacv1.Resource("role"), name)
	}
	return found, nil
}

func (w *world) GetClusterRole(_ context.Context, name string) (*rbacv1.ClusterRole, error) {
	for _, one := range w.ClusterRoles {
		if one.Name == name {
			return one, nil
		}
	}
	return nil, apierrors.NewNotFound(rbacv1.Resource("clusterrole"), name)
}

func (w *world) ListRoleBindings(_ context.Context, namespace string) ([]*rbacv1.RoleBinding, error) {
	var found []*rbacv1.RoleBinding
	for _, one := range w.RoleBindings {
		if one.Namespace == namespace {
			found = append(found, one)
		}
	}
	return found, nil
}

func (w *world) ListClusterRoleBindings(context.Context) ([]*rbacv1.ClusterRoleBinding, error) {
	return w.ClusterRoleBindings, nil
}

func attributesOf(q question) authorizer.AttributesRecord {
	return authorizer.AttributesRecord{
		User: &user.DefaultInfo{Name: q.User, Groups: q.Groups},
		Verb: q.Verb, APIGroup: q.Group, Resource: q.Resource, Subresource: q.Subresource,
		Name: q.Name, Namespace: q.Namespace, Path: q.Path, ResourceRequest: q.Path == "",
	}
}

// "RBAC: [a, b]" with its parts in order: the order of bindings is chance.
func sorted(reason string) string {
	rest, is := strings.CutPrefix(reason, "RBAC: [")
	if !is {
		return reason
	}
	parts := strings.Split(strings.TrimSuffix(rest, "]"), ", ")
	sort.Strings(parts)
	return "RBAC: [" + strings.Join(parts, ", ") + "]"
}

func hex(bits []bool) string {
	var text strings.Builder
	for i := 0; i < len(bits); i += 4 {
		digit := 0
		for k := i; k < i+4; k++ {
			digit *= 2
			if k < len(bits) && bits[k] {
				digit++
			}
		}
		fmt.Fprintf(&text, "%x", digit)
	}
	return text.String()
}

func answer(w *world) (allowed []bool, reasons string) {
	authz := rbac.New(w, w, w, w)
	resolver := validation.NewDefaultRuleResolver(w, w, w, w)
	var text strings.Builder
	for _, q := range w.Questions {
		decision, reason, err := authz.Authorize(context.Background(), attributesOf(q))
		if err != nil {
			panic(err)
		}
		allowed = append(allowed, decision == authorizer.DecisionAllow)
		if decision != authorizer.DecisionAllow {
			text.WriteString(sorted(reason) + "\n")
		}
	}
	for _, g := range w.Grants {
		ctx := genericapirequest.WithUser(context.Background(), &user.DefaultInfo{Name: g.User, Groups: g.Groups})
		ctx = genericapirequest.WithNamespace(ctx, g.Namespace)
		if err := validation.ConfirmNoEscalation(ctx, resolver, g.Role.Rules); err != nil {
			// Which roles are missing is said for decisions already.
			missing, _, _ := strings.Cut(err.Error(), "; resolution errors: ")
			text.WriteString(missing)
		}
		text.WriteString("\n")
	}
	return allowed, text.String()
}

func answerWorlds(details bool) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 16<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		var w world
		if err := json.Unmarshal(lines.Bytes(), &w); err != nil {
			return err
		}
		allowed, reasons := answer(&w)
		if details {
			fmt.Fprintf(out, "%s\n%s\n", hex(allowed), reasons)
			continue
		}
		digest := fnv.New64a()
		digest.Write([]byte(reasons))
		fmt.Fprintf(out, "%s %016x\n", hex(allowed), digest.Sum64())
	}
	return lines.Err()
}

func main() {
	var err error
	switch {
	case len(os.Args) > 1 && os.Args[1] == "rbac":
		err = answerWorlds(len(os.Args) > 2 && os.Args[2] == "-v")
	case len(os.Args) > 1 && os.Args[1] == "policies":
		err = policies(os.Args[2:])
	default:
		err = fmt.Errorf("usage: peer rbac [-v] | policies SEED CASES")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}
