//! The identity of buffered messages: which send put a message into its channel, and which receive takes it out.

use kripke_model::layout::View;

/// The messages of all channels, each with its number in the chart.
#[derive(Debug, Default)]
pub struct Queues {
    channels: Vec<Vec<Queued>>,
    /// The number of messages so far.
    count: usize,
}

/// A message in a channel.
#[derive(Clone, Debug)]
struct Queued {
    message: usize,
    values: Vec<i32>,
}

impl Queues {
    /// Puts a message into a channel, at the end or where a sorted send puts it. Returns its number.
    pub fn send(&mut self, channel: usize, values: Vec<i32>, sorted: bool) -> usize {
        let message = self.fresh();
        if let Some(queue) = self.channels.get_mut(channel) {
            let larger = queue.iter().position(|other| sorted && other.values > values);
            queue.insert(larger.unwrap_or(queue.len()), Queued { message, values });
        }
        message
    }

    /// The first message of a channel that is accepted, and its values. It stays in the channel if `keep` is set.
    pub fn receive(
        &mut self,
        channel: usize,
        keep: bool,
        accepts: impl Fn(&[i32]) -> bool,
    ) -> Option<(usize, Vec<i32>)> {
        let queue = self.channels.get_mut(channel)?;
        let at = queue.iter().position(|queued| accepts(&queued.values))?;
        let Queued { message, values } = if keep { queue[at].clone() } else { queue.remove(at) };
        Some((message, values))
    }

    /// The channel that a message is in, and its values.
    pub fn find(&self, message: usize) -> Option<(usize, &[i32])> {
        let found = |queue: &Vec<Queued>| queue.iter().position(|queued| queued.message == message);
        let (channel, at) = self.channels.iter().enumerate().find_map(|(n, queue)| Some((n, found(queue)?)))?;
        Some((channel, &self.channels[channel][at].values))
    }

    /// Whether a channel has as many messages as its state says.
    pub fn fits(&self, channel: usize, view: &View) -> bool {
        let queue = self.channels.get(channel).map_or(0, Vec::len);
        view.channels.get(channel).is_none_or(|channel| channel.messages.len() == queue)
    }

    /// Takes over the contents of all channels from a state. Where the lengths differ, messages leave at the front and
    /// come in at the end.
    pub fn agree(&mut self, view: &View) {
        self.channels.resize_with(view.channels.len(), Vec::new);
        for (n, channel) in view.channels.iter().enumerate() {
            let len = channel.messages.len();
            while self.channels[n].len() < len {
                let message = self.fresh();
                self.channels[n].push(Queued { message, values: Vec::new() });
            }
            let surplus = self.channels[n].len() - len;
            self.channels[n].drain(..surplus);
            for (queued, values) in self.channels[n].iter_mut().zip(&channel.messages) {
                queued.values.clone_from(values);
            }
        }
    }

    /// Removes a message that is not in its channel after the send.
    pub fn lose(&mut self, message: usize) {
        self.channels.iter_mut().for_each(|queue| queue.retain(|queued| queued.message != message));
    }

    /// The number of messages so far.
    pub fn count(&self) -> usize {
        self.count
    }

    fn fresh(&mut self) -> usize {
        self.count += 1;
        self.count - 1
    }
}
