// SPDX-License-Identifier: Apache-2.0

// A test suite as drivers have it, on controller-runtime's envtest: it starts a control plane from the
// programs in KUBEBUILDER_ASSETS, writes and reads with a cached client, and stops it.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func check(what string, err error) {
	if err != nil {
		fmt.Printf("%s: %v\n", what, err)
		os.Exit(1)
	}
}

// A controller of claims: it labels each that it sees.
type labeller struct{ client.Client }

func (l labeller) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	var claim resourcev1.ResourceClaim
	if err := l.Get(ctx, request.NamespacedName, &claim); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if claim.Labels["seen"] == "true" {
		return reconcile.Result{}, nil
	}
	base := claim.DeepCopy()
	claim.Labels = map[string]string{"seen": "true"}
	return reconcile.Result{}, l.Patch(ctx, &claim, client.MergeFrom(base))
}

func reconciles(ctx context.Context, config *rest.Config) {
	manager, err := ctrl.NewManager(config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	check("manager", err)
	check("controller", ctrl.NewControllerManagedBy(manager).For(&resourcev1.ResourceClaim{}).
		Complete(labeller{manager.GetClient()}))
	running, stop := context.WithCancel(ctx)
	ended := make(chan error)
	go func() { ended <- manager.Start(running) }()

	direct, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	check("client", err)
	claim := &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gpu"},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{Requests: []resourcev1.DeviceRequest{{
			Name:    "gpu",
			Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu.example.com"},
		}}}},
	}
	check("create", direct.Create(ctx, claim))
	for claim.Labels["seen"] != "true" {
		time.Sleep(10 * time.Millisecond) // between looks at what another goroutine does
		check("get", direct.Get(ctx, client.ObjectKeyFromObject(claim), claim))
	}
	fmt.Println("a controller has seen the claim")
	stop()
	check("manager ends", <-ended)
}

// A user whom the suite makes has the rights that roles give, and no others.
func rights(ctx context.Context, env *envtest.Environment) {
	user, err := env.AddUser(envtest.User{Name: "driver"}, nil)
	check("user", err)
	driver, err := client.New(user.Config(), client.Options{Scheme: scheme.Scheme})
	check("client of the user", err)
	var slices resourcev1.ResourceSliceList
	fmt.Println("without a role:", apierrors.IsForbidden(driver.List(ctx, &slices)))
	admin, err := client.New(env.Config, client.Options{Scheme: scheme.Scheme})
	check("client", err)
	check("role", admin.Create(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "driver"},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{"resource.k8s.io"}, Resources: []string{"resourceslices"},
			Verbs: []string{"list"}}}}))
	check("binding", admin.Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "driver"},
		RoleRef:  rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "ClusterRole", Name: "driver"},
		Subjects: []rbacv1.Subject{{APIGroup: "rbac.authorization.k8s.io", Kind: "User", Name: "driver"}}}))
	for apierrors.IsForbidden(driver.List(ctx, &slices)) {
		time.Sleep(10 * time.Millisecond) // until the server has read the binding
	}
	fmt.Println("with a role:", len(slices.Items), "slices")
}

func main() {
	log.SetLogger(zap.New(zap.WriteTo(os.Stderr)))
	check("scheme", apiextensionsv1.AddToScheme(scheme.Scheme))
	env := &envtest.Environment{}
	config, err := env.Start()
	check("start", err)
	ctx := context.Background()

	reconciles(ctx, config)
	rights(ctx, env)
	definition := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "nodeparams.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Kind: "NodeParam", Plural: "nodeparams"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{
					OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}}},
		},
	}
	check("definition", envtest.CreateCRDs(config, []*apiextensionsv1.CustomResourceDefinition{definition}))
	admin, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	check("client", err)
	check("definition is kept", admin.Get(ctx, client.ObjectKeyFromObject(definition), definition))
	fmt.Println("a definition is kept:", definition.Name)
	var pods corev1.PodList
	check("pods", admin.List(ctx, &pods))
	check("stop", env.Stop())
	fmt.Println("stopped")
}
