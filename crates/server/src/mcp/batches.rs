//! JSON-RPC batches, which MCP has in version 2025-03-26 only: several messages in an array, with one array of answers.

use std::collections::{HashSet, VecDeque};
use std::fmt;

use rmcp::model::{ErrorData, RequestId, ServerJsonRpcMessage};
use serde::de::{Deserialize, Deserializer, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// The version of MCP that has batches.
pub(super) const VERSION: &str = "2025-03-26";

/// Maximum number of messages of a batch.
const MAX_MESSAGES: usize = 100;

/// True if a text is an array, so that it is a batch if it is JSON.
pub(super) fn is_batch(text: &[u8]) -> bool {
    text.trim_ascii_start().first() == Some(&b'[')
}

/// Splits a batch into its messages.
///
/// # Errors
/// If it is not JSON, is empty or has more than [`MAX_MESSAGES`].
pub(super) fn split(text: &[u8]) -> Result<VecDeque<Box<RawValue>>, ErrorData> {
    let First { messages, count } = serde_json::from_slice(text)
        .map_err(|error| ErrorData::parse_error(format!("not JSON: {error}"), None))?;
    match count {
        0 => Err(ErrorData::invalid_request("the batch is empty", None)),
        1..=MAX_MESSAGES => Ok(messages),
        many => {
            let error =
                format!("{many} messages are too many for a batch: send at most {MAX_MESSAGES}");
            Err(ErrorData::invalid_request(error, None))
        }
    }
}

/// The first [`MAX_MESSAGES`] elements of an array, and the number of all: further ones take no memory.
#[derive(Default)]
struct First {
    messages: VecDeque<Box<RawValue>>,
    count: usize,
}

impl<'de> Deserialize<'de> for First {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_seq(FirstVisitor)
    }
}

struct FirstVisitor;

impl<'de> Visitor<'de> for FirstVisitor {
    type Value = First;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut array: A) -> Result<First, A::Error> {
        let mut first = First::default();
        while first.count < MAX_MESSAGES {
            let Some(message) = array.next_element()? else {
                return Ok(first);
            };
            first.messages.push_back(message);
            first.count += 1;
        }
        while array.next_element::<IgnoredAny>()?.is_some() {
            first.count += 1;
        }
        Ok(first)
    }
}

/// Batches of a connection that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Batches {
    /// Messages of the last batch that were not read yet.
    unread: VecDeque<Box<RawValue>>,
    /// True while a message of the last batch is read.
    is_reading: bool,
    open: VecDeque<Batch>,
}

#[derive(Debug, Default)]
struct Batch {
    /// Requests without an answer yet.
    waiting: HashSet<RequestId>,
    answers: Vec<ServerJsonRpcMessage>,
}

impl Batches {
    /// Begins a batch, when the one before has been read.
    pub(super) fn begin(&mut self, messages: VecDeque<Box<RawValue>>) {
        self.unread = messages;
        self.open.push_back(Batch::default());
    }

    /// The next message of the last batch. Requests and errors belong to this batch until `done_reading`.
    pub(super) fn read(&mut self) -> Option<Box<RawValue>> {
        let message = self.unread.pop_front()?;
        self.is_reading = true;
        Some(message)
    }

    pub(super) fn done_reading(&mut self) {
        self.is_reading = false;
    }

    /// Notes a request that was read, if it is one of a batch.
    pub(super) fn expect(&mut self, id: &RequestId) {
        if let (true, Some(last)) = (self.is_reading, self.open.back_mut()) {
            last.waiting.insert(id.clone());
        }
    }

    /// Forgets a request that gets no answer.
    pub(super) fn forget(&mut self, id: &RequestId) {
        for batch in &mut self.open {
            batch.waiting.remove(id);
        }
    }

    /// Keeps an answer that belongs to a batch; returns any other one.
    pub(super) fn keep(&mut self, answer: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        let id = match &answer {
            ServerJsonRpcMessage::Response(response) => Some(&response.id),
            ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
            ServerJsonRpcMessage::Request(_) | ServerJsonRpcMessage::Notification(_) => None,
        };
        let mut batches = self.open.iter_mut();
        let asked =
            id.and_then(|id| batches.find_map(|batch| batch.waiting.remove(id).then_some(batch)));
        match asked {
            Some(batch) => batch.answers.push(answer),
            None => return Some(answer),
        }
        None
    }

    /// Keeps the error of a message that is read, if it is one of a batch; returns any other one.
    pub(super) fn refuse(&mut self, error: ServerJsonRpcMessage) -> Option<ServerJsonRpcMessage> {
        match self.open.back_mut() {
            Some(last) if self.is_reading => {
                last.answers.push(error);
                None
            }
            Some(_) | None => Some(error),
        }
    }

    /// Takes the answers of a batch that is complete, if there is one. A batch of notifications has none.
    pub(super) fn complete(&mut self) -> Option<Vec<ServerJsonRpcMessage>> {
        let is_read = |index: usize| {
            index + 1 < self.open.len() || (self.unread.is_empty() && !self.is_reading)
        };
        let place = self
            .open
            .iter()
            .enumerate()
            .position(|(index, batch)| batch.waiting.is_empty() && is_read(index))?;
        let batch = self.open.remove(place)?;
        Some(batch.answers)
    }
}
