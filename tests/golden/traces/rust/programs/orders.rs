//! Panics of many kinds; the first argument says which.
use std::collections::HashMap;
use std::fmt;
use std::thread;

struct Cache<K, V> {
    items: HashMap<K, V>,
}

impl<K: std::hash::Hash + Eq, V: Clone> Cache<K, V> {
    #[inline(never)]
    fn must(&self, key: &K) -> V {
        self.items.get(key).cloned().unwrap()
    }
}

struct Order {
    lines: Vec<u32>,
}

impl fmt::Display for Order {
    #[inline(never)]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "first line {}", self.lines[3])
    }
}

trait Step {
    fn run(&self) -> u32;
}

impl<F: Fn() -> u32> Step for F {
    #[inline(never)]
    fn run(&self) -> u32 {
        self()
    }
}

struct Guard;

impl Drop for Guard {
    fn drop(&mut self) {
        panic!("second, while unwinding");
    }
}

#[inline(never)]
fn load(path: &str) -> String {
    std::fs::read_to_string(path).expect("could not read prices")
}

#[inline(never)]
fn closure() -> u32 {
    let cache: Cache<String, u32> = Cache { items: HashMap::new() };
    let step = || cache.must(&"a".to_string());
    step.run()
}

#[inline(never)]
fn deep(n: u64) -> u64 {
    let pad = [n; 32];
    if n == 0 { 0 } else { deep(n + 1) + pad[(n % 32) as usize] }
}

fn main() {
    match std::env::args().nth(1).as_deref() {
        Some("closure") => drop(closure()),
        Some("display") => println!("{}", Order { lines: vec![1] }),
        Some("expect") => drop(load("/nonexistent/prices-2024.csv")),
        Some("assert") => assert_eq!(1 + 1, 3, "订单 {} 的数量\n不对", 42),
        Some("thread") => {
            let worker = thread::Builder::new().name("工作 3".into()).spawn(|| load("/nonexistent/a")).unwrap();
            worker.join().expect("worker failed");
        }
        Some("double") => {
            let _guard = Guard;
            panic!("first");
        }
        Some("overflow") => drop(deep(1)),
        _ => (),
    }
}
