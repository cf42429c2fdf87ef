//! `fibula serve` and `fibula mcp`: the servers.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use directories::BaseDirs;
use fibula_server::http;
use fibula_server::mcp::selection::{self, Selectable, UnknownTool, find_any_tool, find_tool};
use fibula_server::mcp::streamable::Sessions;
use fibula_server::mcp::{self, Toolset, UnknownToolset};
use fibula_server::metrics::Metrics;
use fibula_service::{self as service, Service};
use tokio_util::sync::CancellationToken;

use super::data::{Data, FILE as STORE_FILE, StoreAccess, StoreLocation};
use super::open::OpenArgs;
use super::output::Failure;
use super::telemetry;
use crate::mcp::TOOLSETS;

/// Address and token of a server.
#[derive(Debug, Args)]
pub(super) struct ListenArgs {
    /// The address to listen on; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS", default_value_t = http::Options::default().listen)]
    pub(super) listen: SocketAddr,
    /// A secret that every request must show as `Authorization: Bearer SECRET`; needed if other machines can reach
    /// the address.
    #[arg(
        long,
        value_name = "SECRET",
        env = "FIBULA_TOKEN",
        hide_env_values = true
    )]
    pub(super) token: Option<String>,
}

/// Served over HTTP.
#[derive(Debug, Args)]
pub(super) struct Serve {
    #[command(flatten)]
    address: ListenArgs,
    /// Another name of this server that requests may give as their host; may be given several times.
    #[arg(long = "host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Requests per second of one client, identified by its address; there is no limit if left out.
    #[arg(long, value_name = "NUMBER")]
    client_rate: Option<NonZeroU32>,
    /// Requests of one client that are worked on at a time; there is no limit if left out.
    #[arg(long, value_name = "NUMBER")]
    client_calls: Option<NonZeroU32>,
    /// Seconds per minute for which requests of one client may be worked on, all together; there is no limit if left out.
    #[arg(long, value_name = "NUMBER")]
    client_seconds: Option<NonZeroU32>,
    /// Memory in MiB of the messages of one client that are worked on at a time; there is no limit if left out.
    #[arg(long, value_name = "MIB")]
    client_memory: Option<NonZeroU32>,
    /// A folder whose files are served as the page, instead of those in the program.
    #[arg(long, value_name = "FOLDER")]
    web_dir: Option<PathBuf>,
    #[command(flatten)]
    offer: ServerArgs,
}

/// Served over standard input and output.
#[derive(Debug, Args)]
pub(super) struct Mcp {
    #[command(flatten)]
    offer: ServerArgs,
}

/// Tools of agents, and files that they may use. REST and the page have all operations, unless --read-only is given.
#[derive(Debug, Args)]
struct ServerArgs {
    /// Groups of tools, with commas between: project, function, geometry, knowledge, project-extra, knowledge-extra,
    /// gladius, memory, graph-mode, graphinate, discourse; the first four if left out.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = find_toolset)]
    toolsets: Vec<Toolset>,
    /// Single tools, with commas between, beside those of --toolsets, or alone.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = find_tool)]
    tools: Vec<String>,
    /// Tools that are not offered, with commas between.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = find_excluded)]
    exclude_tools: Vec<String>,
    /// Only tools and routes that change nothing.
    #[arg(long)]
    read_only: bool,
    /// Have clients of the protocol 2026-07-28 repeat the argument `project` in the header Mcp-Param-Project, for proxies.
    #[arg(long)]
    project_header: bool,
    /// A folder from which files may be imported, and below which agents may write parts; may be given several times.
    /// Left out, it is the working directory, or the folder `files` beside the store if the home folder lies in that.
    #[arg(long = "root", value_name = "FOLDER")]
    roots: Vec<PathBuf>,
    #[command(flatten)]
    open: OpenArgs,
    #[command(flatten)]
    data: Data,
}

fn find_toolset(name: &str) -> Result<Toolset, UnknownToolset> {
    Toolset::find(TOOLSETS, name)
}

fn find_excluded(name: &str) -> Result<String, UnknownTool> {
    find_any_tool(TOOLSETS, name)
}

impl ServerArgs {
    /// Returns the location of the store.
    fn data(&self) -> Data {
        let openings = self.open.files(&self.toolsets);
        let first = openings.first();
        first.map_or_else(|| self.data.clone(), |file| file.data(&self.data))
    }

    fn service(&self) -> Result<Arc<Service>, Failure> {
        let roots = self.roots()?;
        if let Some(missing) = roots.iter().find(|root| !root.is_dir()) {
            return Err(Failure::Server(format!(
                "{} is not a folder; give another --root",
                missing.display()
            )));
        }
        let options = service::Options {
            roots,
            ..service::Options::default()
        };
        let store = self.data().open(StoreAccess::Make)?.store();
        let service = Service::with_store(store, &options);
        for file in self.open.files(&self.toolsets) {
            if let Some(done) = file.import(&service)? {
                eprintln!("{done}");
            }
        }
        Ok(Arc::new(service))
    }

    /// Returns the folders of files: those that are named, or the working directory unless it is too wide, as that of
    /// programs that a desktop starts.
    fn roots(&self) -> Result<Vec<PathBuf>, Failure> {
        if !self.roots.is_empty() {
            return Ok(self.roots.clone());
        }
        let working_directory = std::env::current_dir().ok();
        if let Some(folder) = working_directory.filter(|folder| !is_too_wide(folder)) {
            return Ok(vec![folder]);
        }
        let StoreLocation::File(store) = self.data().place()? else {
            return Ok(Vec::new());
        };
        let files = files_beside(&store);
        if self.read_only {
            return Ok(files.is_dir().then_some(files).into_iter().collect());
        }
        std::fs::create_dir_all(&files).map_err(|error| {
            Failure::Server(format!(
                "the folder {} for files cannot be made: {error}; give --root FOLDER",
                files.display()
            ))
        })?;
        Ok(vec![files])
    }

    /// Returns the chosen tools.
    fn options(&self) -> mcp::Options {
        let all = TOOLSETS.iter().copied();
        let chosen = all.filter(|toolset| self.toolsets.contains(toolset));
        mcp::Options {
            toolsets: match (&self.toolsets[..], &self.tools[..]) {
                ([], []) => Toolset::DEFAULT.to_vec(),
                _ => chosen.collect(),
            },
            tools: self.tools.clone(),
            excluded_tools: self.exclude_tools.clone(),
            read_only: self.read_only,
            project_header: self.project_header,
        }
    }
}

/// The folder of files of a store: `files` in a folder of projects, and one named after a store beside a file.
fn files_beside(store: &Path) -> PathBuf {
    match store.file_name().filter(|name| *name != STORE_FILE) {
        None => store.with_file_name("files"),
        Some(name) => {
            let mut own = name.to_owned();
            own.push(".files");
            store.with_file_name(own)
        }
    }
}

/// True for the home folder and those that it lies in, such as the root of a file system.
fn is_too_wide(folder: &Path) -> bool {
    let home = BaseDirs::new().and_then(|folders| folders.home_dir().canonicalize().ok());
    let real = folder
        .canonicalize()
        .unwrap_or_else(|_| folder.to_path_buf());
    folder.parent().is_none() || home.is_some_and(|home| home.starts_with(real))
}

impl Mcp {
    /// Returns the location of the store.
    pub(super) fn place(&self) -> Result<StoreLocation, Failure> {
        self.offer.data().place()
    }

    pub(super) fn run(&self) -> Result<(), Failure> {
        let _telemetry = telemetry::start();
        let service = self.offer.service()?;
        let server = mcp::Server::new(service, &self.offer.options());
        mcp::stdio::run(server).map_err(broken)
    }
}

impl Serve {
    pub(super) fn run(&self) -> Result<(), Failure> {
        let _telemetry = telemetry::start();
        let service = self.offer.service()?;
        let metrics: Arc<Metrics> = Arc::default();
        let offer = self.offer.options();
        let selectable = Selectable {
            server: mcp::Server::new(service.clone(), &offer).with_metrics(metrics.clone()),
            is_restricted: !self.offer.toolsets.is_empty() || !offer.tools.is_empty(),
            options: offer,
            toolsets: TOOLSETS,
        };
        let options = http::Options {
            listen: self.address.listen,
            token: self.address.token.clone(),
            hosts: self.hosts.clone(),
            client_limits: http::ClientLimits {
                rate: self.client_rate,
                calls: self.client_calls,
                seconds: self.client_seconds,
                memory: self.client_memory,
            },
            read_only: self.offer.read_only,
            web_dir: self.web_dir.clone(),
            metrics,
            ..http::Options::default()
        };
        let runtime = tokio::runtime::Runtime::new().map_err(broken)?;
        let outcome = runtime.block_on(serve(
            service,
            selectable,
            options,
            self.offer.data().place()?,
        ));
        // Long work without a caller ends with the process.
        runtime.shutdown_background();
        outcome
    }
}

async fn serve(
    service: Arc<Service>,
    selectable: Selectable,
    options: http::Options,
    place: StoreLocation,
) -> Result<(), Failure> {
    let listener = http::listen(options)
        .await
        .map_err(|error| Failure::Server(error.to_string()))?;
    let stop = CancellationToken::new();
    let routes = selection::routes(
        selectable,
        mcp::streamable::Options {
            hosts: listener.hosts().to_vec(),
            origins: listener.origins(),
            body_limit: listener.body_limit(),
            sessions: Sessions::None,
            stop: stop.child_token(),
        },
    );
    eprintln!(
        "Fibula {} serves its page at http://{address}/ and MCP at http://{address}/mcp; Ctrl-C stops it\n\
         Projects are stored in {place}",
        env!("CARGO_PKG_VERSION"),
        address = listener.address()
    );
    let stopping = stop.clone();
    tokio::spawn(async move {
        stop_signal().await;
        stopping.cancel();
    });
    listener.serve(service, routes, stop).await;
    Ok(())
}

/// Waits for Ctrl-C, or for the signal of service managers to stop.
async fn stop_signal() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminated) => drop(terminated.recv().await),
            Err(_) => std::future::pending().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}

#[expect(
    clippy::needless_pass_by_value,
    reason = "map_err gives the error away"
)]
fn broken(error: std::io::Error) -> Failure {
    Failure::Server(format!("the server failed: {error}"))
}
