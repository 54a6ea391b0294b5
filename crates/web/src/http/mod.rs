//! The server: connections, and the requests on them.

mod accounts;
mod assets;
mod connection;
mod files;
mod guard;
mod jobs;
mod routes;
mod sessions;

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use crate::app::App;
use crate::rate::Places;
use connection::Impatient;

/// The most connections at a time.
const CONNECTIONS: usize = 512;
/// The most connections of an address: one client can't take all of them.
const OF_ADDRESS: usize = 256;
/// The time in which a client must send the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// The most bytes and fields of the head of a request.
const HEAD_BYTES: usize = 32 << 10;
const HEAD_FIELDS: usize = 64;

/// Serves connections until the program ends.
pub(crate) async fn serve(listener: TcpListener, app: Arc<App>) -> io::Result<()> {
    // All connections of a proxy come from its address.
    let most = if app.behind_proxy { CONNECTIONS } else { OF_ADDRESS };
    let (free, places) = (Arc::new(Semaphore::new(CONNECTIONS)), Places::new(most));
    let router = routes::router(app);
    loop {
        let Ok(permit) = Arc::clone(&free).acquire_owned().await else { return Ok(()) };
        let (stream, client) = match listener.accept().await {
            Ok(accepted) => accepted,
            Err(e) => {
                // No descriptors are left, or the client is gone.
                eprintln!("warning: a connection failed: {e}");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Some(place) = places.take(&client.ip().to_string()) else { continue };
        let router = router.clone();
        tokio::spawn(async move {
            connection(stream, client, router).await;
            drop((permit, place));
        });
    }
}

async fn connection(stream: TcpStream, client: SocketAddr, router: Router) {
    let _ = stream.set_nodelay(true);
    let service = router.layer(axum::Extension(ConnectInfo(client)));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD).max_buf_size(HEAD_BYTES).max_headers(HEAD_FIELDS);
    // Errors are those of clients: they went away, or sent what is no request.
    let _ = builder.serve_connection(TokioIo::new(Impatient::new(stream)), TowerToHyperService::new(service)).await;
}
