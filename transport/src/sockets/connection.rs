//! One connection at the hub: handshake, reader, writer.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use tokio::{
    io::{self, AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, BufWriter},
    net::{
        TcpListener, TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    sync::{mpsc as channel, oneshot},
    time,
};

use super::{
    HubOptions, Refusal,
    router::{End, Input},
};
use crate::{
    gather::Mail,
    message::Outbox,
    token::Token,
    wire::{CLAIM_LEN, Claim, Decoder, Frame, OPENING_LEN, VERSION, WireError, opening},
};

/// What is read and written at once.
const BUFFER: usize = 64 << 10;
/// How long what a dead process left in its socket may take to be read. Waited for in full only if a forked child holds
/// the socket open; otherwise the end of the stream comes first.
const GRACE: Duration = Duration::from_millis(500);
/// How long a client that was refused may go on talking: closed while it does, it might miss the reason.
const LINGER: Duration = Duration::from_secs(1);
/// How long to wait before accepting again when the system has no more open files to give.
const PAUSE: Duration = Duration::from_millis(20);

/// What all connections share.
pub struct House {
    pub size: u32,
    pub token: Token,
    pub options: HubOptions,
    pub router: channel::UnboundedSender<Input>,
}

impl House {
    fn tell(&self, input: Input) {
        // A router that is gone has shut down, and this task ends with it.
        let _ = self.router.send(input);
    }
}

/// Lets connections in, for ever.
pub async fn accept(listener: TcpListener, house: Arc<House>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => drop(tokio::spawn(serve(stream, peer, Arc::clone(&house)))),
            Err(_) => time::sleep(PAUSE).await,
        }
    }
}

/// One connection, from its first byte to its last.
async fn serve(mut stream: TcpStream, peer: SocketAddr, house: Arc<House>) {
    // At worst it is slower.
    let _ = stream.set_nodelay(true);
    let greeted = time::timeout(house.options.handshake_timeout, greet(&mut stream, &house.token)).await;
    let claim = match greeted.unwrap_or(Err(Refusal::NoHandshake)) {
        Ok(claim) => claim,
        Err(why) => {
            drop(stream);
            return house.tell(Input::Stranger(peer, why));
        }
    };

    let (read, write) = stream.into_split();
    let mut reader = BufReader::with_capacity(BUFFER, read);
    let (seated, seat) = oneshot::channel();
    house.tell(Input::Join { claim, peer, write, seated });
    let Ok(dismissed) = seat.await else { return linger(reader).await };

    let end = {
        let listening = listen(&mut reader, claim.rank, &house);
        tokio::pin!(listening);
        tokio::select! {
            end = &mut listening => end,
            () = dismissed.notified() => time::timeout(GRACE, listening).await.unwrap_or(End::Closed),
        }
    };
    let refused = matches!(end, End::Refused(_));
    house.tell(Input::Ended { rank: claim.rank, end });
    if refused {
        linger(reader).await;
    }
}

/// The token is compared before anything is read that depends on who it is.
async fn greet(stream: &mut TcpStream, token: &Token) -> Result<Claim, Refusal> {
    let version = opening(read_array::<OPENING_LEN>(stream).await?).ok_or(Refusal::NotOurs)?;
    if version != VERSION {
        return Err(Refusal::WrongVersion { theirs: version, ours: VERSION });
    }
    if !token.matches(&read_array(stream).await?) {
        return Err(Refusal::WrongToken);
    }
    Ok(Claim::decode(read_array::<CLAIM_LEN>(stream).await?))
}

async fn read_array<const N: usize>(stream: &mut TcpStream) -> Result<[u8; N], Refusal> {
    let mut bytes = [0; N];
    stream.read_exact(&mut bytes).await.map_err(|_| Refusal::NoHandshake)?;
    Ok(bytes)
}

async fn linger(mut reader: BufReader<OwnedReadHalf>) {
    let _ = time::timeout(LINGER, io::copy_buf(&mut reader, &mut io::sink())).await;
}

/// Hears a rank out, to its end.
async fn listen(reader: &mut BufReader<OwnedReadHalf>, rank: u32, house: &House) -> End {
    let (size, limit) = (house.size, house.options.limit);
    let mut decoder = Decoder::new(limit);
    let mut out = Outbox::new();
    let mut spent = 0;
    loop {
        let frame = match receive(reader, &mut decoder).await {
            Ok(Some(frame)) => frame,
            Ok(None) => return End::Closed,
            Err(error) => return End::Refused(error.into()),
        };
        if matches!(frame, Frame::To { .. } | Frame::Round { .. }) {
            spent += frame.wire_len();
            if spent > u64::from(limit) {
                return End::Refused(Refusal::TooMuch(limit));
            }
        }
        match frame {
            Frame::To { rank: to, .. } if to >= size => return End::Refused(Refusal::NoSuchRank { rank: to, size }),
            Frame::To { rank: to, bytes } => out.send(to, bytes),
            Frame::Round { round, all } => {
                house.tell(Input::Spoke { rank, round, out: std::mem::take(&mut out).all(all) });
                spent = 0;
            }
            Frame::Note(bytes) => house.tell(Input::Note { rank, bytes }),
            Frame::Leave(last_word) => return End::Left(last_word),
            other => return End::Refused(WireError::Unexpected(other.kind()).into()),
        }
    }
}

/// The next frame; `None` when the connection has ended or broken.
async fn receive(
    reader: &mut BufReader<OwnedReadHalf>,
    decoder: &mut Decoder,
) -> Result<Option<Frame<Vec<u8>>>, WireError> {
    loop {
        let buffered = match reader.fill_buf().await {
            Ok([]) | Err(_) => return Ok(None),
            Ok(buffered) => buffered,
        };
        let mut input = buffered;
        let frame = decoder.push(&mut input);
        let used = buffered.len() - input.len();
        reader.consume(used);
        if let Some(frame) = frame? {
            return Ok(Some(frame));
        }
    }
}

/// What a writer has to write.
#[derive(Debug)]
pub enum Outgoing {
    /// One rank's inbox; `said` are encoded frames, the same for all.
    Inbox { round: u64, said: Arc<[u8]>, from: Mail },
    /// Anything else.
    Frame(Frame<Vec<u8>>),
}

impl Outgoing {
    /// Tells a client why it is refused.
    pub fn refusal(why: &Refusal) -> Self {
        Self::Frame(Frame::Refused(why.to_string().into_bytes()))
    }
}

/// Writes until nobody can say any more what, or the connection breaks (which the reader notices, too).
pub async fn write(write: OwnedWriteHalf, mut queue: channel::UnboundedReceiver<Outgoing>) {
    let mut writer = BufWriter::with_capacity(BUFFER, write);
    let mut head = Vec::new();
    while let Some(outgoing) = queue.recv().await {
        let written = match outgoing {
            Outgoing::Inbox { round, said, from } => write_inbox(&mut writer, &mut head, round, &said, from).await,
            Outgoing::Frame(frame) => write_frame(&mut writer, &mut head, &frame).await,
        };
        if written.is_err() || writer.flush().await.is_err() {
            return;
        }
    }
}

async fn write_inbox(
    writer: &mut BufWriter<OwnedWriteHalf>,
    head: &mut Vec<u8>,
    round: u64,
    said: &[u8],
    from: Mail,
) -> io::Result<()> {
    writer.write_all(said).await?;
    for (rank, bytes) in from {
        write_frame(writer, head, &Frame::From { rank, bytes }).await?;
    }
    write_frame(writer, head, &Frame::Turn { round }).await
}

async fn write_frame(
    writer: &mut BufWriter<OwnedWriteHalf>,
    head: &mut Vec<u8>,
    frame: &Frame<Vec<u8>>,
) -> io::Result<()> {
    head.clear();
    frame.encode_head(head);
    writer.write_all(head).await?;
    writer.write_all(frame.body()).await
}
