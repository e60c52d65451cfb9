//! Keeps what the detector costs within the budget.
//!
//! Time is spent when a sample is taken, when calls are observed, which they are whatever is chosen, when what they touched is recorded, when ranks
//! exchange, and when they wait at a barrier for another one that has spent more; all of it is told here. What a
//! sample makes the next exchange cost is paid in advance, at the price that the last ones had: when it comes, it is too late to choose. Allowed is
//! the budget's share of the time that the program took by itself, and a small credit at the start, for the sake of short programs. Two things follow:
//!
//! * a *weight*, by which all chances of the policy are multiplied. It rises while less is spent than allowed, faster and faster, against the
//!   back-off of what is taken meanwhile, and falls when more is spent. What was taken seldom has the greatest chance in all policies
//!   that back off, so a rising weight goes to rarely executed code first, like water to the lowest place;
//! * a *gate*: when nothing is left, nothing is taken but what has not been looked at before. What was taken seldom may go into debt.
//!
//! Deterministic in the times it is told, which is how it is tested.

use crate::budget::Budget;

/// What may be spent before any time has passed, on looking and on exchanges.
const CREDIT_US: u64 = 8_000;
const EXCHANGES_US: u64 = 4_000;
/// What a sample is taken to cost at the next exchange, until that is known, and bounds of it.
const PRICE_US: f64 = 1.0;
const PRICES_US: (f64, f64) = (0.1, 20.0);
/// What an exchange costs without any samples.
const EXCHANGE_US: f64 = 100.0;
/// No look takes longer: the processor was somewhere else.
const LONGEST_US: f64 = 50.0;
/// How often the weight is looked at.
const REVIEW_US: u64 = 1_000;
/// The weight falls at most so much at a time, and its speed with it.
const SLOWER: f64 = 0.25;
/// Its speed rises at most so much at a time.
const FASTER: f64 = 2.0;
/// Logarithms of the weight that it rises by in a microsecond: at first, at least and at most.
const SPEED: f64 = 1e-3;
const SPEEDS: (f64, f64) = (1e-6, 10.0);
/// Part of what is left over, or overspent, that is made up for until the next review.
const MADE_UP: f64 = 0.25;
/// Debt that what was taken seldom may make.
const DEBT_US: f64 = 1_000.0;
/// How seldom that is.
const SELDOM: u64 = 16;
/// Bounds of the weight's logarithm.
const LEAST: f64 = -100.0;
const MOST: f64 = 1e9;

/// One thread's.
#[derive(Debug)]
pub struct Controller {
    budget: Option<Budget>,
    ticks_per_us: f64,
    began: u64,
    credit: f64,
    /// All that was spent.
    spent: u64,
    /// What of it went into looking at accesses: the credit is for that alone.
    looked: u64,
    /// What of it went into calls that are observed anyway.
    calls: u64,
    /// What of it went, or will go, into records of what they touched.
    recorded: u64,
    /// What of it went into waiting for other ranks, which had spent more.
    waited: u64,
    /// What of it was this rank's own when ranks met the last time.
    met: u64,
    /// What the program took by itself, times the budget.
    earned: f64,
    /// What could not be helped any more when it was spent, besides.
    overrun: u64,
    /// What a sample costs at the next exchange.
    price: f64,
    /// Samples since the last one, and what was paid for them.
    samples: u64,
    paid: u64,
    reviewed: u64,
    spent_at_review: u64,
    counted_at_review: f64,
    ln_weight: f64,
    /// What it rises by in a tick.
    speed: f64,
    told: u64,
    /// What may be spent now; without a budget it does not matter.
    left: f64,
    /// Microseconds that were told already.
    accounted: [u64; 3],
}

impl Controller {
    /// Begins now. Times are ticks of any clock that does not stop.
    pub fn new(budget: Option<Budget>, ticks_per_us: f64, now: u64) -> Self {
        let credit = CREDIT_US as f64 * ticks_per_us;
        Self {
            budget,
            ticks_per_us,
            began: now,
            credit,
            spent: 0,
            looked: 0,
            calls: 0,
            recorded: 0,
            waited: 0,
            met: 0,
            earned: 0.0,
            overrun: 0,
            price: PRICE_US * ticks_per_us,
            samples: 0,
            paid: 0,
            reviewed: now,
            spent_at_review: 0,
            counted_at_review: 0.0,
            ln_weight: 0.0,
            speed: SPEED / ticks_per_us,
            told: now,
            left: credit,
            accounted: [0; 3],
        }
    }

    /// Whether times need to be told at all.
    #[inline]
    pub fn measures(&self) -> bool {
        self.budget.is_some()
    }

    /// Whether the credit is not used up yet: everything is taken.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.budget.is_some() && (self.looked as f64) < self.credit
    }

    /// Whether more may be spent, on something that was taken so often.
    #[inline]
    pub fn allows(&self, taken: u64) -> bool {
        let debt = if taken < SELDOM { DEBT_US * self.ticks_per_us } else { 0.0 };
        self.budget.is_none() || self.left + debt > 0.0
    }

    /// Whether what a call touches may be recorded. One-sided operations are what races between ranks are made of: samples have what they leave, and
    /// they may use a quarter of what was earned even when nothing is left.
    #[inline]
    pub fn allows_call(&self) -> bool {
        self.budget.is_none() || self.left > 0.0 || (self.recorded as f64) < self.earned / 4.0
    }

    /// Whether calls that are observed whatever is chosen have taken more than there is for everything.
    pub fn calls_exceed(&self) -> bool {
        self.budget.is_some() && self.calls as f64 > self.credit + self.earned
    }

    /// What was spent, as far as it counts: calls that are observed anyway do not take more than half of the budget from the rest.
    fn counted(&self) -> f64 {
        (self.spent - self.calls.min(self.spent)) as f64 + (self.calls as f64).min(self.earned / 2.0)
    }

    /// Whether something may begin that cannot be stopped, and has cost more than it was granted before.
    pub fn allows_overrun(&self) -> bool {
        self.budget.is_none() || self.left > self.overrun as f64
    }

    /// The logarithm of what chances are multiplied with.
    #[inline]
    pub fn ln_weight(&self) -> f64 {
        self.ln_weight
    }

    /// So much was spent on looking at an access, or on deciding about it, until now.
    pub fn charge(&mut self, ticks: u64, now: u64) {
        self.looked += ticks;
        self.charge_other(ticks, now);
    }

    /// So much was spent on looking at an access that is no sample in the end.
    pub fn charge_look(&mut self, ticks: u64, now: u64) {
        self.charge(self.with_aftermath(ticks), now);
    }

    /// With what the program itself takes longer afterwards: what is looked at takes caches and branch history from it. By single runs of CG, class B, which took 1.4 times what was
    /// measured; others take less, and are looked at a little less than they could be.
    fn with_aftermath(&self, ticks: u64) -> u64 {
        self.credible(ticks) / 4 * 5
    }

    fn credible(&self, ticks: u64) -> u64 {
        ticks.min((LONGEST_US * self.ticks_per_us) as u64)
    }

    /// So much was spent on a sample, which an exchange will have to look at.
    pub fn charge_sample(&mut self, ticks: u64, now: u64) {
        let ticks = self.with_aftermath(ticks);
        self.samples += 1;
        self.paid += self.price as u64;
        self.charge(ticks + self.price as u64, now);
    }

    /// So much was spent on records of what a call touched, which an exchange will have to look at.
    pub fn charge_records(&mut self, ticks: u64, records: u64, now: u64) {
        let price = self.price as u64 * records;
        let all = self.credible(ticks) + price;
        self.samples += records;
        self.paid += price;
        self.recorded += all;
        self.charge(all, now);
    }

    /// So much was spent by something that could not be stopped. Samples are not to suffer from it: what it costs is paid by not beginning it again.
    pub fn charge_overrun(&mut self, ticks: u64, now: u64) {
        // It is an estimate, and instrumented code is seldom four times as slow.
        self.overrun = (self.overrun + ticks).min(now.saturating_sub(self.began) / 4 * 3);
        self.charge_other(0, now);
    }

    /// So much was spent on calls that are observed whatever is chosen.
    pub fn charge_calls(&mut self, ticks: u64, now: u64) {
        // It is an estimate: the program has done something, too.
        let before = self.calls;
        self.calls = (before + ticks).min(now.saturating_sub(self.began) / 4 * 3).max(before);
        self.charge_other(self.calls - before, now);
    }

    /// So much was spent on an exchange: what was not paid for in advance is due now, and the next one's price is known better.
    pub fn charge_exchange(&mut self, ticks: u64, now: u64) {
        let samples = std::mem::take(&mut self.samples);
        let paid = std::mem::take(&mut self.paid);
        if samples > 0 {
            let (least, most) = PRICES_US;
            let each = (ticks as f64 - EXCHANGE_US * self.ticks_per_us).max(0.0) / samples.max(64) as f64;
            let price = each.clamp(least * self.ticks_per_us, most * self.ticks_per_us);
            self.price = f64::midpoint(self.price, price);
        }
        // What was paid too much is given back.
        let back = paid.min(self.spent).min(self.looked);
        (self.spent, self.looked) = (self.spent - back, self.looked - back);
        self.spent_at_review = self.spent_at_review.min(self.spent);
        self.counted_at_review = self.counted_at_review.min(self.counted());
        self.charge_other(ticks, now);
    }

    /// What was spent here, without waiting, and without what is paid in advance.
    fn own(&self) -> u64 {
        (self.spent + self.overrun).saturating_sub(self.paid + self.waited)
    }

    /// How much later this rank is than it would be by itself, since ranks met the last time.
    pub fn delay(&self) -> u64 {
        self.own().saturating_sub(self.met)
    }

    /// Ranks have met. One of them was so much later than it would be by itself, the most of all; this one has waited for so long.
    pub fn charge_wait(&mut self, most: u64, waited: u64, now: u64) {
        let late = most.saturating_sub(self.delay()).min(waited);
        self.met = self.own();
        self.waited += late;
        self.charge_other(late, now);
    }

    /// So much was spent on something else.
    pub fn charge_other(&mut self, ticks: u64, now: u64) {
        let Some(budget) = self.budget else { return };
        self.spent += ticks;
        let own = now.saturating_sub(self.began).saturating_sub(self.spent + self.overrun) as f64;
        let exchanges = EXCHANGES_US as f64 * self.ticks_per_us;
        let other = (self.spent.saturating_sub(self.looked + self.calls) as f64).min(exchanges);
        self.earned = own * budget.fraction();
        self.left = self.credit + other + self.earned - self.counted();
        if self.is_free() {
            self.told = now;
            self.begin_window(now);
            return;
        }
        let passed = now.saturating_sub(self.told) as f64;
        self.ln_weight = (self.ln_weight + self.speed * passed).clamp(LEAST, MOST);
        self.told = now;
        let window = now.saturating_sub(self.reviewed) as f64;
        if window >= REVIEW_US as f64 * self.ticks_per_us {
            self.review(budget, window);
            self.begin_window(now);
        }
    }

    fn begin_window(&mut self, now: u64) {
        (self.reviewed, self.spent_at_review, self.counted_at_review) = (now, self.spent, self.counted());
    }

    fn review(&mut self, budget: Budget, window: f64) {
        let own = (window - (self.spent - self.spent_at_review) as f64).max(0.0);
        let counted = self.counted() - self.counted_at_review;
        let wanted = (own * budget.fraction() + self.left * MADE_UP).max(0.0);
        let change = (wanted / counted.max(1.0)).clamp(SLOWER, FASTER);
        if change < 1.0 {
            self.ln_weight = (self.ln_weight + change.ln()).clamp(LEAST, MOST);
        }
        let (least, most) = SPEEDS;
        self.speed = (self.speed * change).clamp(least / self.ticks_per_us, most / self.ticks_per_us);
    }

    /// Microseconds spent, and microseconds that passed, since the beginning.
    pub fn account(&self, now: u64) -> (u64, u64) {
        let us = |ticks: u64| (ticks as f64 / self.ticks_per_us) as u64;
        (us(self.spent + self.overrun), us(now.saturating_sub(self.began)))
    }

    /// Microseconds spent, those of them that calls took, and microseconds that passed, each since the last time this was asked.
    pub fn take_account(&mut self, now: u64) -> [u64; 3] {
        let (spent, passed) = self.account(now);
        let all = [spent, (self.calls as f64 / self.ticks_per_us) as u64, passed];
        let told = std::mem::replace(&mut self.accounted, all);
        std::array::from_fn(|i| all[i].saturating_sub(told[i]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::gaps::{Gap, Gaps, LONGEST};

    /// A program whose one site is executed every `period` ticks, at `cost` a sample, for so many ticks. The share that was spent beyond
    /// the credit.
    fn simulated(budget: Budget, period: u64, cost: u64, until: u64) -> f64 {
        let mut controller = Controller::new(Some(budget), 1000.0, 0);
        let mut gaps = Gaps::new(7, 0, 0);
        let (mut now, mut own) = (0, 0);
        while now < until {
            let weighted = Chance::of(1e-3).weighted(controller.ln_weight());
            let chance = if controller.is_free() { Chance::CERTAIN } else { weighted };
            let (pass, take) = match gaps.draw(chance, LONGEST) {
                Gap::Until(gap) => (gap, controller.allows(1_000)),
                Gap::AtLeast(gap) => (gap, false),
            };
            // A refused sample waits for a while, as in the sampler.
            let pass = u64::from(pass) + if take { 1 } else { 4096 };
            (now, own) = (now + pass * period, own + pass * period);
            if take {
                now += cost;
                controller.charge(cost, now);
            } else {
                controller.charge(0, now);
            }
        }
        (controller.spent as f64 - controller.credit) / own as f64
    }

    #[test]
    fn the_budget_is_held_and_used() {
        // Half a second, with a tick a nanosecond.
        for thousandths in [20, 50, 100, 500] {
            let budget = Budget::from_thousandths(thousandths).unwrap();
            for (period, cost) in [(5, 60), (50, 2_000), (5, 20_000)] {
                let share = simulated(budget, period, cost, 500_000_000);
                let within = (share - budget.fraction()).abs();
                assert!(within < 0.02, "{budget}, {period}, {cost}: {:.2} %", share * 100.0);
            }
        }
    }

    #[test]
    fn short_programs_are_free() {
        let controller = Controller::new(Some(Budget::USUAL), 1000.0, 0);
        assert!(controller.is_free() && controller.allows(0));
        let mut used = Controller::new(Some(Budget::USUAL), 1000.0, 0);
        used.charge(CREDIT_US * 1000 + 200_000, CREDIT_US * 1000 + 1_000_000);
        assert!(!used.is_free() && !used.allows(100) && used.allows(0));
        used.charge(0, 400_000_000);
        assert!(!used.is_free() && used.allows(100));
        let mut none = Controller::new(None, 1000.0, 0);
        none.charge_sample(1000, 2000);
        assert!(!none.is_free() && none.allows(100) && !none.measures());
    }

    #[test]
    fn what_an_exchange_will_cost_is_paid_in_advance() {
        let us = 1000;
        let mut controller = Controller::new(Some(Budget::USUAL), us as f64, 0);
        let (mut now, mut before) = (0, 0);
        for exchange in 0..10 {
            for _ in 0..1000 {
                now += 100 * us;
                controller.charge_sample(us, now);
            }
            // Each sample makes it take 5 us longer.
            let due = controller.spent - before;
            if exchange > 5 {
                assert!((6_150 * us..6_350 * us).contains(&due), "{due} in exchange {exchange}");
            }
            controller.charge_exchange(5_100 * us, now);
            assert_eq!(
                controller.spent - before,
                6_350 * us,
                "no more than it took in the end, and the aftermath of the samples"
            );
            before = controller.spent;
        }
    }

    #[test]
    fn what_could_not_be_stopped_is_not_begun_again_until_it_is_paid_for() {
        let us = 1000;
        let mut controller = Controller::new(Some(Budget::USUAL), us as f64, 0);
        controller.charge_overrun(50_000 * us, 70_000 * us);
        assert!(!controller.allows_overrun() && controller.allows(100), "samples go on");
        controller.charge(0, 500_000 * us);
        assert!(!controller.allows_overrun());
        controller.charge(0, 1_000_000 * us);
        assert!(controller.allows_overrun(), "a twentieth of 950 ms, with the credit");
        assert_eq!(controller.take_account(1_000_000 * us), [50_000, 0, 1_000_000]);
    }

    #[test]
    fn what_others_spend_is_waited_for() {
        let us = 1000;
        let mut controller = Controller::new(Some(Budget::USUAL), us as f64, 0);
        controller.charge_sample(300 * us, 10_000 * us);
        let look = 50 * us / 4 * 5;
        assert_eq!(
            controller.delay(),
            look,
            "no look takes longer but for its aftermath, and what is paid in advance is no delay"
        );
        controller.charge_wait(400 * us + look, 2_000 * us, 20_000 * us);
        assert_eq!((controller.waited, controller.delay()), (400 * us, 0));
        controller.charge(100 * us, 21_000 * us);
        controller.charge_wait(40 * us, 2_000 * us, 22_000 * us);
        assert_eq!((controller.waited, controller.delay()), (400 * us, 0), "this one was the last");
        controller.charge_wait(500 * us, 10 * us, 30_000 * us);
        assert_eq!(controller.waited, 410 * us, "the others had something to do");
    }

    #[test]
    fn calls_leave_half_of_the_budget_for_looking() {
        let us = 1000;
        let mut controller = Controller::new(Some(Budget::USUAL), us as f64, 0);
        for turn in 1..=1000 {
            controller.charge_calls(100 * us, turn * 1000 * us);
        }
        let half = (900_000 / 20 / 2 * us) as f64 + controller.credit;
        assert!((controller.left - half).abs() < 2.0 && controller.allows(100) && controller.allows_call());
        assert_eq!(controller.take_account(1_000_000 * us), [100_000, 100_000, 1_000_000]);
        assert_eq!(controller.take_account(1_000_000 * us), [0; 3]);
    }

    #[test]
    fn records_of_calls_have_a_quarter_of_the_budget_for_themselves() {
        let us = 1000;
        let mut controller = Controller::new(Some(Budget::USUAL), us as f64, 0);
        // Samples take more than there is.
        controller.charge(100_000 * us, 1_000_000 * us);
        assert!(!controller.allows(100) && controller.allows_call());
        let mut recorded = 0;
        while controller.allows_call() {
            controller.charge_records(us, 1, 1_000_000 * us);
            recorded += 1;
        }
        // Each is 1 us, and 1 us at the next exchange.
        let quarter = 900_000 / 20 / 4 / 2;
        assert!((quarter - 200..=quarter).contains(&recorded), "{recorded} of {quarter}");
    }
}
