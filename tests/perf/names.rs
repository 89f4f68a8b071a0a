// names.rs - a program with many kinds of Rust names: generics, closures, traits, std collections
use std::collections::HashMap;
use std::hint::black_box;

extern "C" {
    // Returns the CPU time of the process in microseconds.  It determines the number of samples even on a busy machine.
    fn clock() -> std::os::raw::c_long;
}

trait Step {
    fn step(&self, x: u64) -> u64;
}
struct Add(u64);
struct Mul(u64);
impl Step for Add {
    #[inline(never)]
    fn step(&self, x: u64) -> u64 {
        (0..3000).fold(x, |a, i| a.wrapping_add(self.0 ^ black_box(i)))
    }
}
impl Step for Mul {
    #[inline(never)]
    fn step(&self, x: u64) -> u64 {
        (1..3000).fold(x, |a, i| a.wrapping_mul(self.0 | black_box(i)))
    }
}
mod inner {
    #[inline(never)]
    pub fn generic<T: Copy + Into<u64>>(v: &[T]) -> u64 {
        v.iter().fold(0u64, |a, &x| a.rotate_left(5) ^ x.into())
    }
}
#[inline(never)]
fn recurse(depth: u32, x: u64, steps: &[Box<dyn Step>]) -> u64 {
    let y = steps[depth as usize % steps.len()].step(x);
    if depth == 0 { y } else { recurse(depth - 1, y, steps) ^ black_box(y) }
}
fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(0.5);
    let used = || unsafe { clock() } as f64 / 1e6;
    let steps: Vec<Box<dyn Step>> = vec![Box::new(Add(3)), Box::new(Mul(5))];
    let small: Vec<u32> = (0..4000).collect();
    let mut seen: HashMap<u64, u64> = HashMap::new();
    let mut x = 1;
    while used() < seconds {
        x = recurse(5, x, &steps) ^ inner::generic(black_box(&small));
        *seen.entry(x % 1000).or_insert(0) += 1;
    }
    println!("{}", seen.len() > 0);
}
