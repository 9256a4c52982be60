// SPDX-License-Identifier: Apache-2.0

// What programs built on client-go do, with its defaults: protobuf, informers that begin with a
// watch, leases, the driver helper. One line for each thing that works; the first thing that does
// not ends the program with status 1.
//
//	client KUBECONFIG
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/dynamic-resource-allocation/resourceslice"
)

const (
	patience  = 10 * time.Minute
	namespace = "client-go"
	driver    = "gpu.example.com"
)

// mediaTypes notes in which media types requests and answers come, and over which protocols.
type mediaTypes struct {
	mutex     sync.Mutex
	seen      map[string]bool
	protocols map[string]bool
	next      http.RoundTripper
}

func (m *mediaTypes) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := m.next.RoundTrip(request)
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if request.Body != nil && request.Method != http.MethodPatch {
		m.seen["sent "+request.Header.Get("Content-Type")] = true
	}
	if err == nil {
		m.seen["got "+response.Header.Get("Content-Type")] = true
		m.protocols[response.Proto] = true
	}
	return response, err
}

// take lists what was seen since the last call.
func (m *mediaTypes) take() string {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	seen := listed(m.seen)
	m.seen = map[string]bool{}
	return seen
}

func listed(set map[string]bool) string {
	var names []string
	for name := range set {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

type cluster struct {
	ctx    context.Context
	config *rest.Config
	types  *mediaTypes
	typed  kubernetes.Interface
}

func connect(ctx context.Context, kubeconfig string) (*cluster, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	types := &mediaTypes{seen: map[string]bool{}, protocols: map[string]bool{}}
	config.QPS = -1
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		types.next = next
		return types
	})
	typed, err := kubernetes.NewForConfig(config)
	return &cluster{ctx, config, types, typed}, err
}

func claim(name string) *resourcev1.ResourceClaim {
	return &resourcev1.ResourceClaim{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": "x"}},
		Spec: resourcev1.ResourceClaimSpec{Devices: resourcev1.DeviceClaim{
			Requests: []resourcev1.DeviceRequest{{
				Name:    "gpu",
				Exactly: &resourcev1.ExactDeviceRequest{DeviceClassName: "gpu"},
			}},
			Config: []resourcev1.DeviceClaimConfiguration{{
				DeviceConfiguration: resourcev1.DeviceConfiguration{
					Opaque: &resourcev1.OpaqueDeviceConfiguration{
						Driver:     driver,
						Parameters: runtime.RawExtension{Raw: []byte(`{"mode":"fast"}`)},
					},
				},
			}},
		}},
	}
}

// expect names what is wrong; nil when all is as it should be.
func expect(good bool, format string, arguments ...any) error {
	if good {
		return nil
	}
	return fmt.Errorf(format, arguments...)
}

func writes(c *cluster) error {
	class := &resourcev1.DeviceClass{ObjectMeta: metav1.ObjectMeta{Name: "gpu"}}
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	claims := c.typed.ResourceV1().ResourceClaims(namespace)
	_, err1 := c.typed.CoreV1().Namespaces().Create(c.ctx, space, metav1.CreateOptions{})
	_, err2 := c.typed.ResourceV1().DeviceClasses().Create(c.ctx, class, metav1.CreateOptions{})
	created, err3 := claims.Create(c.ctx, claim("a"), metav1.CreateOptions{})
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	changed := created.DeepCopy()
	changed.Labels["app"] = "y"
	updated, err := claims.Update(c.ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	_, conflict := claims.Update(c.ctx, changed, metav1.UpdateOptions{})
	_, exists := claims.Create(c.ctx, claim("a"), metav1.CreateOptions{})
	_, invalid := claims.Create(c.ctx, claim("A_b"), metav1.CreateOptions{})
	_, missing := claims.Get(c.ctx, "missing", metav1.GetOptions{})
	stranger := types.UID("00000000-0000-0000-0000-000000000000")
	replaced := claims.Delete(c.ctx, "a", *metav1.NewPreconditionDeleteOptions(string(stranger)))
	fields := updated.Spec.Devices
	return errors.Join(
		expect(created.UID != "" && updated.Labels["app"] == "y", "claim is %v", updated),
		expect(fields.Requests[0].Exactly.Count == 1, "no defaults: %v", fields),
		expect(string(fields.Config[0].Opaque.Parameters.Raw) == `{"mode":"fast"}`,
			"parameters are %v", fields.Config),
		expect(apierrors.IsConflict(conflict), "an old version: %v", conflict),
		expect(apierrors.IsAlreadyExists(exists), "a second one: %v", exists),
		expect(apierrors.IsInvalid(invalid), "a bad name: %v", invalid),
		expect(apierrors.IsNotFound(missing), "none: %v", missing),
		expect(apierrors.IsConflict(replaced), "another uid: %v", replaced))
}

func patches(c *cluster) error {
	claims := c.typed.ResourceV1().ResourceClaims(namespace)
	patched, err := claims.Patch(c.ctx, "a", types.MergePatchType,
		[]byte(`{"metadata":{"annotations":{"note":"x"}}}`), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	return expect(patched.Annotations["note"] == "x", "claim is %v", patched)
}

func status(c *cluster) error {
	claims := c.typed.ResourceV1().ResourceClaims(namespace)
	read, err := claims.Get(c.ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	read.Status.Allocation = &resourcev1.AllocationResult{
		Devices: resourcev1.DeviceAllocationResult{
			Results: []resourcev1.DeviceRequestAllocationResult{
				{Request: "gpu", Driver: driver, Pool: "node", Device: "gpu-0"},
			},
		},
	}
	read.Status.ReservedFor = []resourcev1.ResourceClaimConsumerReference{
		{Resource: "pods", Name: "p", UID: "1"},
	}
	written, err := claims.UpdateStatus(c.ctx, read, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	return expect(written.Status.ReservedFor[0].Name == "p", "status is %v", written.Status)
}

func lists(c *cluster) error {
	claims := c.typed.ResourceV1().ResourceClaims(namespace)
	for i := range 7 {
		name := fmt.Sprintf("list-%d", i)
		if _, err := claims.Create(c.ctx, claim(name), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	var names []string
	options := metav1.ListOptions{Limit: 3, LabelSelector: "app=x"}
	for {
		page, err := claims.List(c.ctx, options)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			names = append(names, item.Name)
		}
		if options.Continue = page.Continue; options.Continue == "" {
			break
		}
	}
	selected := metav1.ListOptions{LabelSelector: "app=x"}
	err := claims.DeleteCollection(c.ctx, metav1.DeleteOptions{}, selected)
	left, listed := claims.List(c.ctx, metav1.ListOptions{})
	return errors.Join(err, listed,
		expect(len(names) == 7 && names[6] == "list-6", "names are %v", names),
		expect(listed == nil && len(left.Items) == 1, "left are %v", left))
}

// informer follows claims with a cache, through a creation, a change and a deletion.
func informer(c *cluster) error {
	factory := informers.NewSharedInformerFactoryWithOptions(
		c.typed, 0, informers.WithNamespace(namespace))
	events := make(chan string, 16)
	claims := factory.Resource().V1().ResourceClaims().Informer()
	note := func(what string) func(any) {
		return func(object any) { events <- what + " " + object.(*resourcev1.ResourceClaim).Name }
	}
	_, err := claims.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    note("added"),
		UpdateFunc: func(_, object any) { note("updated")(object) },
		DeleteFunc: note("deleted"),
	})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer factory.Shutdown()
	defer cancel()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), claims.HasSynced) {
		return errors.New("the cache did not fill")
	}
	api := c.typed.ResourceV1().ResourceClaims(namespace)
	created, err := api.Create(ctx, claim("followed"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	created.Labels["app"] = "z"
	_, updated := api.Update(ctx, created, metav1.UpdateOptions{})
	deleted := api.Delete(ctx, "followed", metav1.DeleteOptions{})
	if err := errors.Join(updated, deleted); err != nil {
		return err
	}
	wanted := []string{"added a", "added followed", "updated followed", "deleted followed"}
	for _, want := range wanted {
		select {
		case got := <-events:
			if got != want {
				return fmt.Errorf("%q instead of %q", got, want)
			}
		case <-ctx.Done():
			return fmt.Errorf("no %q", want)
		}
	}
	return nil
}

func partial(c *cluster) error {
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		return err
	}
	claims := client.Resource(resourcev1.SchemeGroupVersion.WithResource("resourceclaims"))
	list, err1 := claims.Namespace(namespace).List(c.ctx, metav1.ListOptions{})
	one, err2 := claims.Namespace(namespace).Get(c.ctx, "a", metav1.GetOptions{})
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	return expect(len(list.Items) == 1 && list.Items[0].UID == one.UID && one.UID != "",
		"metadata is %v", list)
}

func untyped(c *cluster) error {
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return err
	}
	claims := client.Resource(resourcev1.SchemeGroupVersion.WithResource("resourceclaims"))
	read, err := claims.Namespace(namespace).Get(c.ctx, "a", metav1.GetOptions{})
	if err != nil {
		return err
	}
	return expect(read.GetKind() == "ResourceClaim", "object is %v", read)
}

func binding(c *cluster) error {
	pods := c.typed.CoreV1().Pods(namespace)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	if _, err := pods.Create(c.ctx, pod, metav1.CreateOptions{}); err != nil {
		return err
	}
	target := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Target:     corev1.ObjectReference{Kind: "Node", Name: "n"},
	}
	if err := pods.Bind(c.ctx, target, metav1.CreateOptions{}); err != nil {
		return err
	}
	bound, err := pods.Get(c.ctx, "p", metav1.GetOptions{})
	if err != nil {
		return err
	}
	now := pods.Delete(c.ctx, "p", *metav1.NewDeleteOptions(0))
	return errors.Join(now, expect(bound.Spec.NodeName == "n", "pod is on %q", bound.Spec.NodeName))
}

func leader(c *cluster) error {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	led := false
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: namespace, Name: "leader"},
			Client:     c.typed.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
		},
		LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { led = true; cancel() },
			OnStoppedLeading: func() {},
		},
	})
	if err != nil {
		return err
	}
	elector.Run(ctx)
	return expect(led, "nobody was elected")
}

// publish runs the helper of drivers: a pool appears, grows, and is withdrawn.
func publish(c *cluster) error {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	var trouble error
	immediately := time.Duration(0)
	pools := func(devices int) *resourceslice.DriverResources {
		var slice resourceslice.Slice
		for i := range devices {
			slice.Devices = append(slice.Devices, resourcev1.Device{Name: fmt.Sprintf("gpu-%d", i)})
		}
		pool := resourceslice.Pool{AllNodes: true, Slices: []resourceslice.Slice{slice}}
		return &resourceslice.DriverResources{Pools: map[string]resourceslice.Pool{"pool": pool}}
	}
	helper, err := resourceslice.StartController(ctx, resourceslice.Options{
		DriverName: driver, KubeClient: c.typed, Resources: pools(2), SyncDelay: &immediately,
		ErrorHandler: func(_ context.Context, err error, what string) {
			trouble = fmt.Errorf("%s: %w", what, err)
			cancel()
		},
	})
	if err != nil {
		return err
	}
	defer helper.Stop()
	published := func(want int) error {
		return wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true,
			func(ctx context.Context) (bool, error) {
				slices, err := c.typed.ResourceV1().ResourceSlices().List(ctx, metav1.ListOptions{})
				if err != nil || len(slices.Items) == 0 {
					return want == 0, err
				}
				return len(slices.Items[0].Spec.Devices) == want, nil
			})
	}
	for _, devices := range []int{2, 3} {
		helper.Update(pools(devices))
		if err := published(devices); err != nil {
			return errors.Join(err, trouble)
		}
	}
	helper.Update(&resourceslice.DriverResources{})
	return errors.Join(published(0), trouble)
}

func main() {
	ctx := context.Background()
	c, err := connect(ctx, os.Args[1])
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	for _, step := range []struct {
		name string
		run  func(*cluster) error
	}{
		{"writes and their errors", writes},
		{"patches", patches},
		{"status", status},
		{"lists in pages", lists},
		{"an informer", informer},
		{"metadata alone", partial},
		{"objects without types", untyped},
		{"bindings", binding},
		{"an election", leader},
		{"slices by the helper of drivers", publish},
	} {
		if err := step.run(c); err != nil {
			fmt.Printf("%s: %v\n", step.name, err)
			os.Exit(1)
		}
		fmt.Printf("%s: %s\n", step.name, c.types.take())
	}
	c.types.mutex.Lock()
	defer c.types.mutex.Unlock()
	fmt.Printf("all of it over %s\n", listed(c.types.protocols))
}
