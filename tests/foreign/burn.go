// burn.go - a program that writes a CPU profile and a heap profile of itself: burn FOLDER
package main

import (
	"os"
	"runtime"
	"runtime/pprof"
	"syscall"
)

var sink uint64
var kept [][]byte

//go:noinline
func leaf(n uint64) uint64 {
	for i := uint64(0); i < 1000; i++ {
		n = n*6364136223846793005 + i
	}
	return n
}

func inlined(n uint64) uint64 { return leaf(n) + 1 }

//go:noinline
func recursive(n int) {
	if n > 0 {
		recursive(n - 1)
	}
	sink = inlined(sink)
}

func keep(n int) { kept = append(kept, make([]byte, n)) }

// used returns the user and system CPU time of the process in seconds.
func used() float64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

func main() {
	cpu, _ := os.Create(os.Args[1] + "/cpu.pb.gz")
	runtime.MemProfileRate = 512
	if pprof.StartCPUProfile(cpu) != nil {
		os.Exit(1)
	}
	for end := used() + 0.4; used() < end; {
		for i := 0; i < 100; i++ {
			recursive(5)
			sink = leaf(sink)
		}
	}
	pprof.StopCPUProfile()
	cpu.Close()
	for i := 0; i < 100; i++ {
		keep(1000 * i)
	}
	heap, _ := os.Create(os.Args[1] + "/heap.pb.gz")
	runtime.GC()
	if pprof.WriteHeapProfile(heap) != nil {
		os.Exit(1)
	}
	heap.Close()
}
