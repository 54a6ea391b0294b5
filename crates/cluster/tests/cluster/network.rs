//! The network by itself: phases end when the last record has been taken, and not before.

use std::time::Duration;

use kripke_cluster::network::{Network, Patience};
use kripke_cluster::transport::simulated::{Schedule, Simulated};
use kripke_cluster::transport::threads::Threads;
use kripke_cluster::transport::{Failure, Transport};
use kripke_model::Random;

/// Runs a body on every rank.
fn run<R: Send>(networks: Vec<Network>, body: impl Fn(Network) -> R + Sync) -> Vec<R> {
    let body = &body;
    std::thread::scope(|scope| {
        let handles: Vec<_> = networks.into_iter().map(|net| scope.spawn(move || body(net))).collect();
        handles.into_iter().map(|handle| handle.join().expect("a rank")).collect()
    })
}

fn simulated(ranks: usize, seed: u64) -> Vec<Network> {
    let schedule = Schedule { seed, delay: seed as usize % 40, mishap: None };
    let boxed = |t: Simulated| -> Box<dyn Transport> { Box::new(t) };
    Simulated::new(ranks, schedule).into_iter().map(|t| Network::new(boxed(t), None)).collect()
}

fn threads(ranks: usize) -> Vec<Network> {
    let boxed = |t: Threads| -> Box<dyn Transport> { Box::new(t) };
    Threads::new(ranks, 1).into_iter().map(|t| Network::new(boxed(t), None)).collect()
}

/// Every rank throws balls; a ball that a rank takes is thrown again until its number is used up. Returns the balls that came down.
fn throw(net: &mut Network, random: &mut Random, phases: usize) -> Result<Vec<u64>, Failure> {
    let mut down = vec![0; phases];
    for down in &mut down {
        let mut balls = vec![random.below(6) as u8; random.below(4)];
        loop {
            while let Some(batch) = net.receive()? {
                balls.extend(batch.records().map(|record| record[0]));
            }
            match balls.pop() {
                Some(0) => *down += 1,
                Some(ball) if random.percent(30) => net.send_urgently(random.below(net.ranks()), &[ball - 1])?,
                Some(ball) => net.send(random.below(net.ranks()), &[ball - 1])?,
                None if net.is_phase_over()? => break,
                None => {}
            }
        }
    }
    net.finish()?;
    Ok(down)
}

/// The balls that all ranks throw first.
fn thrown(ranks: usize, seed: u64, phases: usize) -> Vec<u64> {
    // Only the first phase is known: later choices depend on what arrives.
    let first = |rank: u64| {
        let mut random = Random::of_case(seed, rank as usize);
        let _ = random.below(6);
        random.below(4) as u64
    };
    let mut all = vec![0; phases];
    all[0] = (0..ranks as u64).map(first).sum();
    all
}

fn balls(networks: Vec<Network>, seed: u64) {
    let (ranks, phases) = (networks.len(), 3);
    let results = run(networks, |mut net| {
        let mut random = Random::of_case(seed, net.rank());
        throw(&mut net, &mut random, phases)
    });
    let mut sums = vec![0; phases];
    for down in results {
        let down = down.unwrap_or_else(|failure| panic!("{ranks} ranks, seed {seed}: {failure}"));
        sums.iter_mut().zip(down).for_each(|(sum, more)| *sum += more);
    }
    assert_eq!(sums[0], thrown(ranks, seed, phases)[0], "{ranks} ranks, seed {seed}");
}

#[test]
fn a_phase_ends_with_the_last_record() {
    for seed in 0..2_000 {
        balls(simulated(1 + seed as usize % 5, seed), seed);
    }
    for seed in 0..200 {
        balls(threads(1 + seed as usize % 4), seed);
    }
}

#[test]
fn collectives_give_all_ranks_the_same() {
    for seed in 0..100 {
        let ranks = 1 + seed as usize % 4;
        let results = run(simulated(ranks, seed), |mut net| {
            let mine = vec![net.rank() as u8; net.rank()];
            let all = net.gather(mine)?;
            let sums = net.sum([1, net.rank() as u64])?;
            let bytes = net.broadcast(ranks - 1, Some(vec![net.rank() as u8]))?;
            net.finish()?;
            Ok::<_, Failure>((all, sums, bytes))
        });
        let n = ranks as u64;
        for result in results {
            let (all, sums, bytes) = result.expect("no failure");
            assert_eq!(all, (0..ranks).map(|rank| vec![rank as u8; rank]).collect::<Vec<_>>());
            assert_eq!((sums, bytes), ([n, n * (n - 1) / 2], vec![n as u8 - 1]));
        }
    }
}

/// A receiver that takes nothing stops the senders, and no record is lost when it goes on.
#[test]
fn a_slow_receiver_slows_down_the_sender() {
    let record = vec![7; 1000];
    let counts = run(threads(2), |mut net| {
        let (mut taken, mut sent, mut congested) = (0, 0, false);
        loop {
            if net.rank() == 1 {
                std::thread::sleep(Duration::from_micros(50));
            }
            while let Some(batch) = net.receive()? {
                taken += batch.records().count();
            }
            match net.rank() == 0 && sent < 20_000 {
                true if net.is_congested() => {
                    congested = true;
                    net.pause()?;
                }
                true => {
                    sent += 1;
                    net.send(1, &record)?;
                }
                false if net.is_phase_over()? => break,
                false => {}
            }
        }
        net.finish()?;
        Ok::<_, Failure>((taken, congested, net.traffic()))
    });
    let counts: Vec<_> = counts.into_iter().map(|count| count.expect("no failure")).collect();
    assert_eq!((counts[0].0, counts[1].0), (0, 20_000));
    assert_eq!(counts[0].2.records, 20_000);
    assert!(counts[0].2.bytes >= 20_000_000 && counts[0].2.frames < 2_500, "{:?}", counts[0].2);
}

#[test]
fn a_thread_that_ends_early_is_lost() {
    let results = run(threads(3), |mut net| {
        if net.rank() == 2 {
            return Ok(());
        }
        net.barrier()
    });
    assert_eq!(results, [Err(Failure::Lost(2)), Err(Failure::Lost(2)), Ok(())]);
}

#[test]
fn patience_of_machines_is_below_ten_seconds() {
    assert!(Patience::MACHINES.silence + Patience::MACHINES.sign_of_life < Duration::from_secs(10));
}
