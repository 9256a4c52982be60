// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Chance made of a seed.
type chance struct{ *rand.Rand }

func (c chance) percent(n int) bool { return c.Intn(100) < n }

func pick[T any](c chance, items ...T) T { return items[c.Intn(len(items))] }

func some[T any](c chance, least, most int, make func() T) []T {
	var items []T
	for i := least + c.Intn(most-least+1); i > 0; i-- {
		items = append(items, make())
	}
	return items
}

func pointer[T any](value T) *T { return &value }

// Expressions that are true or false, or fail on some objects.
func (c chance) atom(hasParams bool) string {
	atoms := []string{
		"has(object.metadata.labels)",
		"object.metadata.labels['tier'] == 'gold'",
		"'tier' in object.metadata.labels",
		"object.metadata.?labels['tier'].orValue('none') != 'none'",
		"object == null || size(object.?data.orValue({})) < 2",
		"object.data.all(k, k.startsWith('a'))",
		"object.data.exists(k, object.data[k] == '1')",
		"int(object.data['a']) > 3",
		"object.data.a.matches('^[0-9]+$')",
		"object.metadata.name.size() < 6",
		"object.metadata.name.lowerAscii() == object.metadata.name",
		"object.kind == 'ConfigMap' && object.apiVersion == 'v1'",
		"request.operation == 'CREATE'",
		"request.operation in ['UPDATE', 'DELETE']",
		"request.userInfo.username.startsWith('system:')",
		"'devs' in request.userInfo.groups",
		"request.userInfo.groups.exists_one(g, g == 'devs')",
		"request.?userInfo.extra['node'].orValue([]).size() == 0",
		"request.dryRun",
		"has(request.subResource) && request.subResource == 'status'",
		"request.namespace == 'lab'",
		"request.resource.group == '' && request.kind.version == 'v1'",
		"request.options.kind == 'CreateOptions'",
		"namespaceObject.metadata.labels['env'] == 'prod'",
		"namespaceObject == null || namespaceObject.metadata.name == 'lab'",
		"oldObject == null",
		"oldObject != null && object != null && object.metadata.name == oldObject.metadata.name",
		"object.spec.devices.requests.all(r, has(r.exactly) && r.exactly.?count.orValue(1) <= 2)",
		"object.spec.devices.requests.map(r, r.name).join(',').size() < 4",
		"object.spec.devices.exists(d, d.?attributes['model'].string.orValue('') == 'big')",
		"object.spec.nodeName == request.userInfo.extra['node'][0]",
		"object.spec.nodeName == 'node-a' && quantity(object.spec.devices[0].capacity['memory'].value).isGreaterThan(quantity('10Gi'))",
		"dyn(1) == 'x'",
		"object.metadata.name",
		"1 / size(object.metadata.name) >= 0",
		"variables.flag",
		"variables.number > 3",
		"variables.text.contains('b')",
		"authorizer.group('').resource('pods').namespace('lab').check('get').allowed()",
		"authorizer.requestResource.check('custom').allowed()",
		"!authorizer.serviceAccount('lab', 'bot').group('').resource('pods').check('get').allowed()",
	}
	if hasParams {
		atoms = append(atoms,
			"params == null",
			"params != null && int(params.data['max']) >= size(object.metadata.name)",
			"params.data['max'] != ''",
			"params.metadata.?labels['limits'].orValue('') == 'yes'",
			"params.kind == 'ConfigMap'",
			"params.metadata.name == object.metadata.name",
		)
	} else if c.percent(3) {
		return "params == null"
	}
	return pick(c, atoms...)
}

func (c chance) condition(hasParams bool) string {
	switch c.Intn(8) {
	case 0:
		return fmt.Sprintf("!(%s)", c.atom(hasParams))
	case 1:
		return fmt.Sprintf("(%s) && (%s)", c.atom(hasParams), c.atom(hasParams))
	case 2:
		return fmt.Sprintf("(%s) || (%s)", c.atom(hasParams), c.atom(hasParams))
	case 3:
		return fmt.Sprintf("(%s) ? (%s) : (%s)", c.atom(hasParams), c.atom(hasParams), c.atom(hasParams))
	case 4:
		return pick(c, "true", "false")
	default:
		return c.atom(hasParams)
	}
}

func (c chance) text(hasParams bool) string {
	texts := []string{
		"'name ' + object.metadata.name",
		"'old ' + oldObject.metadata.name",
		"object.data['missing']",
		"'two\\nlines'",
		"string(size(object.?data.orValue({})))",
		"' '",
		"'in ' + request.?namespace.orValue('none') + ' by ' + request.userInfo.username",
		"variables.text",
		"string(variables.number)",
		"variables.flag ? 'flag' : 'no flag'",
		"request.?userInfo.groups.orValue([]).join('+')",
		"1",
	}
	if hasParams {
		texts = append(texts, "'most ' + params.data['max']")
	}
	return pick(c, texts...)
}

func (c chance) selector() *metav1.LabelSelector {
	switch c.Intn(14) {
	case 0:
		return &metav1.LabelSelector{MatchLabels: map[string]string{pick(c, "env", "tier"): pick(c, "prod", "gold")}}
	case 1:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key:      pick(c, "env", "tier", "kubernetes.io/metadata.name"),
			Operator: pick(c, metav1.LabelSelectorOpExists, metav1.LabelSelectorOpDoesNotExist),
		}}}
	case 2:
		return &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{
			Key:      pick(c, "env", "tier", "kubernetes.io/metadata.name"),
			Operator: pick(c, metav1.LabelSelectorOpIn, metav1.LabelSelectorOpNotIn),
			Values:   []string{pick(c, "prod", "gold", "lab"), "other"},
		}}}
	default:
		return &metav1.LabelSelector{}
	}
}

func (c chance) rule() admissionregistrationv1.NamedRuleWithOperations {
	rule := admissionregistrationv1.NamedRuleWithOperations{}
	rule.APIGroups = pick(c, []string{"*"}, []string{"*"}, []string{""}, []string{"resource.k8s.io"}, []string{"apps", ""})
	rule.APIVersions = pick(c, []string{"*"}, []string{"v1"}, []string{"v1beta1", "v1"})
	rule.Resources = pick(c, []string{"*"}, []string{"*/*"}, []string{"*/*"}, []string{"configmaps"}, []string{"configmaps", "resourceslices"},
		[]string{"*/*"}, []string{"resourceclaims/status"}, []string{"*/status"}, []string{"resourceclaims/*"}, []string{"namespaces"})
	rule.Operations = pick(c, []admissionregistrationv1.OperationType{"*"}, []admissionregistrationv1.OperationType{"*"}, []admissionregistrationv1.OperationType{"CREATE"},
		[]admissionregistrationv1.OperationType{"CREATE", "UPDATE"}, []admissionregistrationv1.OperationType{"DELETE"})
	if c.percent(10) {
		rule.ResourceNames = []string{pick(c, "abc", "claim")}
	}
	rule.Scope = pointer(pick(c, admissionregistrationv1.AllScopes, admissionregistrationv1.AllScopes,
		admissionregistrationv1.NamespacedScope, admissionregistrationv1.ClusterScope))
	return rule
}

func (c chance) matchResources(leastRules int) *admissionregistrationv1.MatchResources {
	return &admissionregistrationv1.MatchResources{
		NamespaceSelector:    c.selector(),
		ObjectSelector:       c.selector(),
		ResourceRules:        some(c, leastRules, 2, c.rule),
		ExcludeResourceRules: some(c, 0, c.Intn(8)/7, c.rule),
		MatchPolicy:          pointer(pick(c, admissionregistrationv1.Exact, admissionregistrationv1.Equivalent)),
	}
}

func (c chance) policy(name string) *admissionregistrationv1.ValidatingAdmissionPolicy {
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}}
	spec := &policy.Spec
	hasParams := c.percent(40)
	if hasParams {
		kind := pick(c, "ConfigMap", "ConfigMap", "ConfigMap", "Namespace")
		spec.ParamKind = &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: kind}
	}
	spec.FailurePolicy = pointer(pick(c, admissionregistrationv1.Fail, admissionregistrationv1.Fail, admissionregistrationv1.Ignore))
	spec.MatchConstraints = c.matchResources(1)
	spec.Variables = []admissionregistrationv1.Variable{
		{Name: "flag", Expression: pick(c, "true", "object.metadata.name == 'abc'", "has(object.data.a)", "request.dryRun", "1",
			"authorizer.requestResource.check('custom').allowed()")},
		{Name: "number", Expression: pick(c, "size(object.metadata.name)", "4", "int(object.data.a)", "variables.flag ? 1 : 5")},
		{Name: "text", Expression: pick(c, "'t' + object.metadata.name", "request.name", "oldObject.metadata.name", "''")},
	}
	number := 0
	spec.MatchConditions = some(c, 0, c.Intn(3), func() admissionregistrationv1.MatchCondition {
		number++
		return admissionregistrationv1.MatchCondition{Name: fmt.Sprintf("c%d", number), Expression: c.condition(hasParams)}
	})
	spec.Validations = some(c, 1, 3, func() admissionregistrationv1.Validation {
		rule := admissionregistrationv1.Validation{Expression: c.condition(hasParams)}
		if c.percent(40) {
			rule.Message = pick(c, "not so", "  spaces  ")
		}
		if c.percent(40) {
			rule.MessageExpression = c.text(hasParams)
		}
		if c.percent(40) {
			rule.Reason = pointer(pick(c, metav1.StatusReasonForbidden, metav1.StatusReasonInvalid, metav1.StatusReasonRequestEntityTooLarge))
		}
		return rule
	})
	spec.AuditAnnotations = some(c, 0, c.Intn(3), func() admissionregistrationv1.AuditAnnotation {
		number++
		return admissionregistrationv1.AuditAnnotation{Key: fmt.Sprintf("k%d", number),
			ValueExpression: pick(c, c.text(hasParams), c.text(hasParams), "null", "request.dryRun ? 'dry' : null",
				"string(authorizer.requestResource.check('custom').allowed())")}
	})
	return policy
}

func (c chance) binding(name, policy string) *admissionregistrationv1.ValidatingAdmissionPolicyBinding {
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}
	spec := &binding.Spec
	spec.PolicyName = policy
	spec.ValidationActions = pick(c,
		[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
		[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny, admissionregistrationv1.Audit},
		[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn, admissionregistrationv1.Audit},
		[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Warn},
		[]admissionregistrationv1.ValidationAction{admissionregistrationv1.Audit})
	if c.percent(30) {
		spec.MatchResources = c.matchResources(0)
	}
	if c.percent(70) {
		ref := &admissionregistrationv1.ParamRef{
			ParameterNotFoundAction: pointer(pick(c, admissionregistrationv1.AllowAction, admissionregistrationv1.DenyAction))}
		if c.percent(60) {
			ref.Name = pick(c, "limits", "limits", "lab", "gone")
		} else {
			// Never more than one: of several, chance chooses the first.
			ref.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"limits": pick(c, "yes", "no", "none")}}
		}
		if c.percent(30) {
			ref.Namespace = "lab"
		}
		spec.ParamRef = ref
	}
	return binding
}

func (c chance) meta(name, namespace string) metav1.ObjectMeta {
	meta := metav1.ObjectMeta{Name: name, Namespace: namespace, UID: types.UID("u-" + name), CreationTimestamp: metav1.Unix(1_800_000_000, 0)}
	if c.percent(50) {
		meta.Labels = map[string]string{pick(c, "tier", "env"): pick(c, "gold", "prod", "other")}
	}
	return meta
}

// An object with what the URL says about it.
func (c chance) object(r *request) runtime.Object {
	switch r.Resource {
	case "configmaps":
		one := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: c.meta(r.Name, r.Namespace)}
		if c.percent(80) {
			one.Data = map[string]string{pick(c, "a", "b"): pick(c, "1", "4", "many"), "a": pick(c, "1", "5", "x")}
		}
		return one
	case "namespaces":
		return &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: c.meta(r.Name, "")}
	case "resourceclaims":
		one := &resourcev1.ResourceClaim{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceClaim"}, ObjectMeta: c.meta(r.Name, r.Namespace)}
		one.Spec.Devices.Requests = some(c, 1, 2, func() resourcev1.DeviceRequest {
			return resourcev1.DeviceRequest{Name: pick(c, "gpu", "nic"), Exactly: &resourcev1.ExactDeviceRequest{
				DeviceClassName: "class", AllocationMode: resourcev1.DeviceAllocationModeExactCount, Count: int64(1 + c.Intn(3))}}
		})
		return one
	default:
		one := &resourcev1.ResourceSlice{TypeMeta: metav1.TypeMeta{APIVersion: "resource.k8s.io/v1", Kind: "ResourceSlice"}, ObjectMeta: c.meta(r.Name, "")}
		one.Spec.Driver = "gpu.example.com"
		one.Spec.NodeName = pointer(pick(c, "node-a", "node-b"))
		one.Spec.Pool = resourcev1.ResourcePool{Name: "p", Generation: 1, ResourceSliceCount: 1}
		one.Spec.Devices = []resourcev1.Device{{Name: "d0", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"model": {StringValue: pointer(pick(c, "big", "small"))}}}}
		if c.percent(60) {
			one.Spec.Devices[0].Capacity = map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{
				"memory": {Value: resource.MustParse(pick(c, "8Gi", "80Gi"))}}
		}
		return one
	}
}

func (c chance) request(namespaces []*corev1.Namespace) *request {
	r := &request{Operation: pick(c, "CREATE", "CREATE", "UPDATE", "DELETE"), DryRun: c.percent(15)}
	r.User = pick(c, "alice", "system:serviceaccount:lab:bot", "bob")
	r.Groups = pick(c, []string{"system:authenticated"}, []string{"devs", "system:authenticated"})
	if c.percent(40) {
		r.Extra = map[string][]string{"node": {pick(c, "node-a", "node-b")}}
	}
	r.Version = "v1"
	r.Name = pick(c, "abc", "claim", "longer-name")
	switch c.Intn(10) {
	case 0, 1, 2, 3, 4:
		r.Resource, r.Kind, r.Namespace = "configmaps", "ConfigMap", pick(c, "lab", "prod")
	case 5, 6:
		r.Group, r.Resource, r.Kind, r.Namespace = "resource.k8s.io", "resourceclaims", "ResourceClaim", pick(c, "lab", "prod")
		if r.Operation == "UPDATE" && c.percent(50) {
			r.Subresource = "status"
		}
	case 7, 8:
		r.Group, r.Resource, r.Kind = "resource.k8s.io", "resourceslices", "ResourceSlice"
	default:
		r.Resource, r.Kind, r.Name = "namespaces", "Namespace", pick(c, "lab", "prod")
		r.Namespace = r.Name
	}
	if r.Operation != "DELETE" {
		r.Object = c.object(r)
	}
	if r.Operation != "CREATE" {
		r.OldObject = c.object(r)
	}
	for _, one := range namespaces {
		if r.Resource == "namespaces" && r.OldObject != nil && one.Name == r.Name {
			r.OldObject = one
		}
	}
	return r
}

func (c chance) namespace(name string) *corev1.Namespace {
	one := &corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: c.meta(name, "")}
	if one.Labels == nil {
		one.Labels = map[string]string{}
	}
	one.Labels["kubernetes.io/metadata.name"] = name
	one.Spec.Finalizers = []corev1.FinalizerName{corev1.FinalizerKubernetes}
	one.Status.Phase = corev1.NamespaceActive
	return one
}

func (c chance) params(name, namespace string) *corev1.ConfigMap {
	one := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: c.meta(name, namespace)}
	one.Labels = map[string]string{"limits": pick(c, "yes", "yes", "no")}
	if name != "limits" {
		one.Labels["limits"] = "none"
	}
	one.Data = map[string]string{pick(c, "max", "max", "min"): pick(c, "3", "9")}
	return one
}

func caseOf(seed int64) *policyCase {
	c := chance{rand.New(rand.NewSource(seed))}
	one := &policyCase{ID: fmt.Sprintf("seed-%d", seed)}
	for i := 1 + c.Intn(2); i > 0; i-- {
		name := fmt.Sprintf("policy-%d", i)
		one.Policies = append(one.Policies, c.policy(name))
		for k := 1 + c.Intn(2); k > 0; k-- {
			one.Bindings = append(one.Bindings, c.binding(strings.Replace(name, "policy", "binding", 1)+fmt.Sprint("-", k), name))
		}
	}
	one.Namespaces = []*corev1.Namespace{c.namespace("lab"), c.namespace("prod")}
	one.Params = []*corev1.ConfigMap{c.params("limits", "lab"), c.params("more", "lab"), c.params("limits", "prod")}
	one.Requests = some(c, 6, 8, func() *request { return c.request(one.Namespaces) })
	return one
}
