// Three tasks on two workers: two block their worker inside of a poll, one only awaits.
// The program prints the truth at its end: how long each task blocked.
use std::time::{Duration, Instant};

#[inline(never)]
fn block_here(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}

async fn blocking_task(n: u32) -> Duration {
    let mut blocked = Duration::ZERO;
    for _ in 0..n {
        let t = Instant::now();
        block_here(5);
        blocked += t.elapsed();
        tokio::time::sleep(Duration::from_millis(3)).await;
    }
    blocked
}

async fn locking_task(n: u32) -> Duration {
    let mut blocked = Duration::ZERO;
    for _ in 0..n {
        let t = Instant::now();
        block_here(2);
        blocked += t.elapsed();
        tokio::task::yield_now().await;
    }
    blocked
}

async fn waiting_task(n: u32) {
    for _ in 0..n {
        tokio::time::sleep(Duration::from_millis(7)).await;
    }
}

#[tokio::main(worker_threads = 2)]
async fn main() {
    let a = tokio::spawn(blocking_task(15));
    let b = tokio::spawn(locking_task(20));
    let c = tokio::spawn(waiting_task(15));
    let (a, b, _) = tokio::join!(a, b, c);
    println!("TRUTH blocking_task {}", a.unwrap().as_nanos());
    println!("TRUTH locking_task {}", b.unwrap().as_nanos());
}
