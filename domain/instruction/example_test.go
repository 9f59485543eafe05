package instruction_test

import (
	"fmt"

	"github.com/stepledger/stepledger/domain/instruction"
)

// The example of the package's documentation.
func ExampleRead() {
	fmt.Print(instruction.Read(`In the row of Ada, click Edit. Enter "40" as the age, frobnicate and press Save`))
	// Output:
	// use -> in(row of("Ada"))
	// click -> "Edit"
	// enter number"40" -> "age" ?target "frobnicate"
	// click -> "Save"
}
