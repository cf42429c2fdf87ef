//! `fibula serve` and `fibula mcp`.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tokio_util::sync::CancellationToken;

use super::output::Failure;
use crate::service::{self, Service};
use crate::{http, mcp};

/// What both servers offer.
#[derive(Debug, Args)]
struct Offer {
    /// Offer only the tools of these toolsets: project, function.
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    toolsets: Vec<mcp::Toolset>,
    /// Offer only tools that change nothing.
    #[arg(long)]
    read_only: bool,
    /// Folders from which agents may import files; the working directory if none is given.
    #[arg(long, value_name = "FOLDER")]
    files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Serve {
    /// The address; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value_t = http::Options::default().listen)]
    listen: SocketAddr,
    /// The secret that every request must show (Authorization: Bearer); needed unless the address is loopback.
    /// Better given as the environment variable `FIBULA_TOKEN`, where other users of the machine do not see it.
    #[arg(long)]
    token: Option<String>,
    /// Names under which this server is reached, beside localhost and its address.
    #[arg(long, value_name = "NAME")]
    host: Vec<String>,
    #[command(flatten)]
    offer: Offer,
}

#[derive(Debug, Args)]
pub(super) struct Mcp {
    #[command(flatten)]
    offer: Offer,
}

impl Offer {
    fn server(&self) -> Result<(Arc<Service>, mcp::Server), Failure> {
        let mut roots = self.files.clone();
        if roots.is_empty() {
            roots.push(std::env::current_dir().map_err(failed)?);
        }
        if let Some(none) = roots.iter().find(|root| !root.is_dir()) {
            return Err(Failure::Server(format!("{} is no folder", none.display())));
        }
        let service = Arc::new(Service::new(&service::Options { roots }));
        let mut options = mcp::Options {
            read_only: self.read_only,
            ..mcp::Options::default()
        };
        if !self.toolsets.is_empty() {
            options.toolsets.clone_from(&self.toolsets);
        }
        let server = mcp::Server::new(service.clone(), &options);
        Ok((service, server))
    }
}

impl Serve {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (service, server) = self.offer.server()?;
        let options = http::Options {
            listen: self.listen,
            token: self.token.or_else(|| std::env::var("FIBULA_TOKEN").ok()),
            hosts: self.host,
            ..http::Options::default()
        };
        let runtime = tokio::runtime::Runtime::new().map_err(failed)?;
        let done = runtime.block_on(serve(service, server, options));
        // Long work that is still going is not waited for.
        runtime.shutdown_background();
        done
    }
}

impl Mcp {
    pub(super) fn run(self) -> Result<(), Failure> {
        let (_, server) = self.offer.server()?;
        mcp::stdio::run(server).map_err(failed)
    }
}

async fn serve(
    service: Arc<Service>,
    server: mcp::Server,
    options: http::Options,
) -> Result<(), Failure> {
    let listener = http::listen(options)
        .await
        .map_err(|error| Failure::Server(error.to_string()))?;
    let stop = CancellationToken::new();
    let routes = mcp::streamable::routes(
        server,
        mcp::streamable::Options {
            hosts: listener.hosts().to_vec(),
            origins: listener.origins(),
            body_limit: listener.body_limit(),
            stop: stop.child_token(),
        },
    );
    eprintln!(
        "fibula: listening on http://{}/mcp (Ctrl-C stops)",
        listener.address()
    );
    let stopping = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopping.cancel();
        }
    });
    listener.serve(service, routes, stop).await.map_err(failed)
}

#[expect(clippy::needless_pass_by_value, reason = "it is what map_err calls")]
fn failed(error: io::Error) -> Failure {
    Failure::Server(error.to_string())
}
