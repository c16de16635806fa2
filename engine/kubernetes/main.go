// pulumi-resource-kubernetes, from the published Go module of its provider.
//
// The module carries no main program whose schema is built in: its own needs a build step that writes the schema first.
// schema.json and terraform-mapping.json are copied from the module beside this file at build time.
package main

import (
	_ "embed"
	"os"
	"time"

	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/provider"
	"github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version"
)

//go:embed schema.json
var schema []byte

//go:embed terraform-mapping.json
var mapping []byte

// A killed pulumi would leave this process behind, finishing its creates beside the next run's.
func exitWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(250 * time.Millisecond)
	}
	os.Exit(1)
}

func main() {
	go exitWithParent(os.Getppid())
	provider.Serve("kubernetes", version.Version, schema, mapping)
}
