// work.rs - a workload in Rust, without crates: it uses closures, iterators, trait objects, recursion and threads
//
// usage: work SECONDS
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap, HashMap, VecDeque};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

mod calculator {
    pub enum Tree {
        Leaf(f64),
        Pair(Box<Tree>, char, Box<Tree>),
    }

    pub struct Reader<'a> {
        chars: std::iter::Peekable<std::str::Chars<'a>>,
    }

    impl<'a> Reader<'a> {
        pub fn new(text: &'a str) -> Self {
            Reader { chars: text.chars().peekable() }
        }
        fn atom(&mut self) -> Option<Tree> {
            match self.chars.next()? {
                '(' => {
                    let t = self.sum()?;
                    self.chars.next_if_eq(&')')?;
                    Some(t)
                }
                c => {
                    let mut v = c.to_digit(10)? as f64;
                    while let Some(d) = self.chars.peek().and_then(|c| c.to_digit(10)) {
                        v = v * 10.0 + d as f64;
                        self.chars.next();
                    }
                    Some(Tree::Leaf(v))
                }
            }
        }
        fn level<F: Fn(&mut Self) -> Option<Tree>>(&mut self, signs: &str, tighter: F) -> Option<Tree> {
            let mut left = tighter(self)?;
            while let Some(sign) = self.chars.next_if(|c| signs.contains(*c)) {
                left = Tree::Pair(Box::new(left), sign, Box::new(tighter(self)?));
            }
            Some(left)
        }
        fn product(&mut self) -> Option<Tree> {
            self.level("*/", Self::atom)
        }
        pub fn sum(&mut self) -> Option<Tree> {
            self.level("+-", Self::product)
        }
    }

    impl Tree {
        pub fn value(&self) -> f64 {
            match self {
                Tree::Leaf(v) => *v,
                Tree::Pair(a, sign, b) => {
                    let (a, b) = (a.value(), b.value());
                    match sign {
                        '+' => a + b,
                        '-' => a - b,
                        '*' => a * b,
                        _ => a / if b == 0.0 { 1.0 } else { b },
                    }
                }
            }
        }
        pub fn depth(&self) -> usize {
            match self {
                Tree::Leaf(_) => 1,
                Tree::Pair(a, _, b) => 1 + a.depth().max(b.depth()),
            }
        }
    }
}

#[inline(never)]
fn formula(dice: &mut Dice, depth: u32, out: &mut String) {
    if depth == 0 || dice.roll(6) == 0 {
        let _ = write!(out, "{}", dice.roll(1000));
        return;
    }
    out.push('(');
    formula(dice, depth - 1, out);
    out.push(['+', '-', '*', '/'][dice.roll(4) as usize]);
    formula(dice, depth - 1, out);
    out.push(')');
}

#[derive(PartialEq, Eq)]
struct Step {
    cost: u64,
    at: usize,
}
impl Ord for Step {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.cmp(&self.cost).then_with(|| self.at.cmp(&other.at))
    }
}
impl PartialOrd for Step {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[inline(never)]
fn shortest(edges: &[Vec<(usize, u64)>]) -> u64 {
    let mut best = vec![u64::MAX; edges.len()];
    let mut heap = BinaryHeap::from([Step { cost: 0, at: 0 }]);
    while let Some(Step { cost, at }) = heap.pop() {
        if cost >= best[at] {
            continue;
        }
        best[at] = cost;
        heap.extend(edges[at].iter().map(|&(to, w)| Step { cost: cost + w, at: to }).filter(|s| s.cost < best[s.at]));
    }
    best.iter().filter(|&&c| c != u64::MAX).sum()
}

trait Shape {
    fn weight(&self, level: u64) -> u64;
}
struct Dot(u64);
struct Group(Vec<Box<dyn Shape>>);
struct Shared(Arc<Mutex<u64>>, Box<dyn Shape>);
impl Shape for Dot {
    fn weight(&self, level: u64) -> u64 {
        self.0.rotate_left((level % 13) as u32)
    }
}
impl Shape for Group {
    fn weight(&self, level: u64) -> u64 {
        self.0.iter().map(|s| s.weight(level + 1)).fold(level, u64::wrapping_add)
    }
}
impl Shape for Shared {
    fn weight(&self, level: u64) -> u64 {
        let w = self.1.weight(level + 1);
        *self.0.lock().unwrap() ^= w;
        w
    }
}
fn shapes(dice: &mut Dice, depth: u64, seen: &Arc<Mutex<u64>>) -> Box<dyn Shape> {
    match dice.roll(4) {
        _ if depth == 0 => Box::new(Dot(dice.roll(1 << 20))),
        0 => Box::new(Shared(seen.clone(), shapes(dice, depth - 1, seen))),
        _ => Box::new(Group((0..3).map(|_| shapes(dice, depth - 1, seen)).collect())),
    }
}

#[inline(never)]
fn words(dice: &mut Dice) -> usize {
    let text: String = (0..4000).map(|_| format!("{:x} ", dice.roll(3000))).collect();
    let counts = text.split_whitespace().fold(HashMap::<&str, usize>::new(), |mut m, w| {
        *m.entry(w).or_default() += 1;
        m
    });
    let by_count: BTreeMap<usize, Vec<&str>> = counts.iter().fold(BTreeMap::new(), |mut m, (w, n)| {
        m.entry(*n).or_insert_with(Vec::new).push(w);
        m
    });
    let mut all: Vec<_> = by_count
        .into_iter()
        .flat_map(|(n, w)| w.into_iter().map(move |w| (w.to_uppercase(), n)))
        .collect();
    all.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    all.chunks(7).map(|c| c.iter().map(|(w, n)| w.len() * n).sum::<usize>()).max().unwrap_or(0)
}

fn round(dice: &mut Dice) -> u64 {
    let mut total = words(dice) as u64;
    for _ in 0..40 {
        let mut text = String::new();
        formula(dice, 7, &mut text);
        if let Some(tree) = calculator::Reader::new(&text).sum() {
            total = total.wrapping_add(tree.value().abs() as u64 + tree.depth() as u64);
        }
    }
    let edges: Vec<Vec<_>> = (0..800)
        .map(|_| (0..5).map(|_| (dice.roll(800) as usize, 1 + dice.roll(90))).collect())
        .collect();
    total = total.wrapping_add(shortest(&edges));
    let seen = Arc::new(Mutex::new(0));
    let tree = shapes(dice, 7, &seen);
    total = (0..10).fold(total, |t, i| t.wrapping_add(tree.weight(i)));
    let mut queue: VecDeque<u64> = (0..3000).collect();
    (0..9000).for_each(|i| {
        let front = queue.pop_front().unwrap_or(0);
        queue.push_back(front.wrapping_mul(31) ^ i);
    });
    total ^ queue.iter().copied().reduce(|a, b| a ^ b).unwrap_or(0)
}

fn main() {
    let seconds: f64 = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let end = Instant::now() + Duration::from_secs_f64(seconds);
    let threads: Vec<_> = (1..=2)
        .map(|seed| {
            std::thread::spawn(move || {
                let mut dice = Dice(seed);
                let mut sum = round(&mut dice);
                while Instant::now() < end {
                    sum ^= round(&mut dice);
                }
                sum
            })
        })
        .collect();
    println!("{:x}", threads.into_iter().map(|t| t.join().unwrap()).fold(0, |a, b| a ^ b));
}
