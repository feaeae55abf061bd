package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// reporter writes one line per step: seconds since the epoch, step, detail, separated by tabs. The host knows when the power came on.
type reporter struct{ path string }

func (r *reporter) flags(set *flag.FlagSet) {
	set.StringVar(&r.path, "steps", "/dev/stdout", "where to report steps")
}

func (r *reporter) reached(step, detail string) error {
	out, err := os.OpenFile(r.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer out.Close()
	clean := strings.NewReplacer("\t", " ", "\n", " ").Replace(detail)
	_, err = fmt.Fprintf(out, "%.3f\t%s\t%s\n", float64(time.Now().UnixMilli())/1000, step, clean)
	return err
}
