// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/admission/plugin/webhook/matchconditions"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/warning"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	corelisters "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"
)

// A write, and what upstream says about it.
type request struct {
	Operation   string              `json:"operation"`
	Group       string              `json:"group"`
	Version     string              `json:"version"`
	Resource    string              `json:"resource"`
	Kind        string              `json:"kind"`
	Subresource string              `json:"subresource,omitempty"`
	Namespace   string              `json:"namespace,omitempty"`
	Name        string              `json:"name"`
	User        string              `json:"user"`
	Groups      []string            `json:"groups"`
	Extra       map[string][]string `json:"extra,omitempty"`
	DryRun      bool                `json:"dryRun,omitempty"`
	Object      runtime.Object      `json:"object,omitempty"`
	OldObject   runtime.Object      `json:"oldObject,omitempty"`
	Answer      verdict             `json:"answer"`
}

type verdict struct {
	Code        int32             `json:"code"` // 200: admitted
	Reason      string            `json:"reason,omitempty"`
	Message     string            `json:"message,omitempty"`
	Warnings    []string          `json:"warnings,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

type policyCase struct {
	ID         string                                                      `json:"id"`
	Policies   []*admissionregistrationv1.ValidatingAdmissionPolicy        `json:"policies"`
	Bindings   []*admissionregistrationv1.ValidatingAdmissionPolicyBinding `json:"bindings"`
	Namespaces []*corev1.Namespace                                         `json:"namespaces"`
	Params     []*corev1.ConfigMap                                         `json:"params"`
	Requests   []*request                                                  `json:"requests"`
}

// Who may do what while policies ask: alice reads pods, the account may do custom things.
func rights() *rbac.RBACAuthorizer {
	everywhere := func(name string, rule rbacv1.PolicyRule) *rbacv1.ClusterRole {
		return &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: []rbacv1.PolicyRule{rule}}
	}
	bound := func(role string, subject rbacv1.Subject) *rbacv1.ClusterRoleBinding {
		return &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: role}, Subjects: []rbacv1.Subject{subject},
			RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role}}
	}
	w := &world{
		ClusterRoles: []*rbacv1.ClusterRole{
			everywhere("reader", rbacv1.PolicyRule{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}),
			everywhere("custom", rbacv1.PolicyRule{Verbs: []string{"custom"}, APIGroups: []string{"*"}, Resources: []string{"*"}}),
		},
		ClusterRoleBindings: []*rbacv1.ClusterRoleBinding{
			bound("reader", rbacv1.Subject{Kind: "User", APIGroup: rbacv1.GroupName, Name: "alice"}),
			bound("custom", rbacv1.Subject{Kind: "ServiceAccount", Namespace: "lab", Name: "bot"}),
		},
	}
	return rbac.New(w, w, w, w)
}

// As the plug-in compiles a policy.
func compile(policy *admissionregistrationv1.ValidatingAdmissionPolicy) validating.Validator {
	spec := policy.Spec
	all := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil, HasAuthorizer: true}
	ofMessages := cel.OptionalVariableDeclarations{HasParams: spec.ParamKind != nil}
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		panic(err)
	}
	for _, variable := range spec.Variables {
		compiler.CompileAndStoreVariable(&validating.Variable{Name: variable.Name, Expression: variable.Expression}, all, environment.StoredExpressions)
	}
	var conditions, rules, messages, notes []cel.ExpressionAccessor
	for i := range spec.MatchConditions {
		conditions = append(conditions, (*matchconditions.MatchCondition)(&spec.MatchConditions[i]))
	}
	for _, rule := range spec.Validations {
		rules = append(rules, &validating.ValidationCondition{Expression: rule.Expression, Message: rule.Message, Reason: rule.Reason})
		var message cel.ExpressionAccessor
		if rule.MessageExpression != "" {
			message = &validating.MessageExpressionCondition{MessageExpression: rule.MessageExpression}
		}
		messages = append(messages, message)
	}
	for _, note := range spec.AuditAnnotations {
		notes = append(notes, &validating.AuditAnnotationCondition{Key: note.Key, ValueExpression: note.ValueExpression})
	}
	evaluator := func(accessors []cel.ExpressionAccessor, declared cel.OptionalVariableDeclarations) cel.ConditionEvaluator {
		return compiler.CompileCondition(accessors, declared, environment.StoredExpressions)
	}
	var matcher matchconditions.Matcher
	if len(conditions) > 0 {
		matcher = matchconditions.NewMatcher(evaluator(conditions, all), spec.FailurePolicy, "policy", "validate", policy.Name)
	}
	return validating.NewValidator(evaluator(rules, all), matcher, evaluator(notes, all), evaluator(messages, ofMessages), spec.FailurePolicy, nil)
}

// Parameters that are there from the start.
type fixedInformer struct {
	cache.SharedIndexInformer
	objects  cache.Indexer
	resource schema.GroupResource
}

func (f fixedInformer) Informer() cache.SharedIndexInformer { return f }
func (f fixedInformer) Lister() cache.GenericLister {
	return cache.NewGenericLister(f.objects, f.resource)
}
func (f fixedInformer) HasSynced() bool { return true }

func indexed[T any](objects []T) cache.Indexer {
	indexer := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})
	for _, one := range objects {
		if err := indexer.Add(one); err != nil {
			panic(err)
		}
	}
	return indexer
}

func hooksOf(c *policyCase) []validating.PolicyHook {
	var hooks []validating.PolicyHook
	for _, policy := range c.Policies {
		hook := validating.PolicyHook{Policy: policy, Evaluator: compile(policy)}
		if kind := policy.Spec.ParamKind; kind != nil && kind.Kind == "ConfigMap" {
			hook.ParamInformer = informers.GenericInformer(fixedInformer{objects: indexed(c.Params), resource: corev1.Resource("configmaps")})
			hook.ParamScope = meta.RESTScopeNamespace
		} else if kind != nil {
			hook.ParamInformer = informers.GenericInformer(fixedInformer{objects: indexed(c.Namespaces), resource: corev1.Resource("namespaces")})
			hook.ParamScope = meta.RESTScopeRoot
		}
		for _, binding := range c.Bindings {
			if binding.Spec.PolicyName == policy.Name {
				hook.Bindings = append(hook.Bindings, binding)
			}
		}
		hooks = append(hooks, hook)
	}
	return hooks
}

type noted struct {
	admission.Attributes
	annotations map[string]string
}

func (n *noted) AddAnnotation(key, value string) error {
	n.annotations[key] = value
	return nil
}

type warned struct{ warnings []string }

func (w *warned) AddWarning(_, text string) { w.warnings = append(w.warnings, text) }

func optionsOf(r *request) runtime.Object {
	var dryRun []string
	if r.DryRun {
		dryRun = []string{metav1.DryRunAll}
	}
	named := func(kind string) metav1.TypeMeta { return metav1.TypeMeta{APIVersion: "meta.k8s.io/v1", Kind: kind} }
	switch r.Operation {
	case "CREATE":
		return &metav1.CreateOptions{TypeMeta: named("CreateOptions"), DryRun: dryRun}
	case "UPDATE":
		return &metav1.UpdateOptions{TypeMeta: named("UpdateOptions"), DryRun: dryRun}
	default:
		return &metav1.DeleteOptions{TypeMeta: named("DeleteOptions"), DryRun: dryRun}
	}
}

func answerRequest(r *request, dispatcher generic.Dispatcher[validating.PolicyHook], hooks []validating.PolicyHook) {
	who := &user.DefaultInfo{Name: r.User, Groups: r.Groups, Extra: r.Extra}
	group := schema.GroupVersion{Group: r.Group, Version: r.Version}
	attributes := &noted{annotations: map[string]string{}, Attributes: admission.NewAttributesRecord(r.Object, r.OldObject,
		group.WithKind(r.Kind), r.Namespace, r.Name, group.WithResource(r.Resource), r.Subresource,
		admission.Operation(r.Operation), optionsOf(r), r.DryRun, who)}
	heard := &warned{}
	err := dispatcher.Dispatch(warning.WithWarningRecorder(context.Background(), heard), attributes,
		admission.NewObjectInterfacesFromScheme(scheme.Scheme), hooks)
	r.Answer = verdict{Code: 200, Warnings: heard.warnings, Annotations: attributes.annotations}
	if err != nil {
		status := err.(apierrors.APIStatus).Status()
		r.Answer.Code, r.Answer.Reason, r.Answer.Message = status.Code, string(status.Reason), status.Message
	}
}

// Prints a JSON array of cases.
func makeCases(first, count int64) error {
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	authz := rights()
	fmt.Fprint(out, "[")
	for i := int64(0); i < count; i++ {
		c := caseOf(first + i)
		namespaces := corelisters.NewNamespaceLister(indexed(c.Namespaces))
		dispatcher := validating.NewDispatcher(authz, generic.NewPolicyMatcher(matching.NewMatcher(namespaces, fake.NewClientset())))
		hooks := hooksOf(c)
		for _, r := range c.Requests {
			answerRequest(r, dispatcher, hooks)
		}
		text, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if i > 0 {
			fmt.Fprint(out, ",")
		}
		fmt.Fprintf(out, "\n%s", text)
	}
	fmt.Fprint(out, "\n]\n")
	return nil
}

func policies(arguments []string) error {
	if len(arguments) != 2 {
		return fmt.Errorf("usage: peer policies SEED CASES")
	}
	first, err := strconv.ParseInt(arguments[0], 10, 64)
	if err != nil {
		return err
	}
	count, err := strconv.ParseInt(arguments[1], 10, 64)
	if err != nil {
		return err
	}
	return makeCases(first, count)
}
