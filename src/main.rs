//! Starts Fibula: `fibula mcp` or `fibula serve [--listen ADDRESS] [--token TOKEN]`. A stand-in for the command line.

use std::error::Error;
use std::sync::Arc;

use fibula::service::Service;
use fibula::{http, mcp, service};
use tokio_util::sync::CancellationToken;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let value = |name: &str| {
        let place = arguments.iter().position(|argument| argument == name)?;
        arguments.get(place + 1).cloned()
    };
    let roots = vec![std::env::current_dir()?];
    let service = Arc::new(Service::new(&service::Options { roots }));
    let mut options = mcp::Options {
        read_only: arguments.iter().any(|argument| argument == "--read-only"),
        ..mcp::Options::default()
    };
    if let Some(toolsets) = value("--toolsets") {
        options.toolsets = toolsets
            .split(',')
            .map(str::parse)
            .collect::<Result<_, _>>()?;
    }
    let server = mcp::Server::new(service.clone(), &options);
    match arguments.first().map(String::as_str) {
        Some("mcp") => Ok(mcp::stdio::run(server)?),
        Some("serve") => {
            let mut options = http::Options::default();
            if let Some(listen) = value("--listen") {
                options.listen = listen.parse()?;
            }
            options.token = value("--token");
            let runtime = tokio::runtime::Runtime::new()?;
            runtime.block_on(serve(service, server, options))
        }
        _ => Err(
            "fibula mcp | serve [--listen ADDRESS] [--token TOKEN] [--toolsets A,B] [--read-only]"
                .into(),
        ),
    }
}

async fn serve(
    service: Arc<Service>,
    server: mcp::Server,
    options: http::Options,
) -> Result<(), Box<dyn Error>> {
    let listener = http::listen(options).await?;
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
    eprintln!("listening on http://{}/mcp", listener.address());
    let stopping = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            stopping.cancel();
        }
    });
    listener.serve(service, routes, stop).await?;
    Ok(())
}
